internal import COpTrace
internal import Foundation

/// What a barrier block carries: the operation that stands for it in the trace. It ends with the block, which a queue
/// releases without running it if the barrier is cancelled.
/// Sendable: `hasRun` is touched by the block, which runs at most once, and by `deinit` after it.
final class BarrierLife: @unchecked Sendable {
  let probe = OperationProbe()
  private var hasRun = false

  func run(_ barrier: () -> Void) {
    hasRun = true
    optrace_barrier_begins(probe.pointer)
    probe.run(barrier)
    optrace_barrier_ends(probe.pointer)
  }

  deinit {
    optrace_barrier_is_released(probe.pointer, hasRun)
    optrace_operation_destroy(probe.pointer)
  }
}
