extension Array where Element: Comparable {
  /// What would stand at this place of a range if that were sorted, by Hoare's selection. What is smaller then lies before the place,
  /// what is larger behind it. O(n) on average; where the order is made to be bad, the rest is sorted: O(n log n).
  mutating func select(_ place: Int, in range: Range<Int>) -> Element {
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
      if place <= right {
        high = right
      } else if place >= left {
        low = left
      } else {
        break
      }
    }
    return self[place]
  }

  private func middle(_ first: Element, _ second: Element, _ third: Element) -> Element {
    let (low, high) = first < second ? (first, second) : (second, first)
    return third < low ? low : Swift.min(third, high)
  }
}
