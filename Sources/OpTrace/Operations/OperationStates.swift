internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// The state machine of an operation that keeps its own states:
///
///     idle ── start ──▶ executing ── finish ──▶ finished
///      │                                          ▲
///      └── start while cancelled, or after finish ┘
///
/// Every transition is recorded before it can be seen, and announced after it: on Darwin by the key-value notifications
/// that Apple asks for (`isExecuting`, then `isFinished`), on Linux by `didChangeValue(forKey:)`, which is what
/// Foundation's queue there listens to.
/// Sendable: `state`, `finishedEarly` and `storedError` are only touched under `lock`; no other code runs under it but
/// the recording of one event.
final class OperationStates: @unchecked Sendable {
  private enum State { case idle, executing, finished }

  private let lock = Lock()
  private var state = State.idle
  private var finishedEarly = false
  private var storedError: (any Error)?

  var isExecuting: Bool { lock.withLock { state == .executing } }
  var isFinished: Bool { lock.withLock { state == .finished } }
  var error: (any Error)? { lock.withLock { storedError } }

  /// Starts `operation`, whose work is `execute`; a synchronous one is finished when that returns.
  func start(_ operation: some ProbedOperation, synchronously: Bool, _ execute: () -> Void) {
    let probe = operation.probe
    // A subclass's own start has called ours.
    let isHooked = probe.isRecordedByHooks
    operation.attachForStart()
    #if canImport(Darwin)
      if probe.has(OperationProbe.Bits.hasDependencies) { OperationObserver.noteDependenciesFinished(of: operation) }
    #endif
    if !isHooked {
      probe.record(.started)
      // Attaching may have installed the hooks: they must not think that the start was not seen.
      if probe.isRecordedByHooks { _ = probe.claim(OperationProbe.Bits.watched) }
    }
    let isOver = operation.isCancelled || lock.withLock { finishedEarly }
    if !isOver, begin(operation) {
      if !isHooked { optrace_frame_push(probe.pointer) }
      optrace_frame_set_phase(UInt32(optrace_phase_block))
      probe.run(execute)
      if !isHooked { optrace_frame_pop() }
      if synchronously { finish(operation, from: .executing, error: nil) }
    } else if lock.withLock({ state == .idle }) {
      finish(operation, from: .idle, error: nil)
    }
    // Otherwise it was started again: recorded as a second start, and that is all.
    if !isHooked { probe.record(.startReturned) }
  }

  /// False: it has begun before, or was finished at the last moment.
  private func begin(_ operation: some ProbedOperation) -> Bool {
    announce(operation, ["isExecuting"]) {
      lock.withLock {
        guard state == .idle, !finishedEarly else { return false }
        let probe = operation.probe
        if !probe.isRecordedByHooks || probe.claim(OperationProbe.Bits.began) { probe.record(.executionBegan) }
        state = .executing
        return true
      }
    }
  }

  /// Ends an operation whose work is done.
  func finish(_ operation: some ProbedOperation, error: (any Error)?) {
    let isEarly = lock.withLock {
      guard state == .idle, !finishedEarly else { return false }
      finishedEarly = true
      storedError = error
      return true
    }
    // Foundation on Linux crashes if a queued operation finishes before its start, so the start does it.
    if !isEarly { finish(operation, from: .executing, error: error) }
  }

  private func finish(_ operation: some ProbedOperation, from expected: State, error: (any Error)?) {
    let probe = operation.probe
    // Before the lock is taken: a description is the program's code, and may ask the operation.
    let text = probe.core == nil ? nil : (error ?? self.error).map { String(describing: $0) }
    announce(operation, expected == .executing ? ["isExecuting", "isFinished"] : ["isFinished"]) {
      var isRecorded = false
      let isOver = lock.withLock {
        guard state == expected else {
          probe.record(.finishedAgain)
          return false
        }
        if let error { storedError = error }
        state = .finished
        // The hooks of a subclass may have recorded it already; from here on they do not.
        if probe.isRecordedByHooks, !probe.claim(OperationProbe.Bits.finishRecorded) { return true }
        if expected == .executing { probe.record(.executionEnded) }
        if let text {
          probe.record(.finishedWithError, text: text)
        } else {
          probe.record(.finished)
        }
        isRecorded = true
        _ = probe.claim(OperationProbe.Bits.finishRecorded | OperationProbe.Bits.finishWritten)
        return true
      }
      if isRecorded { operation.noteCompletion() }
      return isOver
    }
  }

  /// Announces a change of the keys around `change`, which returns whether anything changed.
  @discardableResult
  private func announce(_ operation: some ProbedOperation, _ keys: [String], _ change: () -> Bool) -> Bool {
    #if canImport(Darwin)
      for key in keys { operation.willChangeValue(forKey: key) }
      let changed = change()
      for key in keys { operation.didChangeValue(forKey: key) }
      return changed
    #else
      // `willChangeValue` does nothing here.
      guard change() else { return false }
      for key in keys { operation.didChangeValue(forKey: key) }
      return true
    #endif
  }
}
