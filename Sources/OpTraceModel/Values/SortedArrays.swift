extension Array {
  /// The first index from which all elements satisfy the condition; no element before it may satisfy it. O(log n).
  package func firstSorted(_ isReached: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
