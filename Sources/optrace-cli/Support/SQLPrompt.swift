#if CLI
  import Foundation
  import OpTraceSQL
  import OpTraceTables
  import OpTraceText

  /// Queries typed at a terminal, one after the other: each ends with a semicolon, so that it may have several lines.
  struct SQLPrompt {
    private let database: TraceDatabase
    private let timeout: Double?

    init(_ database: TraceDatabase, timeout: Double?) { (self.database, self.timeout) = (database, timeout) }

    /// Until the input ends. A query that fails is told, and the next one is asked for.
    func run(_ answer: (String) throws -> Void) throws {
      Console.error("tables: .schema   questions: .list, @name   the end: .quit or Ctrl-D   a query ends with ;")
      let editor = LineEditor(words: words)
      var query = ""
      while let line = editor.line(prompt: query.isEmpty ? "sql> " : "...> ") {
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
        guard word.hasSuffix(";") || query.hasPrefix("@") else { continue }
        editor.remember(query)
        let asked = query.hasPrefix("@") ? query.trimmingCharacters(in: CharacterSet(charactersIn: "; \n")) : query
        query = ""
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
#endif
