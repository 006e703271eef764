import OpTraceFormat
package import OpTraceModel

/// A member of a cycle. Nil means not known.
public struct ChainMember: Sendable, Hashable {
  /// What it is. The raw value is the word in JSON.
  public enum Kind: String, Sendable, CaseIterable {
    /// An operation.
    case operation
    /// A thread, outside of all operations.
    case thread
    /// A lock that a thread holds.
    case lock
    /// A queue whose slots are all taken, or that does not become empty.
    case queue
    /// A block in a dispatch queue.
    case block
    /// A Swift task.
    case task
  }

  /// What it is.
  public var kind: Kind
  /// Its number in the trace; for a lock its address.
  public var id: UInt64?
  /// Its name.
  public var name: String?
  /// The function in which it waits.
  public var function: String?
  /// The source file of that function.
  public var file: String?
  /// The line in that file, from 1.
  public var line: Int?

  package init(_ kind: Kind, id: UInt64?, name: String?, at location: CodeLocation? = nil) {
    self.kind = kind
    self.id = id
    self.name = name
    (function, file, line) = (location?.function, location?.file, location?.line)
  }
}

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
    case .earlier, .neverEnqueued, .abandonedLock, .submissions: return nil
    }
  }
}
