import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Selections of a trace: what they contain, what they leave out, and that both are reported.
@Suite struct TimelineSelectionTests {
  /// `load` and `parse` on queue "net", `draw` on queue "ui". parse depends on load, draw on parse, `late` on nothing.
  private let trace: Trace
  private let net: QueueID
  private let load: OperationID
  private let parse: OperationID
  private let draw: OperationID
  private let late: OperationID

  init() {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    net = fixture.queue("net", limit: 2)
    let ui = fixture.queue("ui", limit: 1)
    load = fixture.operation("load", on: net, enqueued: 0, ready: 0, began: 1_000, ended: 2_000)
    parse = fixture.operation("parse", on: net, after: [load], enqueued: 0, ready: 2_000, began: 2_100, ended: 2_200)
    draw = fixture.operation(
      "draw", on: ui, thread: 1, after: [parse], enqueued: 0, ready: 2_200, began: 3_000, ended: 5_000)
    late = fixture.operation("late", on: net, thread: 3, enqueued: 9_000, ready: 9_000, began: 9_500)
    fixture[draw].className = "Fixture.Draw"
    fixture.trace.end = 10_000
    trace = fixture.trace
  }

  private func lines(
    _ change: (inout TimelineSelection) -> Void
  ) throws -> (events: [[String: Any]], counts: TimelineCounts) {
    var options = TimelineOptions()
    change(&options.selection)
    let (bytes, counts) = try ChromeTraceTests.export(trace, options)
    let events = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
    return (events, counts)
  }

  private func executions(_ change: (inout TimelineSelection) -> Void) throws -> [String] {
    try lines(change).events.filter { $0["cat"] as? String == "operation" }.compactMap { $0["name"] as? String }
  }

  private func arrows(_ change: (inout TimelineSelection) -> Void) throws -> Int { try lines(change).counts.arrows }

  @Test func workThatOverlapsTheSelectedTimeIsShownWhole() throws {
    #expect(try executions { $0.from = 2_150 } == ["parse", "draw", "late"])
    #expect(try executions { $0.to = 2_150 } == ["load", "parse"])
    #expect(
      try executions {
        $0.from = 2_201
        $0.to = 2_999
      } == [])
    let load = try lines { $0.from = 1_500 }.events.first {
      $0["name"] as? String == "load" && $0["cat"] as? String == "operation"
    }
    #expect(load?["ts"] as? Double == 1 && load?["dur"] as? Double == 1)
  }

  @Test func queuesAndClassesSelectTheirOperations() throws {
    #expect(try executions { $0.queues = [.queue(net)] } == ["load", "parse", "late"])
    #expect(try executions { $0.classes = ["Fixture.Draw"] } == ["draw"])
    // An arrow needs both of its ends in the selection.
    #expect(try arrows { _ in } == 2)
    #expect(try arrows { $0.queues = [.queue(net)] } == 1)
    let groups = try lines { $0.queues = [.queue(net)] }.events.filter { $0["name"] as? String == "process_name" }
    #expect(
      groups.compactMap { ($0["args"] as? [String: Any])?["name"] as? String } == [
        "fixture (pid 4194304)", "queue net",
      ])
  }

  @Test func onlyShortFinishedWorkIsLeftOut() throws {
    #expect(try executions { $0.minimumDuration = 101 } == ["load", "draw", "late"])
    #expect(try executions { $0.minimumDuration = 1_001 } == ["draw", "late"])
  }

  @Test func selectionAroundAnOperationHasItsDependenciesAndDependents() throws {
    // `draw` depends on `parse`, and begins after `parse` has ended.
    #expect(try executions { $0.select(around: [parse], in: trace) } == ["load", "parse", "draw"])
    #expect(try executions { $0.select(around: [late], in: trace) } == ["late"])
    #expect(try arrows { $0.select(around: [parse], in: trace) } == 2)
  }

  /// The value at the begin comes first, then each change inside.
  @Test func countersCountAllWorkAndBeginWithTheirValues() throws {
    let (events, _) = try lines {
      $0.from = 1_500
      $0.to = 2_150
      $0.classes = ["Fixture.Draw"]
    }
    let values = events.filter {
      $0["ph"] as? String == "C" && $0["name"] as? String == "executing" && $0["pid"] as? Int == 2
    }
    let texts = values.map { "\($0["ts"] as? Double ?? -1)=\(($0["args"] as? [String: Int])?["operations"] ?? -1)" }
    #expect(texts == ["1.5=1", "2.0=0", "2.1=1"])
  }

  @Test func leftOutSlicesAreCounted() throws {
    let all = try lines { _ in }.counts
    let part = try lines { $0.queues = [.queue(net)] }
    #expect(all.hidden == 0)
    #expect(part.counts.slices + part.counts.hidden == all.slices)
    let start = part.events.first { $0["name"] as? String == "trace starts" }?["args"] as? [String: Any]
    #expect(start?["slices left out, as asked for"] as? Int == part.counts.hidden)
  }

  /// A counter that changes all the time keeps the peak and the end of each interval. Other values are counted.
  @Test func busyCountersKeepTheirPeaks() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("busy", limit: 3)
    let intervals = 100
    let count = intervals * 3
    for index in 0..<count {
      let begin = Nanoseconds(index) * 100 + 10
      fixture.operation("op", on: queue, enqueued: nil, began: begin, ended: begin + 50)
      // At one moment three operations run.
      if index == count / 2 {
        for _ in 0..<2 {
          fixture.operation("op", on: queue, thread: 3, enqueued: nil, began: begin + 1, ended: begin + 2)
        }
      }
    }
    let values = CounterValues(
      Timeline(fixture.trace, options: TimelineOptions()), fixture.trace, intervals: intervals)
    // That moment has two more changes.
    let executing = values.values.filter { $0.kind == .executing }
    #expect(executing.count <= 2 * intervals)
    #expect(executing.count + values.thinnedOut == 2 * count + 2)
    #expect(executing.map(\.value).max() == 3)
    #expect(executing.last?.value == 0)
    #expect(executing.map(\.time) == executing.map(\.time).sorted())
  }

  /// Each kind of selection of the sample import: the engine finds exactly what was counted.
  @Test("Perfetto shows the selected parts of the sample import", .enabled(if: PerfettoEngine.isWanted), .ownThread)
  func sample() throws {
    let trace = try ChromeTraceTests.sampleTrace()
    let middle = trace.end / 2
    for change: (inout TimelineSelection) -> Void in [
      { $0.from = middle }, { $0.to = middle }, { $0.queues = [.queue(trace.queues[0].id)] },
      { $0.minimumDuration = trace.end / 50 }, { $0.select(around: [trace.operations[5].id], in: trace) },
    ] {
      var options = TimelineOptions()
      change(&options.selection)
      try ChromeTraceTests().check(trace, options)
    }
  }
}
