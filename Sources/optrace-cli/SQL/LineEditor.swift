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
    optrace_interrupt_with { _, _ in
      Interrupt.hasCome = true
      optrace_end_line()
      return 0
    }
  }

  enum Line {
    case text(String)
    /// Ctrl-C: what was typed is given up.
    case interrupted
    /// The input is at its end.
    case end
  }

  func line(prompt: String) -> Line {
    Interrupt.hasCome = false
    let line = Interrupt.asKey { readline(prompt) }
    if Interrupt.hasCome {
      free(line)
      // As the terminal itself shows it.
      _ = "^C\n".withCString { write(STDOUT_FILENO, $0, 3) }
      return .interrupted
    }
    guard let line else { return .end }
    defer { free(line) }
    return .text(String(cString: line))
  }

  func remember(_ text: String) { add_history(text.replacingOccurrences(of: "\n", with: " ")) }
}

/// Ctrl-C while a line is typed: as a key, since of a signal libedit's reading ends the process, or nothing.
private enum Interrupt {
  /// Only the thread that reads lines comes here.
  nonisolated(unsafe) static var hasCome = false
  /// What nobody can type: no byte of UTF-8.
  private static let unused: cc_t = 0xFE

  /// Runs `body` with a terminal that makes no signal of Ctrl-C.
  static func asKey<Value>(_ body: () -> Value) -> Value {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return body() }
    var settings = before
    withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VINTR)] = unused }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &before) }
    return body()
  }
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
