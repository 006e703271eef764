import Foundation
import OpTraceText

/// Messages besides the result: warnings, errors, colours. Results go through ``Output``.
enum Console {
  static func error(_ text: String) {
    // Arguments, names and paths in a message must control neither the terminal nor the service that runs a job. A
    // message that cannot be shown must not hide the exit status.
    let shown = TerminalText.harmless(TerminalText.printableLines(text))
    let line = shown.hasSuffix("\n") ? shown : shown + "\n"
    _ = FileHandleWriter.writeAll(Array(line.utf8), to: Call.current.errors)
  }

  static func warning(_ text: String) { error("optrace: warning: \(text)") }
  /// Notes a consequence of what was asked for that the user should know.
  static func note(_ text: String) { error("optrace: note: \(text)") }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static var hasColour: Bool { Call.current.hasColour }

  /// Whether the terminal understands control sequences. An editor's (`TERM=dumb`) shows them as they are.
  static let movesCursor: Bool = {
    let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return !kind.isEmpty && kind != "dumb"
  }()

  /// Columns of the terminal that standard output or standard error is, or nil.
  static func columns(of descriptor: Int32 = Call.current.output) -> Int? {
    guard isTerminal(descriptor) else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Formats a part of a text for its role, by the terminal's "select graphic rendition" sequences.
  static func paint(_ role: TextStyle.Role, _ text: String) -> String {
    guard hasColour, !text.isEmpty else { return text }
    let codes =
      switch role {
      case .error: "31;1"
      case .warning: "33;1"
      case .note: "36;1"
      case .good: "32"
      case .strong: "1"
      case .faint: "2"
      }
    return "\u{1B}[\(codes)m\(text)\u{1B}[0m"
  }
}

/// Writes everything to a descriptor.
enum FileHandleWriter {
  /// Nil if everything was written, else the error number.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = write(descriptor, part.baseAddress, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN {
          var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&wanted, 1, -1)
          continue
        }
        return errno
      }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
  }
}

/// Turns the end of a reader (`optrace … | head`) into an error of the write, which ``Output`` handles silently.
enum ClosedPipes {
  /// Whether the signal was ignored when the command was called; programs that it runs are called in the same way. Set
  /// once, at the begin.
  nonisolated(unsafe) private(set) static var wereIgnored = false

  static func ignore() { wereIgnored = isIgnored(signal(SIGPIPE, SIG_IGN)) }
}

/// Ctrl-\ ends the command like any other. If Swift's runtime prints backtraces of crashes, it takes the signal for a
/// crash, prints one, and goes on.
enum Quitting {
  static func restore() {
    if !ignores(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
  }
}

/// Whether the process ignores a signal, as under `nohup`. Does not change the handler meanwhile, so that no signal is
/// lost.
func ignores(_ number: Int32) -> Bool {
  handler(of: number).map { $0 == unsafeBitCast(SIG_IGN, to: Int.self) } ?? true
}

/// Whether the signal still has its default handler.
func isDefault(_ number: Int32) -> Bool { handler(of: number) == unsafeBitCast(SIG_DFL, to: Int.self) }

/// A generic function, because the type of a signal's handler has another name on every system.
func isIgnored<Handler>(_ handler: Handler) -> Bool {
  unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// The handler as a number, because its type has another name on every system.
private func handler(of number: Int32) -> Int? {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return nil }
  #if canImport(Darwin)
    return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
  #else
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  #endif
}
