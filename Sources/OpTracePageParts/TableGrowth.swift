/// The position of a row in the order of its table: by owner or by time.
package struct RowKey: Comparable {
  package var first: Int
  package var second: Int

  package init(_ first: Int, _ second: Int = 0) { (self.first, self.second) = (first, second) }

  package static func < (left: Self, right: Self) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }
}

/// Converts the numbers of work, tracks and groups into numbers that are the same in every snapshot of a trace. The
/// original numbers are indexes in lists, and move when something is inserted.
package struct StableNumbers {
  /// The first row of each kind of work.
  package let kinds: [Int]
  /// What identifies each track and each group, by their numbers.
  package let tracks: [Int]
  package let groups: [Int]

  package init(kinds: [Int], tracks: [Int], groups: [Int]) {
    (self.kinds, self.tracks, self.groups) = (kinds, tracks, groups)
  }

  func stable(_ value: Int, _ meaning: ColumnEncoder.Meaning) -> Int {
    switch meaning {
    case .number, .time: value
    case .work: work(value)
    case .track: tracks.indices.contains(value) ? tracks[value] : -1
    case .group: groups.indices.contains(value) ? groups[value] : -1
    }
  }

  /// Returns the kind in the upper bits, and the index within the kind.
  package func work(_ row: Int) -> Int {
    let kind = kinds.lastIndex { $0 <= row } ?? 0
    return kind << 56 | row - kinds[kind]
  }
}

/// Finds out which part of a table the page already has, while the rows of the new table arrive in the order of their
/// keys. A row with the same key and content as a row of the page is kept. All others are written, and rows of the page
/// that are passed over are dropped.
///
/// Contents are compared by a 64-bit hash: two different rows look the same once in 10^13 updates of 100,000 rows. The
/// page of a program that has ended is given everything once more, so such a fault would not last.
package struct TableGrowth {
  private struct Row {
    var key: RowKey
    var print: UInt64
  }

  /// Whether only the differences from the last table are written. If not, the whole table is written.
  let isAddition: Bool
  /// The runs of rows that are kept: where they were, where they are, and how many; three numbers each.
  private(set) var kept: [Int] = []
  private let last: [Row]
  private var next = 0
  private var rows: [Row] = []
  private let numbers: StableNumbers

  init(after last: TableGrowth?, _ numbers: StableNumbers) {
    self.numbers = numbers
    isAddition = last != nil
    self.last = last?.rows ?? []
    rows.reserveCapacity(self.last.count)
  }

  /// Whether the page has this row. O(1), plus the rows that are dropped.
  mutating func keeps(_ key: RowKey, _ values: [Int?], _ columns: [ColumnEncoder]) -> Bool {
    var print: UInt64 = 0x9E37_79B9_7F4A_7C15
    for (value, column) in zip(values, columns) {
      let stable = value.map { UInt64(truncatingIfNeeded: numbers.stable($0, column.meaning)) } ?? 0x5555_AAAA_0F0F_F0F0
      print = (print ^ stable) &* 0xD6E8_FEB8_6659_FD93
      print ^= print >> 32
    }
    return keeps(Row(key: key, print: print))
  }

  /// Keeps the row with this key, whatever it contains. Returns false if the page has none.
  mutating func keepsUnseen(_ key: RowKey) -> Bool {
    pass(until: key)
    guard next < last.count, last[next].key == key else { return false }
    return keeps(last[next])
  }

  mutating func keepAll() -> Int {
    if !last.isEmpty { kept += [0, 0, last.count] }
    rows = last
    next = last.count
    return last.count
  }

  private mutating func keeps(_ row: Row) -> Bool {
    defer { rows.append(row) }
    pass(until: row.key)
    guard next < last.count, last[next].key == row.key else { return false }
    defer { next += 1 }
    guard last[next].print == row.print else { return false }
    let end = kept.count
    if end > 0, kept[end - 3] + kept[end - 1] == next, kept[end - 2] + kept[end - 1] == rows.count {
      kept[end - 1] += 1
    } else {
      kept += [next, rows.count, 1]
    }
    return true
  }

  private mutating func pass(until key: RowKey) {
    while next < last.count, last[next].key < key { next += 1 }
  }

  /// Returns the same rows, with the keys that they have in the new table.
  package func withKeys(_ renewed: (RowKey) -> RowKey) -> TableGrowth {
    var copy = self
    for index in copy.rows.indices { copy.rows[index].key = renewed(copy.rows[index].key) }
    return copy
  }
}
