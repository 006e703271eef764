import Foundation
import OpTraceSQL
import OpTraceTables
import OpTraceText

/// Reads queries from a terminal, one after another. Each ends with a semicolon, so it may have several lines.
struct SQLPrompt {
  private let signals: SignalPipe

  /// - Parameter signals: they end a running query.
  init(_ signals: SignalPipe) { self.signals = signals }

  /// Runs until the input ends. If a query fails, its error is shown, and the next query is read.
  func run(_ answer: (String) throws -> Void) throws {
    Console.error(
      "tables: .schema   questions: .list, @name   a query ends with ;   Ctrl-C ends what runs   the end: .quit or Ctrl-D"
    )
    let editor = LineEditor(words: words)
    var query = ""
    while true {
      let line: String
      switch editor.line(prompt: query.isEmpty ? "sql> " : "...> ") {
      case .end: return
      case .interrupted:
        // Also drop the lines before it, because what is typed next is a new query.
        query = ""
        continue
      case .text(let text): line = text
      }
      let word = line.trimmingCharacters(in: .whitespaces)
      if query.isEmpty {
        if word.isEmpty { continue }
        if word == ".quit" || word == ".exit" { return }
        if word == ".schema" || word == ".list" || word == ".help" {
          try Output.standard.write(word == ".schema" ? SQLTexts.schema : try SQLTexts.questions(named: nil))
          continue
        }
      }
      query += query.isEmpty ? line : "\n" + line
      guard TraceDatabase.isComplete(query) || query.hasPrefix("@") else { continue }
      editor.remember(query)
      let asked = query.hasPrefix("@") ? query.trimmingCharacters(in: CharacterSet(charactersIn: "; \n")) : query
      query = ""
      // An earlier Ctrl-C was not meant for this query.
      while signals.take() != nil {}
      do {
        try answer(try SqlCommand.sql(asked))
      } catch let failure as Failure {
        Console.error("optrace: \(failure.message)")
      }
    }
  }

  /// The words for completion.
  private var words: [String] {
    let shown = TableSet.command
    let tables = shown.tables.map(\.name) + shown.views.map(\.name)
    let columns = Set(shown.tables.flatMap { $0.columns.map(\.name) })
    return (tables + columns + shown.questions.map { "@" + $0.name }).sorted()
  }
}
