/// The operations of a process, and their queues.
package struct FoundOperations: Hashable, Sendable {
  /// By address; those that are not finished.
  package private(set) var operations: [UInt64: FoundOperation] = [:]
  package private(set) var queues: [UInt64: FoundOperationQueue] = [:]
  package private(set) var leftOut: Set<LeftOut> = []

  /// More are not read.
  private static let most = 1 << 20

  /// - Parameter candidates: addresses of words that equal a class's.
  init(_ reader: OperationReader, _ candidates: [UInt64]) {
    let known = Dictionary(
      candidates.prefix(Self.most).compactMap { reader.operation(at: $0) }.map { ($0.address, $0) },
      uniquingKeysWith: { first, _ in first })
    var queues = candidates.compactMap { reader.queue(at: $0) }
    for address in Set(known.values.compactMap(\.queue)).subtracting(queues.map(\.address)) {
      if let queue = reader.queue(at: address) { queues.append(queue) }
    }
    var taken: Set<UInt64> = []
    for var queue in queues {
      guard let members = Self.members(of: queue, known, reader) else {
        leftOut.insert(.queueList(address: queue.address))
        continue
      }
      guard members.count(where: \.state.hasSlot) == queue.executing else {
        leftOut.insert(.queueCount(address: queue.address))
        continue
      }
      queue.operations = members.map(\.address)
      self.queues[queue.address] = queue
      for one in members where one.state != .finished {
        operations[one.address] = one
        taken.insert(one.address)
      }
    }
    // Those in no queue are not in any list: so only what says so itself, and what an operation refers to, is taken.
    for one in known.values where !taken.contains(one.address) && one.queue == nil && one.state != .finished {
      if one.previous == nil, one.next == nil { operations[one.address] = one }
    }
    if candidates.count > Self.most { leftOut.insert(.tooMany("operations")) }
    for one in operations.values {
      // A list of dependencies that leads to what is no operation is not of this moment.
      if !one.dependencies.allSatisfy({ known[$0] != nil || reader.operation(at: $0) != nil }) {
        if let queue = one.queue {
          leftOut.insert(.queueList(address: queue))
          self.queues[queue] = nil
        } else {
          leftOut.insert(.operation(address: one.address))
          operations[one.address] = nil
        }
      }
    }
    operations = operations.filter { _, one in one.queue.map { self.queues[$0] != nil } ?? true }
  }

  /// What is the same in both. An operation whose queue is not is left out with it: its place is not known.
  func agreeing(with other: FoundOperations) -> FoundOperations {
    var result = self
    // Where one of its operations has changed, the queue has, whatever its list says.
    result.queues = queues.filter { key, queue in
      other.queues[key] == queue
        && queue.operations.allSatisfy { operations[$0] == other.operations[$0] }
    }
    result.operations = operations.filter { key, one in
      other.operations[key] == one && one.queue.map { result.queues[$0] != nil } ?? true
    }
    result.leftOut = leftOut.standing(with: other.leftOut)
    return result
  }

  /// Walks a queue's list: it must lead forth and back, and each operation must say that it is in this queue. Nil: it does not fit.
  private static func members(
    of queue: FoundOperationQueue, _ known: [UInt64: FoundOperation], _ reader: OperationReader
  ) -> [FoundOperation]? {
    var members: [FoundOperation] = []
    var seen: Set<UInt64> = []
    var next = queue.first
    while let address = next {
      guard members.count < most, seen.insert(address).inserted,
        let one = known[address] ?? reader.operation(at: address), one.queue == queue.address,
        one.previous == members.last?.address
      else { return nil }
      members.append(one)
      next = one.next
    }
    return members.last?.address == queue.last ? members : nil
  }
}
