import OpTraceRunning
import Foundation
import OpTraceModel

/// A trace, read once, or twice while its process runs: a state that both readings show is not transient.
struct LiveReadings {
  let first: InputTrace
  /// Nil if one reading is enough: the process has ended, or its trace can be read only once.
  private(set) var second: InputTrace?

  /// The last reading.
  var last: InputTrace { second ?? first }

  /// Seconds between two snapshots.
  private static let pause = 1.0

  /// - Parameters:
  ///   - asksForThreads: whether the recorder is to take a snapshot before the second reading.
  ///   - isNeeded: whether a second reading of such a trace is worth the wait.
  init(at source: TraceInput, asksForThreads: Bool = false, when isNeeded: (Trace) -> Bool = { _ in true }) throws {
    first = try source.read().withLiveNames()
    guard LiveProcess.writes(first.trace), source.canBeReadAgain, isNeeded(first.trace) else { return }
    withProgress("process \(first.trace.header.processID) runs, waiting for the second reading", patience: 0) {
      Thread.sleep(forTimeInterval: Self.pause)
    }
    second = try asksForThreads ? source.readAfterSnapshot(first.trace) : source.read(warns: false).withLiveNames()
  }
}
