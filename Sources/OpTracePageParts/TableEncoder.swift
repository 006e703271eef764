package import OpTraceText

/// Columns of the same length: a table in the report's data, either as a whole, or as what has changed in a table that
/// the page has.
package struct TableEncoder {
  package let name: String
  private(set) var columns: [ColumnEncoder]
  /// The index of each column's base. -1: it has none.
  private let bases: [Int]
  /// The number of rows in the table, even if most of them are not written.
  package private(set) var count = 0
  /// What the rows were. Nil: nobody will ask how the table grew.
  package private(set) var growth: TableGrowth?

  package init(_ name: String, _ columns: ColumnEncoder...) { self.init(name, columns) }

  package init(_ name: String, _ columns: [ColumnEncoder]) {
    self.name = name
    self.columns = columns
    bases = columns.map { column in column.base.flatMap { base in columns.firstIndex { $0.name == base } } ?? -1 }
  }

  /// Remembers the rows from here on. Of the rows that the page has, according to `last`, only those that differ are
  /// written.
  package mutating func grow(from last: TableGrowth?, _ numbers: StableNumbers) {
    growth = TableGrowth(after: last, numbers)
  }

  /// Appends a row with a value for each column. `key` is the row's position in the order of the table, and must not be
  /// smaller than that of any earlier row. It is omitted for tables that only grow at their end.
  package mutating func append(_ values: [Int?], key: RowKey? = nil) {
    defer { count += 1 }
    if growth?.keeps(key ?? RowKey(count), values, columns) == true { return }
    columns.withUnsafeMutableBufferPointer { columns in
      for index in columns.indices {
        columns[index].append(values[index], relative: bases[index] < 0 ? nil : values[bases[index]])
      }
    }
  }

  /// Keeps a row that is known to be unchanged. Returns true if the page has it.
  package mutating func keepsUnseen(_ key: RowKey) -> Bool {
    guard growth?.keepsUnseen(key) == true else { return false }
    count += 1
    return true
  }

  /// Keeps all rows that the page has.
  package mutating func keepAll() { count += growth?.keepAll() ?? 0 }

  package func write(to writer: ByteWriter) {
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
