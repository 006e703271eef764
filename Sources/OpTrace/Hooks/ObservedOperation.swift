#if !canImport(Darwin)
  internal import COpTrace
  internal import Foundation

  /// An operation that reports what Foundation's getters return in each of its states (`COpTrace/objects/own.c`). One is
  /// run when the hooks are prepared.
  final class ObservedOperation: Operation, @unchecked Sendable {
    override var isExecuting: Bool { observed(optrace_own_executing, super.isExecuting) }
    override var isFinished: Bool { observed(optrace_own_finished, super.isFinished) }

    private func observed(_ question: Int, _ answer: Bool) -> Bool {
      optrace_own_observed(Unmanaged.passUnretained(self).toOpaque(), UInt32(question), answer)
      return answer
    }
  }
#endif
