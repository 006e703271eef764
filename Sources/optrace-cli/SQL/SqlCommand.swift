import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceSQL
import OpTraceTables
import OpTraceText

struct SqlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Query a trace with SQL.",
    discussion: """
      The dialect is SQLite's, plus p50(x) to p999(x) and name_pattern(x). Nothing is imported and nothing can \
      be written. Times are nanoseconds since the trace's start, durations nanoseconds. A query that begins with '@' is \
      one of those that --list shows; without one it is read from standard input, at a terminal line by line.

      Exit status: 64 where a query cannot be understood, 1 where it took longer than --timeout; else as for all \
      commands. Documentation/data.md shows the tables.

      Example: optrace sql run.optrace 'SELECT class, p99(wait_slot) FROM operations GROUP BY class'
      """)

  @Argument(help: TraceInput.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var trace: String?

  @Argument(help: ArgumentHelp("The query, or '@' and the name of a built-in one.", valueName: "query"))
  var query: String?

  @Flag(help: "Write one array of objects, with null for NULL.")
  var json = false

  @Flag(help: "Write comma-separated values (RFC 4180) with a header.")
  var csv = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("Write all tables into a SQLite file of this name.", valueName: "file"), completion: .file())
  var db: String?

  @Option(help: ArgumentHelp("End a query that takes longer.", valueName: "seconds"))
  var timeout: Double?

  @Flag(help: "Show the built-in queries; with '@name' its SQL.")
  var list = false

  @Flag(help: "Show the tables, their columns and what these mean.")
  var schema = false

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if json, csv { throw ValidationError("--json and --csv cannot be combined.") }
    if let timeout, !(timeout > 0 && timeout <= 1e9) {
      throw ValidationError("--timeout is a number of seconds above 0.")
    }
    if list || schema {
      if list, schema { throw ValidationError("--list and --schema cannot be combined.") }
      return
    }
    guard let trace else { throw ValidationError("Missing a trace: optrace sql TRACE [QUERY].") }
    if db != nil, query != nil { throw ValidationError("--db writes all tables: omit the query.") }
    if db == nil, query == nil, trace == "-" {
      throw ValidationError("The trace comes from standard input, so the query must be an argument.")
    }
  }

  func run() throws {
    if list { return try Output(path: output).write(SQLTexts.questions(named: query ?? listedQuestion)) }
    if schema { return try Output(path: output).write(SQLTexts.schema) }
    let input = TraceInput(path: trace ?? "", limit: limit)
    // Report an error in the query before a long trace is read.
    let given = try query.map(Self.sql)
    if let db {
      let output = try input.output(db)
      let read = try input.read()
      try output.writeNamed { try Self.writeFile(TableSource(read.trace), db, $0) }
      return try read.end()
    }
    let output = try input.output(self.output)
    let isTerminal = Console.isTerminal(Call.current.input)
    let text = try given ?? (isTerminal ? nil : Self.sql(Self.standardInput()))
    let read = try input.read()
    let asked = AskedTrace(read.trace, timeout: timeout)
    if let text {
      try answer(text, asked, to: output)
    } else {
      // Ctrl-C ends the query, not the command.
      let signals = SignalPipe([SIGINT])
      try SQLPrompt(signals).run { try answer($0, asked, endedBy: signals, to: output) }
    }
    try read.end()
  }

  /// With `--list`, the name of a question that was given in place of the trace, unless it is a trace: questions are
  /// the same for every trace.
  private var listedQuestion: String? {
    trace.flatMap { $0.hasPrefix("@") || TableSet.command.question(named: $0) != nil ? $0 : nil }
  }

  private func answer(
    _ query: String, _ asked: AskedTrace, endedBy signals: SignalPipe? = nil, to output: Output
  ) throws {
    try output.write { sink in
      // The closure is not kept beyond this call.
      try withoutActuallyEscaping(sink) { sink in
        if json {
          try run(query, asked, signals, JSONRows(sink))
        } else if csv {
          try run(query, asked, signals, CSVRows(sink))
        } else {
          try run(query, asked, signals, AlignedRows(sink, style: output.style))
        }
      }
    }
  }

  private func run(
    _ query: String, _ asked: AskedTrace, _ signals: SignalPipe?, _ rows: some RowWriter
  ) throws {
    var rows = rows
    do {
      try asked.run(query, endedBy: signals, columns: { try rows.begin($0) }, row: { try rows.row($0) })
    } catch let error as SQLError {
      throw SQLTexts.failure(error, in: query)
    }
    try rows.end()
  }

  private static func writeFile(_ source: TableSource, _ name: String, _ path: UnsafePointer<CChar>) throws {
    do {
      try withProgress("writing '\(printable(name))'") { try SQLiteFile.write([source], as: .command, to: path) }
    } catch let error as SQLError {
      throw Failure.cannotWrite(name, printable(error.message))
    }
  }

  /// The query as given, or the SQL of a built-in question.
  static func sql(_ text: String) throws -> String {
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard word.hasPrefix("@") else { return text }
    let name = String(word.dropFirst())
    guard let question = TableSet.command.question(named: name) else {
      let hint =
        Suggestion.text(for: name, among: Set(TableSet.command.questions.map(\.name)))
        ?? "'optrace sql --list' shows them"
      throw Failure.usage("there is no question '@\(printable(name))': \(hint)")
    }
    return question.query
  }

  private static func standardInput() throws -> String {
    String(decoding: try FileHandle(fileDescriptor: Call.current.input).readToEnd() ?? Data(), as: UTF8.self)
  }
}
