import CSQLite
import OpTraceTables

extension TableValue {
  /// Of the row that a statement stands at.
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
