extension Array {
  /// In the order of numbers that differ. Records are large: numbers are sorted, and each record is moved once. O(n log n); O(n) where they are
  /// sorted already.
  func sorted(by number: KeyPath<Element, WorkID>) -> [Element] {
    var rows = indices.map { (number: self[$0][keyPath: number].rawValue, row: UInt32(truncatingIfNeeded: $0)) }
    if zip(rows, rows.dropFirst()).allSatisfy({ $0.number <= $1.number }) { return self }
    rows.sort { $0.number < $1.number }
    return rows.map { self[Int($0.row)] }
  }
}
