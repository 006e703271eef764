#if !canImport(Darwin)
  internal import COpTrace
  internal import Foundation

  /// An operation that tells what Foundation's getters say in each state that it goes through (`COpTrace/hooks/own.c`). One is run
  /// when Foundation is looked at.
  final class HeardOperation: Operation, @unchecked Sendable {
    override var isExecuting: Bool { heard(optrace_own_executing, super.isExecuting) }
    override var isFinished: Bool { heard(optrace_own_finished, super.isFinished) }

    private func heard(_ question: Int, _ answer: Bool) -> Bool {
      optrace_own_observed(Unmanaged.passUnretained(self).toOpaque(), UInt32(question), answer)
      return answer
    }
  }
#endif
