import CSQLite
package import OpTraceTables

/// A plain SQLite file with all tables and views, for whatever reads such files.
package enum SQLiteFile {
  /// Writes all rows of all traces. The file is new, or empty.
  ///
  /// - Parameters:
  ///   - tables: what is shown of them.
  ///   - path: as the system has it, which need not be UTF-8.
  /// Throws ``SQLError`` where it cannot be written.
  package static func write(
    _ sources: [TableSource], as tables: TableSet, to path: UnsafePointer<CChar>
  ) throws(SQLError) {
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    defer { sqlite3_close_v2(opened) }
    guard status == SQLITE_OK, let opened else {
      throw SQLError(.failed, String(cString: sqlite3_errstr(status)))
    }
    // All of it or nothing: a journal would only be thrown away with the file.
    try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", opened)
    for table in tables.tables {
      let columns = table.columns.map { "\"\($0.name)\" \($0.type.rawValue)" }.joined(separator: ", ")
      try run("CREATE TABLE \(table.name)(\(columns))", opened)
      try insert(table, sources, opened)
      if let sorted = table.sortedColumn, table.columns[sorted].name != "time" {
        try run(
          "CREATE INDEX \(table.name)_by_\(table.columns[sorted].name) ON \(table.name)(trace, \(table.columns[sorted].name))",
          opened)
      }
    }
    for view in tables.views { try run(view.statement(isTemporary: false), opened) }
    try run("COMMIT", opened)
  }

  private static func insert(
    _ table: TraceTable, _ sources: [TableSource], _ database: OpaquePointer
  ) throws(SQLError) {
    let placeholders = table.columns.map { _ in "?" }.joined(separator: ", ")
    var prepared: OpaquePointer?
    guard
      sqlite3_prepare_v2(database, "INSERT INTO \(table.name) VALUES (\(placeholders))", -1, &prepared, nil)
        == SQLITE_OK,
      let statement = prepared
    else { throw failure(database) }
    defer { sqlite3_finalize(statement) }
    for source in sources {
      let rows = table.rows(of: source)
      for row in 0..<rows.count {
        for column in table.columns.indices { bind(rows[row, column], Int32(column + 1), statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(database) }
        sqlite3_reset(statement)
      }
    }
  }

  private static func bind(_ value: TableValue, _ parameter: Int32, _ statement: OpaquePointer) {
    switch value {
    case .null: sqlite3_bind_null(statement, parameter)
    case .integer(let number): sqlite3_bind_int64(statement, parameter, number)
    case .real(let number): sqlite3_bind_double(statement, parameter, number)
    case .text(let text): sqlite3_bind_text(statement, parameter, text, Int32(clamping: text.utf8.count), transient)
    case .blob(let bytes): sqlite3_bind_blob(statement, parameter, bytes, Int32(clamping: bytes.count), transient)
    }
  }

  private static func run(_ statements: String, _ database: OpaquePointer) throws(SQLError) {
    guard sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK else { throw failure(database) }
  }

  private static func failure(_ database: OpaquePointer) -> SQLError {
    SQLError(.failed, String(cString: sqlite3_errmsg(database)))
  }
}

extension TableValue {
  /// Of the current row of a statement.
  init(_ statement: OpaquePointer, _ column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      // The bytes are the statement's until its next step: they are copied here.
      let text = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)))
    default: self = .null
    }
  }
}
