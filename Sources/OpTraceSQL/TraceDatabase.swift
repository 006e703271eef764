import CSQLite
package import OpTraceTables

/// Traces as a database that can be asked in SQLite's SQL, and not written. Nothing is imported: tables are read from the traces
/// as queries go through them.
package final class TraceDatabase {
  private let database: OpaquePointer
  /// What a query may take; checked now and then. SQLite's clock of monotonic time is ours.
  private var deadline: ContinuousClock.Instant?
  /// Whether somebody wants the query to end.
  private var isOver: (() -> Bool)?
  private var wasRefused = false
  fileprivate let declaration = Declaration()

  /// O(1): costly tables are built when a query names them.
  /// - Parameter tables: what is shown of the traces.
  package init(_ sources: [TableSource], as tables: TableSet) throws(SQLError) {
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(
      ":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw SQLError(.failed, "SQLite could not begin: \(String(cString: sqlite3_errstr(status)))")
    }
    database = opened
    try check(optrace_take_no_quoted_names_for_texts(database))
    for table in tables.tables { try check(VirtualTable(table, sources, declaration).register(in: database)) }
    try check(Functions.register(in: database))
    for view in tables.views { try check(sqlite3_exec(database, view.statement(isTemporary: true), nil, nil, nil)) }
    // From here on nothing but reading. SQLite calls back only while this object is in one of its functions.
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_set_authorizer(database, { own, action, one, other, _, _ in authorize(own, action, one, other) }, own)
    sqlite3_progress_handler(
      database, 20_000,
      { $0.map { Unmanaged<TraceDatabase>.fromOpaque($0).takeUnretainedValue().hasToEnd } == true ? 1 : 0 }, own)
  }

  deinit { sqlite3_close_v2(database) }

  /// Whether a query is at its end: a semicolon outside text and comments.
  package static func isComplete(_ query: String) -> Bool { sqlite3_complete(query) != 0 }

  /// The names of what queries may call besides SQLite's own functions.
  package static let functions = Functions.names

  private var isLate: Bool { deadline.map { ContinuousClock.now > $0 } ?? false }
  private var hasToEnd: Bool { isLate || isOver?() == true }

  fileprivate func refuse() { wasRefused = true }

  /// Runs one query. Rows come as they are found, so that a result needs no room.
  ///
  /// - Parameters:
  ///   - timeout: seconds that it may take; nil: as many as it takes.
  ///   - isOver: asked now and then, on the caller's thread; true ends the query.
  ///   - columns: called once, before the first row, with the names of the result's columns.
  ///   - row: called for each row.
  /// Throws ``SQLError``, or what `columns` and `row` throw.
  package func run(
    _ query: String, timeout: Double? = nil, isOver: (() -> Bool)? = nil, columns: ([String]) throws -> Void,
    row: ([TableValue]) throws -> Void
  ) throws {
    deadline = timeout.map { ContinuousClock.now.advanced(by: .seconds($0)) }
    self.isOver = isOver
    defer { (deadline, self.isOver) = (nil, nil) }
    guard let statement = try prepare(query) else { throw SQLError(.query, "there is no query") }
    defer { sqlite3_finalize(statement) }
    let count = sqlite3_column_count(statement)
    try columns((0..<count).map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" })
    while true {
      switch sqlite3_step(statement) {
      // A table that was long in the making is no step of SQLite's.
      case SQLITE_ROW where isLate: throw SQLError.timeout
      case SQLITE_ROW: try row((0..<count).map { TableValue(statement, $0) })
      case SQLITE_DONE: return
      default: throw error()
      }
    }
  }

  /// Nil: nothing but blanks and comments.
  private func prepare(_ query: String) throws(SQLError) -> OpaquePointer? {
    wasRefused = false
    var statement: OpaquePointer?
    var rest = 0
    var text = query
    let status = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let status = sqlite3_prepare_v2(
          database, characters.baseAddress, Int32(clamping: characters.count), &statement, &tail)
        if let tail, let start = characters.baseAddress { rest = tail - start }
        return status
      }
    }
    guard status == SQLITE_OK else { throw error() }
    let behind = query.utf8.dropFirst(rest)
    // A second query would go unheard. SQLite itself reports what is no query.
    if let statement, rest < query.utf8.count, try hasStatement(String(decoding: behind, as: UTF8.self)) {
      sqlite3_finalize(statement)
      throw SQLError(.query, "one query at a time: another begins behind the first", offset: rest)
    }
    return statement
  }

  private func hasStatement(_ text: String) throws(SQLError) -> Bool {
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v2(database, text, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    return status != SQLITE_OK || statement != nil
  }

  private func check(_ status: Int32) throws(SQLError) {
    if status != SQLITE_OK { throw error() }
  }

  private func error() -> SQLError {
    let code = sqlite3_errcode(database)
    let message = String(cString: sqlite3_errmsg(database))
    let offset = Int(sqlite3_error_offset(database))
    // Tables of our kind are no tables to write to, and say so themselves.
    if wasRefused || code == SQLITE_READONLY || message.hasSuffix(" may not be modified") {
      return SQLError(.readOnly, "a trace is only read here: no query may change anything")
    }
    switch code {
    case SQLITE_INTERRUPT: return isLate ? .timeout : .interrupted
    case SQLITE_ERROR, SQLITE_AUTH, SQLITE_RANGE, SQLITE_TOOBIG, SQLITE_MISMATCH:
      return SQLError(.query, message, offset: offset < 0 ? nil : offset)
    default: return SQLError(.failed, message)
    }
  }
}

/// Reading, and nothing else.
private func authorize(
  _ own: UnsafeMutableRawPointer?, _ action: Int32, _ one: UnsafePointer<CChar>?, _ other: UnsafePointer<CChar>?
) -> Int32 {
  let database = own.map { Unmanaged<TraceDatabase>.fromOpaque($0).takeUnretainedValue() }
  if database?.declaration.isUnderWay == true { return SQLITE_OK }
  switch action {
  case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
  case SQLITE_FUNCTION:
    if let other, String(cString: other).lowercased() == "load_extension" { break }
    return SQLITE_OK
  case SQLITE_PRAGMA:
    let known = ["table_info", "table_xinfo", "table_list", "function_list", "compile_options", "database_list"]
    if let one, known.contains(String(cString: one).lowercased()) { return SQLITE_OK }
  default: break
  }
  database?.refuse()
  return SQLITE_DENY
}
