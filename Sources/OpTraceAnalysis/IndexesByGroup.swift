/// The places of things by the group that they belong to, each group's in their order. 4 bytes for each thing and each group.
package struct IndexesByGroup: Sendable {
  private var places: [UInt32]
  /// Where the group's places begin.
  private var starts: [UInt32]

  /// O(n), by counting.
  package init(_ group: some Collection<Int>, groups: Int) {
    starts = [UInt32](repeating: 0, count: groups + 1)
    places = [UInt32](repeating: 0, count: group.count)
    for group in group { starts[group + 1] += 1 }
    for group in 0..<groups { starts[group + 1] += starts[group] }
    var next = starts
    for (place, group) in group.enumerated() {
      places[Int(next[group])] = UInt32(place)
      next[group] += 1
    }
  }

  package subscript(group: Int) -> some RandomAccessCollection<Int> {
    places[Int(starts[group])..<Int(starts[group + 1])].lazy.map { Int($0) }
  }
}
