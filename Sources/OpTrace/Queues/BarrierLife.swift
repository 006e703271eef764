internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension TraceRecorder {
  /// A barrier block is shown as an operation of its own. A second time beside `describe/closures.c`: a closure that Swift
  /// makes is right on any system.
  /// - Parameter code: the address of the block's function; 0: not known.
  func introduceBarrier(queue: UInt32, code: UInt) -> BarrierLife {
    let barrier = BarrierLife()
    let className = id(ofClass: "Barrier", code: optrace_code_id(core, UInt64(code)))
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0, optrace_operation_attach(barrier.probe.pointer, serial) else { return barrier }
    EventFields.OperationCreated(
      class: className, coverage: Coverage.full.rawValue, async: false, ownReady: false, age: 0
    ).emit(to: core, about: serial)
    let enqueued = EventFields.Enqueued(queue: queue, priority: 0, qos: 0, barrier: true)
    optrace_emit2_at(
      core, EventKind.enqueued.rawValue, serial, enqueued.word1, optrace_caller_stack(core))
    optrace_record_within(core, serial)
    optrace_operation_publish(barrier.probe.pointer, core)
    return barrier
  }
}

/// What a barrier block carries: the operation that stands for it in the trace. It ends with the block, which a queue
/// releases without running it if the barrier is cancelled.
/// Sendable: `hasRun` is touched by the block, which runs at most once, and by `deinit` after it.
final class BarrierLife: @unchecked Sendable {
  let probe = OperationProbe()
  private var hasRun = false

  func run(_ barrier: () -> Void) {
    hasRun = true
    optrace_run_start(probe.pointer, true)
    optrace_run_begin(probe.pointer)
    optrace_frame_set_phase(UInt32(optrace_phase_block))
    probe.run(barrier)
    optrace_frame_set_phase(UInt32(optrace_phase_executing))
    optrace_run_finish(probe.pointer)
    optrace_run_return(probe.pointer)
  }

  deinit {
    if !hasRun {
      probe.record(.cancelRequested)
      probe.record(.finished)
    }
    probe.destroy()
  }
}
