/// Keeps the first few of many elements in an order, with memory only for a few. O(n + k log k) for k that are kept;
/// O(n log k) if the input order is hostile.
package struct FirstFew<Element> {
  private let count: Int
  private let isBefore: (Element, Element) -> Bool
  private var kept: [Element] = []
  /// The last of those that were kept at the last trim.
  private var bar: Element?

  package init(_ count: Int, by isBefore: @escaping (Element, Element) -> Bool) {
    self.count = max(0, count)
    self.isBefore = isBefore
  }

  package mutating func offer(_ element: Element) {
    if let bar, !isBefore(element, bar) { return }
    kept.append(element)
    if kept.count >= 2 * count + 64 { trim() }
  }

  /// Takes the elements out, in order.
  package mutating func take() -> [Element] {
    trim()
    return kept
  }

  private mutating func trim() {
    kept.sort(by: isBefore)
    kept.removeLast(kept.count - min(count, kept.count))
    if kept.count == count { bar = kept.last }
  }
}

extension Array where Element: Comparable {
  /// The element that would be at this index of the range if the range were sorted, by Hoare's selection. Afterwards,
  /// smaller elements are before the index, larger ones after it. O(n) on average; if the order is hostile, the rest is
  /// sorted: O(n log n).
  mutating func select(_ index: Int, in range: Range<Int>) -> Element {
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    var patience = 2 * (range.count.bitWidth - range.count.leadingZeroBitCount)
    while low < high {
      guard patience > 0 else {
        self[low...high].sort()
        break
      }
      patience -= 1
      let pivot = middle(self[low], self[low + (high - low) / 2], self[high])
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        guard left <= right else { break }
        swapAt(left, right)
        left += 1
        right -= 1
      }
      if index <= right {
        high = right
      } else if index >= left {
        low = left
      } else {
        break
      }
    }
    return self[index]
  }

  private func middle(_ first: Element, _ second: Element, _ third: Element) -> Element {
    let (low, high) = first < second ? (first, second) : (second, first)
    return third < low ? low : Swift.min(third, high)
  }
}
