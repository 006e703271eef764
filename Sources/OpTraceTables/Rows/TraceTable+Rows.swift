extension TraceTable {
  /// All rows of one trace. O(cells). Throws what the writer throws.
  ///
  /// - Parameter withTrace: false leaves the first column out, where the file's path tells it.
  public func write(_ rows: TableRows, withTrace: Bool, to writer: inout some RowWriter) throws {
    let first = withTrace ? 0 : 1
    try writer.begin(columns[first...].map(\.name))
    var values = [TableValue](repeating: .null, count: columns.count - first)
    for row in 0..<rows.count {
      for column in first..<columns.count { values[column - first] = rows[row, column] }
      try writer.row(values)
    }
    try writer.end()
  }
}
