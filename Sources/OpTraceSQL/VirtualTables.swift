import CSQLite
import OpTraceTables

// SQLite asks for tables through C functions and structures that it has us make. All of that is here: it knows objects of ours as
// pointers, which are retained where a pointer is handed over and released where SQLite says that it is done with it.

/// What SQLite knows as one table: the same table of several traces, one after the other.
final class VirtualTable {
  let table: TraceTable
  let sources: [TableSource]
  private let declaration: Declaration
  private var rows: [TableRows?]
  private let areSorted: Bool

  init(_ table: TraceTable, _ sources: [TableSource], _ declaration: Declaration) {
    (self.table, self.sources, self.declaration) = (table, sources, declaration)
    rows = [TableRows?](repeating: nil, count: sources.count)
    areSorted = zip(sources, sources.dropFirst()).allSatisfy { $0.hash < $1.hash }
  }

  /// Found when they are first asked for.
  func rows(of source: Int) -> TableRows {
    if let known = rows[source] { return known }
    let found = table.rows(of: sources[source])
    rows[source] = found
    return found
  }

  /// Costly tables are not built in order to be counted.
  var estimatedCount: Int {
    table.isCostly ? 10_000 : sources.indices.reduce(0) { $0 + rows(of: $1).count }
  }

  /// Tells SQLite the columns, when a query first names the table.
  func declare(in database: OpaquePointer?) -> Int32 {
    let columns = table.columns.map { "\"\($0.name)\" \($0.type.rawValue)" }.joined(separator: ", ")
    declaration.isUnderWay = true
    defer { declaration.isUnderWay = false }
    return sqlite3_declare_vtab(database, "CREATE TABLE \(table.name)(\(columns))")
  }

  /// So that queries know the table by its name.
  func register(in database: OpaquePointer) -> Int32 {
    sqlite3_create_module_v2(
      database, table.name, &VirtualTable.module, Unmanaged.passRetained(self).toOpaque(),
      { if let pointer = $0 { Unmanaged<VirtualTable>.fromOpaque(pointer).release() } })
  }
}

/// Whether a table is being declared: SQLite asks for leave to create it, as if a query would.
final class Declaration {
  var isUnderWay = false
}

/// The position of a query in a table.
private final class Cursor {
  let table: VirtualTable
  var source = 0
  var rows: TableRows?
  var row = 0
  var end = 0
  /// Bounds of the sorted column; both within.
  var least: Int64?
  var most: Int64?

  init(_ table: VirtualTable) { self.table = table }

  /// - Parameter values: those of `bounds`, in the order of their bits.
  func begin(_ bounds: Bounds, _ values: UnsafeBufferPointer<OpaquePointer?>) {
    var next = values.makeIterator()
    var isNothing = false
    // SQLite checks each row again: a bound that is no whole number bounds nothing here. Null is like nothing.
    func value() -> Int64? {
      guard let value = next.next() ?? nil else { return nil }
      let type = sqlite3_value_type(value)
      if type == SQLITE_NULL { isNothing = true }
      return type == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }
    (least, most) = (nil, nil)
    if bounds.contains(.equal) {
      let equal = value()
      (least, most) = (equal, equal)
    }
    if bounds.contains(.least) { least = value() }
    if bounds.contains(.most) { most = value() }
    source = isNothing ? table.sources.count : -1
    if !isNothing { nextSource() }
  }

  func step() {
    row += 1
    if row >= end { nextSource() }
  }

  var isOver: Bool { source >= table.sources.count }

  private func nextSource() {
    repeat {
      source += 1
      guard source < table.sources.count else { return }
      let found = table.rows(of: source)
      rows = found
      row = least.map { bound in first(found) { $0 >= bound } } ?? 0
      end = most.map { bound in first(found) { $0 > bound } } ?? found.count
    } while row >= end
  }

