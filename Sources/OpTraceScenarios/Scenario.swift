package import Foundation
package import OpTrace

/// A small program with queues, run for real and recorded: each shows one thing.
package struct Scenario: Sendable {
  /// What is wrong with it.
  package enum Health: Sendable {
    case healthy
    /// Ends by its timeout, with operations that are not over.
    case stuck
    /// Shows a fault, and may hang, crash or harm its process: it needs one of its own (see ``ScenarioProcess``).
    case broken
  }

  /// A setting that the scenario reads.
  package enum Option: String, Sendable, CaseIterable {
    case limit
    case stuck
    case timeout
    case fixed
  }

  /// What the command calls it, and the name of its files.
  package let name: String
  /// One line: what it shows.
  package let summary: String
  package let health: Health
  package let options: Set<Option>
  /// The fault that a broken one shows, by the name that is known to the reader of its trace. Several may show the same.
  package let code: String?
  /// Seconds without an event after which nothing will come any more, for one that is broken.
  package let silence: TimeInterval
  let body: @Sendable (ScenarioRun) -> Void

  init(
    _ name: String, _ summary: String, health: Health = .healthy, options: Set<Option> = [],
    body: @escaping @Sendable (ScenarioRun) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.health = health
    self.options = options
    code = nil
    silence = 0
    self.body = body
  }

  /// A program with a fault, and the same without it when it is asked to be fixed. All of its operations and queues are
  /// recorded, so it may use Foundation's own types.
  ///
  /// - Parameter variant: distinguishes this one from others that show the same.
  static func broken(
    _ code: String, variant: String? = nil, _ summary: String, silence: TimeInterval = 2,
    body: @escaping @Sendable (ScenarioRun) -> Void
  ) -> Scenario {
    Scenario(
      broken: code, name: variant.map { "\(code)-\($0)" } ?? code, summary: summary, silence: silence, body: body)
  }

  private init(
    broken code: String, name: String, summary: String, silence: TimeInterval,
    body: @escaping @Sendable (ScenarioRun) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.health = .broken
    self.options = [.fixed, .timeout]
    self.code = code
    self.silence = silence
    self.body = body
  }

  /// Runs the program on this thread, to its end, and records it into a new file. Run on the main thread it serves the
  /// main queue meanwhile where it needs that; elsewhere somebody else has to.
  ///
  /// - Parameters:
  ///   - didBegin: called with the path of the trace, before the program begins.
  ///   - say: called with what the program prints, a line at a time, from any thread.
  /// - Returns: where the trace is, complete and closed; under another name than requested if a live trace is there.
  /// - Throws: `TraceRecorderError` when the trace cannot be written.
  package func run(
    recordingTo url: URL, settings: ScenarioSettings = .init(), didBegin: (URL) -> Void = { _ in },
    say: @escaping @Sendable (String) -> Void
  ) throws(TraceRecorderError) -> URL {
    let recorder = try TraceRecorder(writingTo: url)
    if health == .broken { try recorder.instrumentProcess() }
    didBegin(recorder.url)
    body(ScenarioRun(recorder: recorder, settings: settings, output: say))
    try recorder.stop()
    return recorder.url
  }
}

/// A scenario is one file in `Scenarios/` or `Broken/`, and one word here.
extension Scenario {
  package static let all: [Scenario] = [
    .photoImport, .iLoveU, .uploadCancel, .asyncWait, .customConcurrent, .blockFanOut, .diamond, .serialVsConcurrent,
    .priorities, .crossQueue, .barrier, .suspendResume, .cancelAll, .mainHop, .tickets, .deadlock,
  ]

  /// Programs with a fault: each has a twin without it (``ScenarioSettings/isFixed``).
  package static let broken: [Scenario] = [
    .dependencyCycle, .dependencyCycleSelf, .queueSelfWait, .waitCycle, .waitCycleMutual, .mainThreadDeadlock,
    .lockCycle, .lockCycleWait, .orphanDependency, .queueSuspended, .queueSuspendedLimit,
    .neverFinished, .neverFinishedUnannounced,
    .cancelledNeverFinished, .cancelledNeverFinishedRunning, .threadPoolStarvation, .readinessOverride,
    .removedDependencyStuck, .barrierReentry, .finishedWithoutStart, .doubleFinish, .doubleStart, .doubleStartEnqueued,
    .prematureFinish, .dependentReleased, .barrierOnIdleQueue, .retainedOperation, .startedBeforeDependency,
    .priorityInversion, .blockingWait, .serialBottleneck, .dependencyChainCost,
  ]

  package static func named(_ name: String) -> Scenario? { (all + broken).first { $0.name == name } }
}
