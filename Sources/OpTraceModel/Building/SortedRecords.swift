extension Array {
  /// The records sorted by unique numbers. Records are large, so the numbers are sorted, and each record is moved only
  /// once. O(n log n); O(n) if they are sorted already.
  func sorted(by number: KeyPath<Element, WorkID>) -> [Element] {
    var rows = indices.map { (number: self[$0][keyPath: number].rawValue, row: UInt32(truncatingIfNeeded: $0)) }
    if zip(rows, rows.dropFirst()).allSatisfy({ $0.number <= $1.number }) { return self }
    rows.sort { $0.number < $1.number }
    return rows.map { self[Int($0.row)] }
  }
}