  /// The first row whose sorted column `accepts`; the column ascends. O(log rows).
  private func first(_ rows: TableRows, _ accepts: (Int64) -> Bool) -> Int {
    guard let column = table.table.sortedColumn else { return 0 }
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      guard case .integer(let value) = rows[middle, column] else { return 0 }
      if accepts(value) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// SQLite's own part comes first: a pointer to the whole is one to that.
private struct TableHandle {
  var base = sqlite3_vtab()
  var table: Unmanaged<VirtualTable>
}

private struct CursorHandle {
  var base = sqlite3_vtab_cursor()
  var cursor: Unmanaged<Cursor>
}

private func table(_ pointer: UnsafeMutablePointer<sqlite3_vtab>?) -> VirtualTable? {
  guard let pointer else { return nil }
  return UnsafeRawPointer(pointer).assumingMemoryBound(to: TableHandle.self).pointee.table.takeUnretainedValue()
}

private func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Cursor? {
  guard let pointer else { return nil }
  return UnsafeRawPointer(pointer).assumingMemoryBound(to: CursorHandle.self).pointee.cursor.takeUnretainedValue()
}

/// What `xBestIndex` passes to `xFilter`: which bounds come, in this order.
private struct Bounds: OptionSet {
  let rawValue: Int32
  static let equal = Bounds(rawValue: 1)
  static let least = Bounds(rawValue: 2)
  static let most = Bounds(rawValue: 4)
}

extension VirtualTable {
  /// SQLite keeps its address for as long as a database is open, and reads it from any thread; nobody writes it.
  nonisolated(unsafe) fileprivate static var module: sqlite3_module = {
    var module = sqlite3_module()
    // Without `xCreate` a table is there as soon as its module is.
    module.xConnect = { database, module, _, _, result, _ in
      guard let module, let result else { return SQLITE_MISUSE }
      let table = Unmanaged<VirtualTable>.fromOpaque(module)
      let status = table.takeUnretainedValue().declare(in: database)
      guard status == SQLITE_OK else { return status }
      let handle = UnsafeMutablePointer<TableHandle>.allocate(capacity: 1)
      handle.initialize(to: TableHandle(table: table.retain()))
      result.pointee = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { pointer in
      guard let pointer else { return SQLITE_OK }
      let handle = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TableHandle.self)
      handle.pointee.table.release()
      handle.deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { pointer, info in
      if let info { OpTraceSQL.table(pointer)?.plan(&info.pointee) }
      return SQLITE_OK
    }
    module.xOpen = { pointer, result in
      guard let table = OpTraceSQL.table(pointer), let result else { return SQLITE_MISUSE }
      let handle = UnsafeMutablePointer<CursorHandle>.allocate(capacity: 1)
      handle.initialize(to: CursorHandle(cursor: .passRetained(Cursor(table))))
      result.pointee = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { pointer in
      guard let pointer else { return SQLITE_OK }
      let handle = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: CursorHandle.self)
      handle.pointee.cursor.release()
      handle.deallocate()
      return SQLITE_OK
    }
    module.xFilter = { pointer, number, _, count, values in
      OpTraceSQL.cursor(pointer)?.begin(Bounds(rawValue: number), UnsafeBufferPointer(start: values, count: Int(count)))
      return SQLITE_OK
    }
    module.xNext = { pointer in
      OpTraceSQL.cursor(pointer)?.step()
      return SQLITE_OK
    }
    module.xEof = { OpTraceSQL.cursor($0)?.isOver == false ? 0 : 1 }
    module.xColumn = { pointer, context, column in
      guard let cursor = OpTraceSQL.cursor(pointer), let rows = cursor.rows,
        cursor.table.table.columns.indices.contains(Int(column))
      else { return SQLITE_OK }
      give(rows[cursor.row, Int(column)], to: context)
      return SQLITE_OK
    }
    module.xRowid = { pointer, result in
      if let cursor = OpTraceSQL.cursor(pointer) { result?.pointee = Int64(cursor.source) << 40 | Int64(cursor.row) }
      return SQLITE_OK
    }
    return module
  }()

  /// Chooses the bounds that this table finds at once, and says what that costs.
  private func plan(_ info: inout sqlite3_index_info) {
    let count = Double(max(1, estimatedCount))
    var used: [(bound: Bounds, constraint: Int)] = []
    for number in 0..<Int(info.nConstraint) {
      let constraint = info.aConstraint[number]
      guard constraint.usable != 0, Int(constraint.iColumn) == table.sortedColumn else { continue }
      let bound: Bounds
      switch Int32(constraint.op) {
      case SQLITE_INDEX_CONSTRAINT_EQ: bound = .equal
      case SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_GE: bound = .least
      case SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE: bound = .most
      default: continue
      }
      if !used.contains(where: { $0.bound == bound }) { used.append((bound, number)) }
    }
    if let equal = used.first(where: { $0.bound == .equal }) { used = [equal] }
    used.sort { $0.bound.rawValue < $1.bound.rawValue }
    for (index, one) in used.enumerated() { info.aConstraintUsage[one.constraint].argvIndex = Int32(index + 1) }
    info.idxNum = used.reduce(0) { $0 | $1.bound.rawValue }
    let share = used.first?.bound == .equal ? min(1, 4 / count) : used.reduce(1.0) { share, _ in share / 4 }
    info.estimatedRows = Int64(max(1, count * share))
    info.estimatedCost = max(1, count * share) + 10
    if comesInOrder((0..<Int(info.nOrderBy)).map { info.aOrderBy[$0] }) { info.orderByConsumed = 1 }
  }

  /// Rows come by trace, in the order of these, and within a trace by the sorted column: what a query sorts or groups so, SQLite need
  /// not sort.
  private func comesInOrder(_ order: [sqlite3_index_orderby]) -> Bool {
    guard !order.isEmpty, order.allSatisfy({ $0.desc == 0 }) else { return false }
    var columns = order.map { Int($0.iColumn) }
    let isOneTrace = sources.count == 1
    if columns.first == 0, isOneTrace || areSorted {
      columns.removeFirst()
    } else if !isOneTrace {
      return false
    }
    return columns.isEmpty || columns == [table.sortedColumn]
  }
}

/// Tells SQLite to copy a text before it goes.
let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A function's or a cell's value.
func give(_ value: TableValue, to context: OpaquePointer?) {
  switch value {
  case .null: sqlite3_result_null(context)
  case .integer(let number): sqlite3_result_int64(context, number)
  case .real(let number): sqlite3_result_double(context, number)
  case .blob(let bytes):
    bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient) }
  case .text(var text):
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_result_text64(context, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
      }
    }
    // An empty text has no address, which would be NULL.
    if text.isEmpty { sqlite3_result_text64(context, "", 0, transient, UInt8(SQLITE_UTF8)) }
  }
}
