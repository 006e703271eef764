package import OpTraceModel

/// The indexes of the operations that were added to each queue, in order. 4 bytes for each operation.
package struct QueueMembers: Sendable {
  private let indexes: IndexesByGroup
  private let groups: [QueueID: Int]

  /// The group of operations without a queue; the group after it is empty.
  private static let none = 0

  /// O(n).
  package init(_ trace: Trace) {
    var groups: [QueueID: Int] = [:]
    let first = Self.none + 1
    // Usually the queue is the same as that of the operation before.
    var last: (queue: QueueID, group: Int)?
    func group(of queue: QueueID?) -> Int {
      guard let queue else { return Self.none }
      if let last, last.queue == queue { return last.group }
      let group = groups[queue] ?? groups.count + first
      groups[queue] = group
      last = (queue, group)
      return group
    }
    for index in trace.operations.indices { _ = group(of: trace.operations[index].queue) }
    indexes = IndexesByGroup(
      trace.operations.indices.lazy.map { group(of: trace.operations[$0].queue) }, groups: groups.count + first + 1)
    self.groups = groups
  }

  /// The queues that have operations, in no order.
  package var queues: some Collection<QueueID> { groups.keys }

  package subscript(queue: QueueID) -> some RandomAccessCollection<Int> { indexes[groups[queue] ?? groups.count + 1] }
}

/// The indexes of elements by group, in order within each group. 4 bytes for each element and each group.
package struct IndexesByGroup: Sendable {
  private var indexes: [UInt32]
  /// Where the indexes of each group begin.
  private var starts: [UInt32]

  /// O(n), by a counting sort.
  package init(_ group: some Collection<Int>, groups: Int) {
    starts = [UInt32](repeating: 0, count: groups + 1)
    indexes = [UInt32](repeating: 0, count: group.count)
    for group in group { starts[group + 1] += 1 }
    for group in 0..<groups { starts[group + 1] += starts[group] }
    var next = starts
    for (index, group) in group.enumerated() {
      indexes[Int(next[group])] = UInt32(index)
      next[group] += 1
    }
  }

  package subscript(group: Int) -> some RandomAccessCollection<Int> {
    indexes[Int(starts[group])..<Int(starts[group + 1])].lazy.map { Int($0) }
  }
}
