package import OpTraceModel

/// The begins and ends of many intervals, 16 bytes for each. Which begin belongs to which end is not kept: two lists,
/// sorted in place, are enough to tell how many intervals were open at a time.
package struct Openings {
  private var begins: [Nanoseconds] = []
  private var ends: [Nanoseconds] = []

  /// Reserves memory for `count` intervals.
  package init(capacity count: Int = 0) {
    begins.reserveCapacity(count)
    ends.reserveCapacity(count)
  }

  package mutating func add(_ begin: Nanoseconds, _ end: Nanoseconds) {
    begins.append(begin)
    ends.append(end)
  }

  /// The largest number of intervals that are open at one time; intervals that touch do not overlap. O(n log n).
  package consuming func peak() -> Int {
    sort()
    var ended = 0
    var most = 0
    for (index, begin) in begins.enumerated() {
      while ended < ends.count, ends[ended] <= begin { ended += 1 }
      most = max(most, index + 1 - ended)
    }
    return most
  }

  /// When at least one was open, for intervals that end after they begin. O(n log n), in the same memory.
  package consuming func union() -> Intervals {
    sort()
    var (begun, ended, count) = (0, 0, 0)
    while ended < ends.count {
      // None is open, so the next begin is also one of the union.
      begins[count] = begins[begun]
      repeat {
        // Intervals that touch become one.
        while begun < begins.count, begins[begun] <= ends[ended] { begun += 1 }
        ended += 1
      } while ended < begun
      ends[count] = ends[ended - 1]
      count += 1
    }
    begins.removeLast(begins.count - count)
    ends.removeLast(ends.count - count)
    return Intervals(begins: begins, ends: ends)
  }

  private mutating func sort() {
    begins.sort()
    ends.sort()
  }
}

/// A set of times, as disjoint parts in order.
package struct Intervals: Sendable {
  private let begins: [Nanoseconds]
  private let ends: [Nanoseconds]
  package let total: Nanoseconds

  /// From parts that are disjoint and in order.
  fileprivate init(begins: [Nanoseconds], ends: [Nanoseconds]) {
    (self.begins, self.ends) = (begins, ends)
    total = zip(begins, ends).reduce(0) { $0.saturating($1.1 - $1.0) }
  }

  /// The union of parts; empty ones are left out.
  package init(_ parts: some Collection<(begin: Nanoseconds, end: Nanoseconds)>) {
    var openings = Openings(capacity: parts.count)
    for part in parts where part.begin < part.end { openings.add(part.begin, part.end) }
    self = openings.union()
  }

  /// Whether any moment between these two belongs to the set. O(log n).
  package func touches(_ begin: Nanoseconds, _ end: Nanoseconds) -> Bool {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] <= begin { low = middle + 1 } else { high = middle }
    }
    return low < begins.count && begins[low] < end
  }

  package func forEach(_ body: (Nanoseconds, Nanoseconds) -> Void) {
    for (begin, end) in zip(begins, ends) { body(begin, end) }
  }
}
