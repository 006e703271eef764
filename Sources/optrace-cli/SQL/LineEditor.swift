import CEdit
import Foundation

/// Reads lines from a terminal, with editing, a history of this session, and completion by the Tab key; uses libedit.
struct LineEditor {
  /// - Parameter words: the words for completion, sorted.
  init(words: [String]) {
    Completion.words = words
    // `@` is part of a question's name, and a column may have its table's name before it.
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
    /// Ctrl-C: the line was given up.
    case interrupted
    /// The input has ended.
    case end
  }

  func line(prompt: String) -> Line {
    Interrupt.hasCome = false
    let line = Interrupt.asKey { readline(prompt) }
    if Interrupt.hasCome {
      free(line)
      // Show it like the terminal itself does.
      _ = "^C\n".withCString { write(STDOUT_FILENO, $0, 3) }
      return .interrupted
    }
    guard let line else { return .end }
    defer { free(line) }
    return .text(String(cString: line))
  }

  func remember(_ text: String) { add_history(text.replacingOccurrences(of: "\n", with: " ")) }
}

/// Ctrl-C while a line is typed. It is read as a key, because on a signal libedit ends the process or does nothing.
private enum Interrupt {
  /// Used only by the thread that reads lines.
  nonisolated(unsafe) static var hasCome = false
  /// A byte that nobody can type, because UTF-8 never uses it.
  private static let unused: cc_t = 0xFE

  /// Runs `body` while the terminal raises no signal for Ctrl-C.
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

/// State for libedit's callback, which gets no context. Used only by the thread that reads lines.
private enum Completion {
  nonisolated(unsafe) static var words: [String] = []
  private nonisolated(unsafe) static var rest: [String] = []
  /// Never freed, because libedit keeps the address.
  nonisolated(unsafe) static let breaks = strdup(" \t\n\"'`;,.()=<>+-*/|&[]{}")

  /// The next match, in memory of its own, which libedit frees; nil: no more.
  static func next(_ text: UnsafePointer<CChar>?, _ state: Int32) -> UnsafeMutablePointer<CChar>? {
    if state == 0 {
      let begin = text.map { String(cString: $0) } ?? ""
      rest = words.filter { $0.hasPrefix(begin) }.reversed()
    }
    return rest.popLast().map { strdup($0) } ?? nil
  }
}
