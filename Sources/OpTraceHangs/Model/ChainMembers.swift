import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension DoctorContext {
  /// The members of a cycle.
  func chain(of deadlock: Blockage.Deadlock) -> [ChainMember] { deadlock.cycle.compactMap(member) }

  private func member(_ step: Blockage.Step) -> ChainMember? {
    switch blockage.graph.nodes[step.from] {
    case .operation(let index):
      let operation = trace.operations[index]
      return ChainMember(
        .operation, id: UInt64(operation.id.rawValue), name: operation.title,
        at: self.location(of: step.reason) ?? operation.codeLocation)
    case .thread(let thread):
      return ChainMember(
        .thread, id: UInt64(thread.rawValue), name: name(thread),
        at: self.location(of: step.reason) ?? self.location(of: thread))
    case .lock(let address):
      let seen = seenThreads.all.first { $0.lock == address && $0.reason.isLock }
      return ChainMember(.lock, id: address, name: seen.map(obstacle))
    case .slots(let queue), .emptiness(let queue), .suspension(let queue), .noSlots(let queue):
      return ChainMember(.queue, id: UInt64(trace.queues[queue].id.rawValue), name: trace.queues[queue].name)
    case .block(let index):
      let block = trace.blocks[index]
      return ChainMember(
        .block, id: UInt64(block.id.rawValue), name: block.title,
        at: self.location(of: step.reason) ?? self.location(of: block))
    case .task(let index):
      let task = trace.tasks[index]
      return ChainMember(
        .task, id: UInt64(task.id.rawValue), name: task.title,
        at: self.location(of: step.reason) ?? self.location(of: task))
    case .turn(let index):
      let queue = trace.dispatchQueues[index]
      return ChainMember(.queue, id: UInt64(queue.id.rawValue), name: queue.title)
    case .earlier, .neverEnqueued, .abandonedLock, .submissions, .enders, .nobody: return nil
    }
  }
}
