#if CLI
  import CEdit
  import Foundation

  /// Lines typed at a terminal, with editing, a history of this session, and words that the Tab key completes: by libedit.
  struct LineEditor {
    /// - Parameter words: what can be completed, sorted.
    init(words: [String]) {
      Completion.words = words
      // `@` is a part of a question's name, and a table's name stands before its column's.
      optrace_complete_with(
        { text, _, _ in
          optrace_complete_nothing_else()
          return rl_completion_matches(text) { text, state in Completion.next(text, state) }
        }, Completion.breaks)
    }

    /// Nil: the input is at its end.
    func line(prompt: String) -> String? {
      guard let line = readline(prompt) else { return nil }
      defer { free(line) }
      return String(cString: line)
    }

    func remember(_ text: String) { add_history(text.replacingOccurrences(of: "\n", with: " ")) }
  }

  /// libedit calls back without telling whom. Only the thread that reads lines comes here.
  private enum Completion {
    nonisolated(unsafe) static var words: [String] = []
    private nonisolated(unsafe) static var rest: [String] = []
    /// For as long as the process runs, as libedit keeps the address.
    nonisolated(unsafe) static let breaks = strdup(" \t\n\"'`;,.()=<>+-*/|&[]{}")

    /// One match after the other, each in memory of its own, which libedit frees; nil: no more.
    static func next(_ text: UnsafePointer<CChar>?, _ state: Int32) -> UnsafeMutablePointer<CChar>? {
      if state == 0 {
        let begin = text.map { String(cString: $0) } ?? ""
        rest = words.filter { $0.hasPrefix(begin) }.reversed()
      }
      return rest.popLast().map { strdup($0) } ?? nil
    }
  }
#endif
