/// A table over a trace, as SQL, Parquet, CSV and other databases have it: every format is written from these.
public struct TraceTable: Sendable {
  /// A column of a table.
  public struct Column: Sendable, Hashable {
    /// Letters and underscores.
    public let name: String
    /// What its values are.
    public let type: ColumnType
    /// What it tells, in a few words.
    public let meaning: String
  }

  /// Its name in queries.
  public let name: String
  /// What its rows are, in a few words.
  public let meaning: String
  /// The first is `trace`: which trace the row is of.
  public let columns: [Column]
  /// Finding its rows takes an analysis of the whole trace: it is built only where it is named.
  public let isCostly: Bool
  /// Its rows have the columns `id` or `operation` in ascending order, by which they are found at once; nil: they do not.
  public let sortedColumn: Int?
  private let rows: @Sendable (TableSource) -> TableRows

  /// The rows of one trace. O(1) where the table is not costly.
  public func rows(of source: TableSource) -> TableRows { rows(source) }

  /// The place of a column; nil: there is none. O(columns).
  public func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }
}

/// The rows of a table in one trace.
public struct TableRows {
  /// How many.
  public let count: Int
  private let value: (Int, Int) -> TableValue

  init(count: Int, value: @escaping (Int, Int) -> TableValue) { (self.count, self.value) = (count, value) }

  /// A cell, by row and column. O(1).
  public subscript(row: Int, column: Int) -> TableValue { value(row, column) }
}

/// How a table makes a column of one of its elements.
struct ColumnOf<Element>: Sendable {
  let column: TraceTable.Column
  let value: @Sendable (TableSource, Element) -> TableValue

  init(
    _ name: String, _ type: ColumnType, _ meaning: String,
    _ value: @escaping @Sendable (TableSource, Element) -> TableValue
  ) {
    column = TraceTable.Column(name: name, type: type, meaning: meaning)
    self.value = value
  }
}

extension TraceTable {
  /// A table of one row for each element.
  /// - Parameters:
  ///   - sorted: the column in whose ascending order the elements stand.
  ///   - elements: of a trace; where `isCostly`, ``TableSource`` keeps them.
  init<Elements: RandomAccessCollection & SendableMetatype>(
    _ name: String, _ meaning: String, isCostly: Bool = false, sortedBy sorted: String? = nil,
    of elements: @escaping @Sendable (TableSource) -> Elements, _ columns: [ColumnOf<Elements.Element>]
  ) where Elements.Index == Int {
    self.name = name
    self.meaning = meaning
    self.isCostly = isCostly
    let all =
      [ColumnOf<Elements.Element>("trace", .text, "which trace") { source, _ in .text(source.hash) }] + columns
    self.columns = all.map(\.column)
    sortedColumn = sorted.flatMap { name in all.firstIndex { $0.column.name == name } }
    rows = { source in
      let found = elements(source)
      let first = found.startIndex
      return TableRows(count: found.count) { row, column in all[column].value(source, found[first + row]) }
    }
  }
}
