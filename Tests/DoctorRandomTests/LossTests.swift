import Foundation
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Traces of healthy programs with parts missing: the doctor reports no error.
@Suite(.ownThread) struct LossTests {
  private static let programs = 0..<120

  /// - Parameter forgiven: how many errors are accepted: what is left of a trace may look the same as the trace of a
  ///   program that hangs.
  private func withTraces(
    forgiven: Int = 0, _ body: (_ seed: Int, _ path: String, inout Tally) throws -> Void
  ) throws {
    let process = try RandomProcess.healthy(Self.programs)
    var tally = Tally()
    for seed in Self.programs { try body(seed, process.trace(seed), &tally) }
    print(
      tally.rows.map { "\($0.key): \($0.value.all) traces, \($0.value.false) with errors" }.sorted().joined(
        separator: "\n"))
    #expect(
      tally.faults.count <= forgiven, "\(tally.faults.prefix(20).joined(separator: "\n")) (\(process.folder.path))")
    if tally.faults.isEmpty { process.removeTraces() }
  }

  private struct Tally {
    var rows: [String: (all: Int, false: Int)] = [:]
    var faults: [String] = []

    mutating func check(_ trace: Trace, _ what: String, _ seed: Int) {
      let errors = Diagnosis(of: trace).findings.filter { $0.severity == .error }
      rows[what, default: (0, 0)].all += 1
      guard let error = errors.first else { return }
      rows[what]?.false += 1
      faults.append("seed \(seed), \(what): \(error.line)")
    }
  }

  /// The same header and strings, without an event.
  private func empty(_ events: TraceEvents) -> TraceEvents {
    var result = TraceEvents(header: events.header)
    result.heartbeat = events.heartbeat
    var id: UInt32 = 1
    while let text = events.string(id) {
      _ = result.intern(text)
      id += 1
    }
    return result
  }

  @Test func droppedEventsCauseNoErrors() throws {
    // If a fifth of 140 events is dropped uncounted, all evidence that an operation finished may be gone.
    try withTraces(forgiven: 2) { seed, path, tally in
      let events = try TraceReader.events(path: path)
      for rate in [1, 5, 20, 50] {
        // With half of the events dropped uncounted, the rest may not even contradict itself.
        for isCounted in rate < 50 ? [true, false] : [true] {
          var random = SeededGenerator(seed * 100 + rate)
          let trace = TraceBuilder.build(drop(events, rate, isCounted: isCounted, &random))
          tally.check(trace, "\(rate) % dropped, \(isCounted ? "counted" : "not counted")", seed)
        }
      }
    }
  }

  private func drop(
    _ events: TraceEvents, _ rate: Int, isCounted: Bool, _ random: inout SeededGenerator
  ) -> TraceEvents {
    var result = empty(events)
    var lost: [ThreadID: UInt64] = [:]
    var all: UInt64 = 0
    for event in events {
      if random.chance(rate) {
        lost[event.thread, default: 0] += 1
        all += 1
        continue
      }
      if isCounted, let count = lost.removeValue(forKey: event.thread) {
        result.append(
          TraceEvent(
            kind: EventKind.lost.rawValue, time: event.time, thread: event.thread,
            subject: LossReason.noSpace.rawValue, word1: count))
      }
      result.append(event)
    }
    if isCounted, all > 0 { result.loss.lost = [.noSpace: all] }
    result.sort()
    return result
  }

  /// As if the process had been killed at that moment.
  @Test func tracesOfKilledProcessesHaveNoErrors() throws {
    try withTraces { seed, path, tally in
      let events = try TraceReader.events(path: path)
      var random = SeededGenerator(seed)
      for _ in 0..<20 where !events.isEmpty {
        var cut = empty(events)
        cut.header.isClosed = false
        for event in events.prefix(random.number(1..<events.count + 1)) { cut.append(event) }
        cut.heartbeat = nil
        tally.check(TraceBuilder.build(cut), "killed", seed)
      }
    }
  }

  /// The files of closed and of open traces are cut at random bytes.
  @Test func truncatedFilesHaveNoErrors() throws {
    try withTraces { seed, path, tally in
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      var random = SeededGenerator(seed)
      for number in 0..<20 {
        var bytes = Array(whole.prefix(random.number(Layout.Header.size..<whole.count)))
        let isClosed = number % 2 == 0
        if !isClosed { bytes[Layout.Header.state] = UInt8(Layout.FileState.open.rawValue) }
        let trace = try TraceReader.read(bytes: bytes)
        tally.check(trace, isClosed ? "closed file cut" : "open file cut", seed)
      }
    }
  }
}
