/// The position of a row in the order of its table: by its owner or its time.
struct RowKey: Comparable {
  var first: Int
  var second: Int

  init(_ first: Int, _ second: Int = 0) { (self.first, self.second) = (first, second) }

  static func < (left: Self, right: Self) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }
}

/// How the numbers of work, tracks and groups, which are indexes in lists and move when something comes in between, are written so that they
/// are the same in every picture of a trace.
struct StableNumbers {
  /// The first row of each kind of work.
  var kinds: [Int]
  /// By track, and by group: what says which one it is.
  var tracks: [Int]
  var groups: [Int]

  func stable(_ value: Int, _ meaning: ColumnEncoder.Meaning) -> Int {
    switch meaning {
    case .number, .time: value
    case .work: work(value)
    case .track: tracks.indices.contains(value) ? tracks[value] : -1
    case .group: groups.indices.contains(value) ? groups[value] : -1
    }
  }

  /// The kind in the upper bits, and the index among its kind.
  func work(_ row: Int) -> Int {
    let kind = kinds.lastIndex { $0 <= row } ?? 0
    return kind << 56 | row - kinds[kind]
  }
}

/// What of a table the page has already: found while the rows of the new table come, in the order of their keys. A row that has the key
/// and the content of one that the page has is kept; all others are written, and those that are passed over are dropped.
///
/// Contents are compared by 64 bits of them: two that differ seem the same once in 10^13 updates of 100,000 rows. The page of
/// a program that has ended is given everything once more, so such a fault would not last.
struct TableGrowth {
  private struct Row {
    var key: RowKey
    var print: UInt64
  }

  /// Whether only what differs from the last table is written; else the whole.
  let isAddition: Bool
  /// Runs of rows that are kept: where they were, where they are, how many; three numbers each.
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

  /// Whether the page has this row. O(1) but for what is dropped.
  mutating func keeps(_ key: RowKey, _ values: [Int?], _ columns: [ColumnEncoder]) -> Bool {
    var print: UInt64 = 0x9E37_79B9_7F4A_7C15
    for (value, column) in zip(values, columns) {
      let stable = value.map { UInt64(truncatingIfNeeded: numbers.stable($0, column.meaning)) } ?? 0x5555_AAAA_0F0F_F0F0
      print = (print ^ stable) &* 0xD6E8_FEB8_6659_FD93
      print ^= print >> 32
    }
    return keeps(Row(key: key, print: print))
  }

  /// Keeps the row with this key, whatever it holds; false: the page has none.
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

  /// The same rows, with keys as the new table has them.
  func withKeys(_ renewed: (RowKey) -> RowKey) -> TableGrowth {
    var copy = self
    for index in copy.rows.indices { copy.rows[index].key = renewed(copy.rows[index].key) }
    return copy
  }
}
