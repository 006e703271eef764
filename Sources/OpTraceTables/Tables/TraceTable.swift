package import OpTraceModel

/// A table over a trace, as SQL, Parquet, CSV and other databases have it: every format is written from these.
package struct TraceTable: Sendable {
  /// A column of a table.
  package struct Column: Sendable, Hashable {
    /// Letters and underscores.
    package let name: String
    /// What its values are.
    package let type: ColumnType
    /// What it shows, in a few words.
    package let meaning: String
  }

  /// Its name in queries.
  package let name: String
  /// What its rows are, in a few words.
  package let meaning: String
  /// The first is `trace`: which trace the row is of.
  package let columns: [Column]
  /// Finding its rows takes an analysis of the whole trace: it is built only where it is named.
  package let isCostly: Bool
  /// Its rows have the columns `id` or `operation` in ascending order, by which they are found at once; nil: they do not.
  package let sortedColumn: Int?
  /// Columns that tell the rows of one trace apart.
  package let key: [String]
  /// Several rows may have the same ``key``, such as those of one moment: then their order tells them apart.
  package let isNumbered: Bool
  private let rows: @Sendable (TableSource) -> TableRows

  /// The rows of one trace. O(1) where the table is not costly.
  package func rows(of source: TableSource) -> TableRows { rows(source) }

  /// The index of a column, or nil. O(columns).
  package func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }
}

/// The rows of a table in one trace.
package struct TableRows {
  /// How many.
  package let count: Int
  private let value: (Int, Int) -> TableValue

  init(count: Int, value: @escaping (Int, Int) -> TableValue) { (self.count, self.value) = (count, value) }

  /// A cell, by row and column. O(1).
  package subscript(row: Int, column: Int) -> TableValue { value(row, column) }
}

/// How a table makes a column of one of its elements.
package struct ColumnOf<Element>: Sendable {
  let column: TraceTable.Column
  let value: @Sendable (TableSource, Element) -> TableValue

  /// - Parameters: the column's name, its type, what it shows, and how that is made of an element.
  package init(
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
  ///   - sorted: the column by which the elements are sorted, ascending.
  ///   - key: columns that tell the rows of one trace apart.
  ///   - isNumbered: several rows may have the same key.
  ///   - elements: of a trace; ``TableSource`` keeps them.
  package init<Elements: RandomAccessCollection & SendableMetatype>(
    _ name: String, _ meaning: String, isCostly: Bool = false, sortedBy sorted: String? = nil,
    key: [String] = ["id"], isNumbered: Bool = false, of elements: @escaping @Sendable (TableSource) -> Elements,
    _ columns: [ColumnOf<Elements.Element>]
  ) where Elements.Index == Int {
    self.name = name
    self.meaning = meaning
    self.isCostly = isCostly
    self.key = key
    self.isNumbered = isNumbered
    let all =
      [
        ColumnOf<Elements.Element>("trace", .text, "the trace's hash, the same in all tables") { source, _ in
          .text(source.hash)
        }
      ] + columns
    self.columns = all.map(\.column)
    sortedColumn = sorted.flatMap { name in all.firstIndex { $0.column.name == name } }
    let kept = TableFacts(elements)
    rows = { source in
      let found = source[kept]
      let first = found.startIndex
      return TableRows(count: found.count) { row, column in all[column].value(source, found[first + row]) }
    }
  }
}

/// The value of a cell. Times are nanoseconds since the trace's start, durations nanoseconds.
package enum TableValue: Sendable, Hashable {
  /// Nothing: it did not happen, or is not known.
  case null
  /// A whole number, a time, a duration, or 1 and 0 of what is or is not.
  case integer(Int64)
  /// Any other number.
  case real(Double)
  /// A name or a word.
  case text(String)
  /// Bytes that are no text: only what a query makes of them, no table has any.
  case blob([UInt8])

  /// Null for nil; as near as 64 bits come.
  package init(_ value: (some BinaryInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }
  package init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  /// 1 or 0.
  package init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
  package init(_ value: Stamp?) { self.init(value?.time) }
  package init(_ value: WorkID?) { self.init(value?.rawValue) }
  package init(_ value: QueueID?) { self.init(value?.rawValue) }
  package init(_ value: DispatchQueueID?) { self.init(value?.rawValue) }
  package init(_ value: ThreadID?) { self.init(value?.rawValue) }
  package init(_ value: SpanID?) { self.init(value?.rawValue) }
  package init(_ value: FrameID?) { self.init(value?.rawValue) }
}

/// A column's kind of values, the same in all formats.
package enum ColumnType: String, Sendable, CaseIterable {
  /// 64 bits with a sign.
  case integer
  /// 64 bits.
  case real
  /// UTF-8. Invalid bytes become U+FFFD.
  case text
}
