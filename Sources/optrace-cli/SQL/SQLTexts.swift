import OpTraceSQL
import OpTraceTables
import OpTraceText

/// The texts of `optrace sql` besides answers.
enum SQLTexts {
  private static let shown = TableSet.command

  /// All built-in questions, or the SQL of the one with this name, with or without its `@`.
  static func questions(named name: String?) throws -> String {
    guard let name else {
      let width = shown.questions.map(\.name.count).max() ?? 0
      return shown.questions.map { question in
        let blanks = String(repeating: " ", count: width - question.name.count)
        return "@\(question.name)\(blanks)  \(question.text)\n"
      }.joined()
    }
    return try SqlCommand.sql(name.hasPrefix("@") ? name : "@" + name) + "\n"
  }

  static var schema: String {
    var text = ""
    for table in shown.tables {
      text += "\(table.name)  \(table.meaning)\n"
      let width = table.columns.map(\.name.count).max() ?? 0
      for column in table.columns {
        let blanks = String(repeating: " ", count: width - column.name.count)
        let type = column.type.rawValue
        let more = String(repeating: " ", count: "integer".count - type.count)
        text += "  \(column.name)\(blanks)  \(type)\(more)  \(column.meaning)\n"
      }
      text += "\n"
    }
    for view in shown.views { text += "\(view.name)  \(view.meaning) (a view)\n" }
    return text
  }

  /// SQLite functions that are often mistyped.
  private static let common = [
    "abs", "avg", "char", "coalesce", "count", "date", "datetime", "dense_rank", "first_value", "format", "glob",
    "group_concat", "hex", "ifnull", "iif", "instr", "lag", "last_value", "lead", "length", "like", "lower", "ltrim",
    "max", "min", "ntile", "nullif", "percent_rank", "printf", "quote", "random", "rank", "replace", "round",
    "row_number", "rtrim", "sign", "strftime", "substr", "sum", "total", "trim", "typeof", "unicode", "upper",
  ]

  /// SQLite's message, the query with a mark, and names similar to one that does not exist.
  static func failure(_ error: SQLError, in query: String) -> Failure {
    var message = printable(error.message)
    if let name = error.unknownName {
      let isFunction = error.message.hasPrefix("no such function")
      var names = Set(
        isFunction ? TraceDatabase.functions + common : shown.tables.map(\.name) + shown.views.map(\.name))
      if !isFunction, !error.message.hasPrefix("no such table") {
        names.formUnion(shown.tables.flatMap { $0.columns.map(\.name) })
      }
      // A column of another table is no suggestion.
      names.remove(name)
      if let hint = Suggestion.text(for: name, among: names) { message += "; \(hint)" }
    }
    if let offset = error.offset { message += "\n" + marker(offset, in: query) }
    switch error.reason {
    case .query, .readOnly: return .usage(message)
    case .timeout, .interrupted: return Failure(message: message, status: .foundError)
    case .failed: return Failure(message: message, status: .cannotWrite)
    }
  }

  /// The line of the query, and below it a mark under the error.
  private static func marker(_ offset: Int, in query: String) -> String {
    let bytes = Array(query.utf8)
    let at = min(max(0, offset), bytes.count)
    let begin = bytes[..<at].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    let before = printable(String(decoding: bytes[begin..<at], as: UTF8.self))
    let line = before + printable(String(decoding: bytes[at..<end], as: UTF8.self))
    return "  \(line)\n  " + String(repeating: " ", count: TerminalText.columns(of: before)) + "^"
  }
}
