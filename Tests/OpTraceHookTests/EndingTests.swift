import Foundation
import OpTraceModel
import TestSupport
import Testing

/// Programs that do a lot, or end in unusual ways: they print and end the same with and without recording, and the
/// trace has all they did up to their end.
@Suite(.ownThread) struct EndingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var ending: Ending
    var way: Way
    var build: Build
    var testDescription: String { "\(ending.rawValue), \(way.rawValue), \(build.rawValue)" }
  }

  static let cases: [Case] = Ending.allCases.flatMap { ending in
    // The large program takes seconds, mostly to read its trace.
    if ending == .load { return [Case(ending: ending, way: .recorded, build: .release)] }
    return [Way.traced, .instrumented, .recorded].flatMap { way in
      Build.allCases.map { Case(ending: ending, way: way, build: $0) }
    }
  }

  @Test(arguments: cases) func endsAsIfItWereNotRecorded(_ item: Case) throws {
    let scratch = try Scratch()
    let alone = try Programs.run(item.ending.rawValue, .recorded, item.build, into: nil)
    let ended = try Programs.run(item.ending.rawValue, item.way, item.build, into: scratch.file("run.optrace"))
    #expect(ended.status == alone.status)
    #expect(ended.output == alone.output)
    // At the end `record` says where the trace is.
    #expect(complaint(ended).hasPrefix(complaint(alone)))
    if item.way != .recorded { #expect(complaint(ended) == complaint(alone)) }

    let files = try scratch.traces
    let traces = try files.map { file in
      let events = try TraceReader.events(path: file.path)
      #expect(TraceValidator.check(events).prefix(5).map(\.description) == [])
      #expect(repetitions(events).prefix(5) == [])
      return TraceBuilder.build(events)
    }
    for trace in traces {
      #expect(trace.loss == LossReport())
      #expect(trace.operations.allSatisfy { $0.started == nil || $0.coverage == .full })
    }
    try check(item.ending, traces)
  }

  /// Swift's message about a trap, without the module's name and the stack's addresses.
  private func complaint(_ ended: ProgramResult) -> String {
    ended.errors.components(separatedBy: "Current stack trace:")[0]
      .replacingOccurrences(of: "Hook[A-Za-z]*/", with: "", options: .regularExpression)
  }

  private func check(_ ending: Ending, _ traces: [Trace]) throws {
    #expect(traces.count == (ending == .exec ? 2 : 1))
    let trace = try #require(traces.first)
    switch ending {
    case .load:
      #expect(trace.queues.count == 8)
      for queue in trace.queues {
        #expect(trace.operations.count { $0.queue == queue.id && $0.isWhole } == 25_000, "\(queue.name)")
      }
      #expect(trace.operations.count == 200_000)
    case .shortThreads:
      #expect(trace.operations.count == 400)
      #expect(trace.operations.count { $0.isWhole } == 400)
      #expect(trace.operations.count { $0.queue == nil } == 200)
    case .exec:
      let counts = traces.map { trace in [trace.queues.first?.name ?? "", "\(trace.operations.count)"] }
      #expect(Set(counts) == [["first image", "2"], ["second image", "3"]])
      #expect(traces.allSatisfy { $0.operations.allSatisfy(\.isWhole) })
      #expect(Set(traces.map(\.header.processID)).count == 1)
    case .fork:
      #expect(trace.queues.map(\.name) == ["parent"])
      #expect(trace.operations.map(\.title).sorted() == ["parent 1", "parent 2"])
      #expect(trace.header.isClosed)
    case .underscoreExit, .exitStatus:
      #expect(trace.operations.count { $0.isWhole } == 3)
      #expect(trace.header.isClosed == (ending == .exitStatus))
    case .trap, .kill:
      #expect(!trace.header.isClosed)
      #expect(trace.operations.map(\.title).sorted() == ["before", ending.rawValue])
      let last = try #require(trace.operations.first { $0.name == ending.rawValue })
      #expect(trace.operations.first { $0.name == "before" }?.isWhole == true)
      #expect(last.state == .executing && last.executionBegan != nil)
    }
  }
}

extension OperationRecord {
  /// Each event of the operation's life was recorded once. (An operation that is started by hand was not enqueued.)
  fileprivate var isWhole: Bool {
    startCount == 1 && finishCount == 1 && enqueueCount == (queue == nil ? 0 : 1)
      && executionBegan != nil && executionEnded != nil && state == .finished
  }
}
