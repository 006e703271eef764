import Foundation
import OpTraceSQL
import OpTraceTables
import OpTraceText

/// Queries typed at a terminal, one after the other: each ends with a semicolon, so that it may have several lines.
struct SQLPrompt {
  private let signals: SignalPipe

  /// - Parameter signals: what ends a query that runs.
  init(_ signals: SignalPipe) { self.signals = signals }

  /// Until the input ends. A query that fails is told, and the next one is asked for.
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
        // Of the lines before it, too: what is typed next is a query of its own.
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
      // Ctrl-C of before was not for this one.
      while signals.take() != nil {}
      do {
        try answer(try SqlCommand.sql(asked))
      } catch let failure as Failure {
        Console.error("optrace: \(failure.message)")
      }
    }
  }

  /// What can be completed.
  private var words: [String] {
    let tables = TraceTable.all.map(\.name) + TraceView.all.map(\.name)
    let columns = Set(TraceTable.all.flatMap { $0.columns.map(\.name) })
    return (tables + columns + Question.all.map { "@" + $0.name }).sorted()
  }
}
