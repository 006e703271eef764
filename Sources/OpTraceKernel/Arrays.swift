extension Array where Element: Equatable {
  /// Keeps only the first of equal adjacent elements. O(n), in place.
  package mutating func removeRepetitions() {
    var last: Element?
    removeAll { element in
      defer { last = element }
      return element == last
    }
  }
}
