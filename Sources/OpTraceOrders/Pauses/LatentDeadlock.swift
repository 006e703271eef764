package import OpTraceDoctor
import OpTraceFormat
package import OpTraceModel

/// A deadlock that has not happened yet, with the finding that tells of it.
package struct LatentDeadlock: Sendable {
  /// Who would wait for whom.
  package enum Cause: Sendable {
    /// Each holds what the one before it wants.
    case cycle(OrderCycles.Cycle)
    /// Those who wait hold what those who signal need: a thread of Swift's pool, or a slot of a queue. `slots`: of the queue; nil: as many
    /// threads as the machine has processors.
    case pool(HandoverRecord, slots: Int?)
  }

  package let finding: Finding
  package let cause: Cause

  /// All that the doctor finds in a trace, in its order.
  package static func all(in trace: Trace) -> [LatentDeadlock] {
    guard !trace.orders.isEmpty || !trace.handovers.isEmpty else { return [] }
    let context = DoctorContext(trace, DoctorOptions(), FactTable())
    return context.orderCycles().map { cycle, more in
      LatentDeadlock(finding: context.lockOrderInversion(cycle, more: more), cause: .cycle(cycle))
    }
      + trace.handovers.compactMap { handover in
        context.blockingInTask(handover).map { finding in
          LatentDeadlock(finding: finding, cause: .pool(handover, slots: context.slots(of: handover)))
        }
      }
  }
}

extension DoctorContext {
  fileprivate func slots(of handover: HandoverRecord) -> Int? {
    guard let waiter = handover.waiter, let signaller = handover.signaller,
      case .queue(_, let slots) = pool(waiter, signaller)
    else { return nil }
    return slots
  }
}
