import OpTraceModel

/// Assigns intervals that come in the order of their starts to the first lane in which they overlap nothing. That needs
/// only as many lanes as there are intervals at the same time, and keeps the low lanes full. O(log lanes) per interval.
struct FlatLanes {
  /// The ends of the intervals that the lanes hold now, soonest first.
  private var busy = MinHeap<Busy>()
  private var free = MinHeap<Int>()
  private(set) var count = 0

  private struct Busy: Comparable {
    var end: Nanoseconds
    var lane: Int
    static func < (left: Self, right: Self) -> Bool { (left.end, left.lane) < (right.end, right.lane) }
  }

  /// Returns the lane's number, from 0. Nil if that would be lane `limit`.
  mutating func lane(from begin: Nanoseconds, to end: Nanoseconds, limit: Int = .max) -> Int? {
    while let first = busy.first, first.end <= begin {
      busy.removeFirst()
      free.insert(first.lane)
    }
    let lane: Int
    if let first = free.first {
      free.removeFirst()
      lane = first
    } else if count < limit {
      lane = count
      count += 1
    } else {
      return nil
    }
    // Nothing may begin where a slice of zero length is: viewers would take one for the parent of the other, and an
    // arrow would end at the wrong one.
    busy.insert(Busy(end: end > begin ? end : begin + 1, lane: lane))
    return lane
  }
}

/// Assigns intervals that come in the order (start, longer first) to the first lane where they lie entirely within what
/// is open there, or where nothing is open: calls within calls. Intervals that overlap only partly get different lanes.
struct NestingLanes {
  /// Viewers stop at a depth of 512.
  private static let deepest = 200
  private var stacks: [[Nanoseconds]] = []

  var count: Int { stacks.count }

  mutating func lane(from begin: Nanoseconds, to end: Nanoseconds) -> Int {
    for lane in stacks.indices {
      while let top = stacks[lane].last, top <= begin { stacks[lane].removeLast() }
      let depth = stacks[lane].count
      if depth < Self.deepest, stacks[lane].last.map({ end <= $0 }) ?? true {
        stacks[lane].append(max(end, begin + 1))
        return lane
      }
    }
    stacks.append([max(end, begin + 1)])
    return stacks.count - 1
  }
}

/// A binary heap, smallest first.
struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the smallest element. Does nothing if the heap is empty.
  mutating func removeFirst() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < elements.count else { return }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
