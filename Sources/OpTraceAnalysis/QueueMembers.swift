package import OpTraceModel

/// Which operations were given to each queue, as their places, in order. 4 bytes for each operation.
package struct QueueMembers: Sendable {
  private let places: IndexesByGroup
  private let groups: [QueueID: Int]

  /// Of those that were given to none; the group behind it has nobody.
  private static let none = 0

  /// O(n).
  package init(_ trace: Trace) {
    var groups: [QueueID: Int] = [:]
    let first = Self.none + 1
    // Most were given to the same queue as the one before them.
    var last: (queue: QueueID, group: Int)?
    func group(of queue: QueueID?) -> Int {
      guard let queue else { return Self.none }
      if let last, last.queue == queue { return last.group }
      let group = groups[queue] ?? groups.count + first
      groups[queue] = group
      last = (queue, group)
      return group
    }
    for place in trace.operations.indices { _ = group(of: trace.operations[place].queue) }
    places = IndexesByGroup(
      trace.operations.indices.lazy.map { group(of: trace.operations[$0].queue) }, groups: groups.count + first + 1)
    self.groups = groups
  }

  /// Those that any operation was given to, in no order.
  package var queues: some Collection<QueueID> { groups.keys }

  package subscript(queue: QueueID) -> some RandomAccessCollection<Int> { places[groups[queue] ?? groups.count + 1] }
}
