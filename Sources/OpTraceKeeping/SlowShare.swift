package import OpTraceModel

/// For a limit on p99: whether more than one in a hundred of the units of one kind that ended in the last ten seconds
/// may have taken longer. Kinds are told apart only as far as ``UnitWatch`` can, so this asks for a second look.
package struct SlowShare: Sendable {
  /// Kinds with fewer units in these seconds have no load to speak of, and no p99.
  package static let fewest = 10
  package static let window: Nanoseconds = 10_000_000_000
  private static let slot: Nanoseconds = 1_000_000_000

  private struct Counts {
    /// By second: all, and those that took longer.
    var slots: [Int64: (all: Int, slow: Int)] = [:]
    /// The smallest share of slow units in the group that can be more than a hundredth of one of its kinds.
    var leastShare = 0.0
  }

  private let limit: Nanoseconds
  private var groups: [UnitWatch.Group: Counts] = [:]

  package init(limit: Nanoseconds) { self.limit = limit }

  package mutating func take(_ unit: UnitWatch.Unit) {
    let slot = unit.ended / Self.slot
    var count = groups[unit.group]?.slots[slot] ?? (0, 0)
    count.all += 1
    if unit.length > limit { count.slow += 1 }
    groups[unit.group, default: Counts()].slots[slot] = count
  }

  /// Whether some kind may be over the limit. O(groups).
  package mutating func maybe(_ now: Nanoseconds) -> Bool {
    var found = false
    let first = (now - Self.window) / Self.slot
    for (group, old) in groups {
      var counts = old
      counts.slots = old.slots.filter { $0.key > first }
      groups[group] = counts
      let (all, slow) = counts.slots.values.reduce((0, 0)) { ($0.0 + $1.all, $0.1 + $1.slow) }
      if slow > 0, all >= Self.fewest, Double(slow) >= counts.leastShare * Double(all) { found = true }
    }
    return found
  }

  /// A second look has found nothing, with so many units in the smallest kind of so many in all. With the same mix a
  /// smaller share need not be looked at again.
  package mutating func learn(smallest: Int, of all: Int) {
    guard all > 0 else { return }
    let share = 0.01 * Double(max(1, smallest)) / Double(all)
    for group in groups.keys { groups[group]?.leastShare = share }
  }
}
