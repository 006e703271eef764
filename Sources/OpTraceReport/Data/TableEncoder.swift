import OpTraceText

/// Columns of the same length: a table of the report's data, as a whole, or as what has changed of one that the page has.
package struct TableEncoder {
  let name: String
  private(set) var columns: [ColumnEncoder]
  /// The index of each column's base; -1: it has none.
  private let bases: [Int]
  /// Of the table, also where most of its rows are not written.
  private(set) var count = 0
  /// What the rows were; nil: nobody will ask how it grew.
  private(set) var growth: TableGrowth?

  init(_ name: String, _ columns: ColumnEncoder...) { self.init(name, columns) }

  init(_ name: String, _ columns: [ColumnEncoder]) {
    self.name = name
    self.columns = columns
    bases = columns.map { column in column.base.flatMap { base in columns.firstIndex { $0.name == base } } ?? -1 }
  }

  /// From here on the rows are remembered, and of those that the page has by `last` only what differs is written.
  mutating func grow(from last: TableGrowth?, _ numbers: StableNumbers) {
    growth = TableGrowth(after: last, numbers)
  }

  /// A value for each column. `key`: the row's position in the order of the table, which no other row comes before; for a table that grows
  /// at its end alone it is left away.
  mutating func append(_ values: [Int?], key: RowKey? = nil) {
    defer { count += 1 }
    if growth?.keeps(key ?? RowKey(count), values, columns) == true { return }
    columns.withUnsafeMutableBufferPointer { columns in
      for index in columns.indices {
        columns[index].append(values[index], relative: bases[index] < 0 ? nil : values[bases[index]])
      }
    }
  }

  /// The row that is known to be as it was: true where the page has it.
  mutating func keepsUnseen(_ key: RowKey) -> Bool {
    guard growth?.keepsUnseen(key) == true else { return false }
    count += 1
    return true
  }

  /// All rows that the page has.
  mutating func keepAll() { count += growth?.keepAll() ?? 0 }

  func write(to writer: ByteWriter) {
    writer.json(name)
    writer.text(":{\"count\":")
    writer.number(count)
    if let growth, growth.isAddition {
      writer.text(",\"kept\":[")
      for (index, number) in growth.kept.enumerated() {
        if index > 0 { writer.byte(UInt8(ascii: ",")) }
        writer.number(number)
      }
      writer.text("]")
    }
    writer.text(",\"columns\":{")
    for (index, column) in columns.enumerated() {
      if index > 0 { writer.text(",\n") }
      column.write(to: writer, namesMeaning: growth?.isAddition == true)
    }
    writer.text("}}")
  }
}
