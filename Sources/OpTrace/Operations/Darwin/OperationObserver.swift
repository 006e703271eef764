#if canImport(Darwin)
  internal import COpTrace
  internal import Foundation
  internal import OpTraceFormat

  /// Follows an operation that is not ours and that a traced queue gets, of any class, by key-value observing. Written from Apple's documentation;
  /// it has not been run.
  ///
  /// It observes from the moment when a queue gets the operation until it has finished. All that time it retains the operation, as a queue does: releasing an observed object may raise an exception.
  ///
  /// The keys are strings, as Apple documents them; the key path `\.isFinished` is that of the key `finished`.
  ///
  /// Sendable: `state` and `kept` are only touched under `lock`; the probe is atomic inside.
  final class OperationObserver: NSObject, ObjectCompanion, @unchecked Sendable {
    private enum State { case idle, beginning, observing, over }
    private static let keys = ["isReady", "isExecuting", "isCancelled", "isFinished"]

    let probe = OperationProbe()
    private let lock = Lock()
    private var state = State.idle
    private var kept: Operation?

    deinit { probe.destroy() }

    /// Observes `operation`, which has been described, unless it is one of ours.
    static func follow(_ operation: Operation) {
      guard operation.probed == nil, let observer = known(operation), observer.probe.core != nil else { return }
      observer.begin(operation)
    }

    /// Records the finish of everything that `operation` depends on: Foundation may notify it before it notifies us. A
    /// finished dependency stays in the list.
    static func noteDependenciesFinished(of operation: Operation) {
      for dependency in operation.dependencies { known(dependency)?.noteFinished(dependency) }
    }

    private func begin(_ operation: Operation) {
      let isFirst = lock.withLock {
        guard state == .idle else { return false }
        state = .beginning
        kept = operation
        return true
      }
      guard isFirst else { return }
      // Not under the lock: the class may have code of its own for this.
      for key in Self.keys { operation.addObserver(self, forKeyPath: key, options: [], context: nil) }
      lock.withLock { state = .observing }
      // What happened before, or meanwhile.
      noteReady(operation)
      noteExecuting(operation)
      noteFinished(operation)
    }

    private func end(_ operation: Operation) {
      let isLast = lock.withLock {
        // While it begins: `begin` will check again.
        guard state == .observing else { return false }
        state = .over
        return true
      }
      guard isLast else { return }
      for key in Self.keys { operation.removeObserver(self, forKeyPath: key) }
      // The operation may be released with this, and its `deinit` is the program's code: after the lock.
      let last = lock.withLock {
        defer { kept = nil }
        return kept
      }
      withExtendedLifetime(last) {}
    }

    override func observeValue(
      forKeyPath key: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      guard let operation = object as? Operation else { return }
      switch key {
      case "isReady": noteReady(operation)
      case "isExecuting": noteExecuting(operation)
      case "isCancelled": if operation.isCancelled { probe.record(.cancelRequested) }
      case "isFinished": noteFinished(operation)
      default: break
      }
    }

    private func noteReady(_ operation: Operation) {
      guard operation.isReady else {
        _ = optrace_operation_turn(probe.pointer, OperationProbe.Bits.ready, false)
        return
      }
      guard !probe.has(OperationProbe.Bits.ready) else { return }
      Self.noteDependenciesFinished(of: operation)
      if optrace_operation_turn(probe.pointer, OperationProbe.Bits.ready, true) { probe.record(.ready) }
    }

    private func noteExecuting(_ operation: Operation) {
      guard operation.isExecuting, !probe.has(OperationProbe.Bits.began) else { return }
      noteReady(operation)
      if probe.claim(OperationProbe.Bits.watched) { probe.record(.started) }
      if probe.claim(OperationProbe.Bits.began) { probe.record(.executionBegan) }
      if optrace_frame_phase(probe.pointer) == UInt32(optrace_phase_starting) {
        optrace_frame_set_phase(UInt32(optrace_phase_executing))
      }
    }

    func noteFinished(_ operation: Operation) {
      guard probe.core != nil, operation.isFinished else { return }
      if probe.claim(OperationProbe.Bits.finishRecorded) {
        if probe.has(OperationProbe.Bits.began) { probe.record(.executionEnded) }
        probe.record(.finished)
        _ = probe.claim(OperationProbe.Bits.finishWritten)
      }
      end(operation)
    }
  }
#endif
