import Foundation
import OpTraceModel

/// The terminal while `optrace top` uses it: its alternate screen, its keys one by one, and the signals that concern it. However the
/// command ends, the terminal is restored.
final class TopTerminal {
  enum Key: Equatable {
    case up, down, enter, escape, delete
    case text(Character)
  }

  enum Event: Equatable {
    /// The time is up.
    case time
    case key(Key)
    /// Its size may have changed, or another program has used it: everything has to be drawn again.
    case redraw
    /// A signal asks for the end, or the terminal is gone.
    case end
    /// The other descriptor can be read.
    case other
  }

  private let output = STDOUT_FILENO
  /// `/dev/tty`, if it had to be opened.
  private let opened: OwnedDescriptor?
  /// Where keys come from; nil: from nowhere.
  private let input: Int32?
  /// The settings to restore; nil: keys come from no terminal.
  private var before: termios?
  private let signals: SignalPipe
  private var keys: [UInt8] = []
  private var isEntered = false

  init() {
    // If a trace comes through standard input, keys come from the terminal itself, as a pager's do.
    let isInputTerminal = Console.isTerminal(STDIN_FILENO)
    let terminal = isInputTerminal ? -1 : open("/dev/tty", O_RDWR | O_CLOEXEC)
    opened = OwnedDescriptor(terminal)
    input = isInputTerminal ? STDIN_FILENO : terminal >= 0 ? terminal : nil
    // A background process may restore the terminal, too.
    var output = sigset_t()
    sigemptyset(&output)
    sigaddset(&output, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &output, nil)
    signals = SignalPipe([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])
    enter()
  }

  /// Whether the terminal is ours, and not the shell's or another job's at the moment.
  private var isForeground: Bool {
    let group = tcgetpgrp(output)
    return group < 0 || group == getpgrp()
  }

  /// Takes the terminal, unless we are in the background.
  private func enter() {
    guard isForeground else { return }
    if let input {
      var mode = termios()
      if tcgetattr(input, &mode) == 0 {
        if before == nil { before = mode }
        // Ctrl-C and Ctrl-Z stay signals.
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(input, TCSADRAIN, &mode)
      }
    }
    isEntered = true
    // The alternate screen, no cursor, and lines that are cut at the edge.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
  }

  /// Restores the terminal. The second call does nothing.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    if let input, var before { tcsetattr(input, TCSADRAIN, &before) }
  }

  deinit { leave() }

  /// Columns and rows at the moment.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows these lines from the first row on, in one write. The screen is not cleared before, so nothing flickers.
  func draw(_ lines: [String]) {
    if !isEntered { enter() }
    guard isEntered else { return }
    // Synchronized output: terminals that support it show everything at once.
    var text = "\u{1B}[?2026h"
    // Each row is erased before it is drawn: afterwards, a line that fills it would lose its last column.
    let empty = repeatElement("", count: max(0, size.rows - lines.count))
    for (index, line) in (lines + empty).enumerated() { text += "\u{1B}[\(index + 1);1H\u{1B}[K\(line)" }
    write(text + "\u{1B}[?2026l")
  }

  private func write(_ text: String) { _ = FileHandleWriter.writeAll(Array(text.utf8), to: output) }

  // MARK: - Events

  /// Waits for the next event. `other`: a descriptor to watch, too.
  func wait(until deadline: ContinuousClock.Instant, other: Int32? = nil) -> Event {
    while true {
      if let key = takeKey() { return .key(key) }
      let left = ContinuousClock.now.duration(to: deadline)
      let milliseconds = max(
        0, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
      if left <= .zero { return .time }
      var wanted = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isEntered ? input ?? -1 : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&wanted, nfds_t(wanted.count), Int32(clamping: milliseconds))
      if count < 0, errno != EINTR { return .end }
      guard count > 0 else { continue }
      if wanted[0].revents != 0, let event = takeSignal() { return event }
      if wanted[2].revents != 0 { return .other }
      if wanted[1].revents != 0, !readKeys() { return .end }
    }
  }

  private func takeSignal() -> Event? {
    switch signals.take() {
    case SIGWINCH: return .redraw
    case SIGTSTP:
      leave()
      // The shell has the terminal until it continues us.
      kill(getpid(), SIGSTOP)
      enter()
      return .redraw
    case SIGCONT:
      isEntered = false
      enter()
      return .redraw
    case nil: return nil
    default: return .end
    }
  }

  /// False: the terminal is gone.
  private func readKeys() -> Bool {
    guard let input else { return false }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(input, &bytes, bytes.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    keys += bytes.prefix(count)
    // The sequence of an arrow key may arrive in two parts.
    if keys == [0x1B] || keys == [0x1B, 0x5B] {
      var more = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      if poll(&more, 1, 30) > 0 { return readKeys() }
    }
    return count > 0
  }

  private func takeKey() -> Key? {
    while let first = keys.first {
      if first == 0x1B {
        guard keys.count > 2, keys[1] == 0x5B || keys[1] == 0x4F else {
          keys.removeFirst()
          return .escape
        }
        // A sequence ends with a letter or a tilde.
        let end = keys.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) } ?? keys.count - 1
        let last = keys[end]
        keys.removeSubrange(...end)
        if last == 0x41 { return .up }
        if last == 0x42 { return .down }
        continue
      }
      if first == 0x0D || first == 0x0A { return one(.enter) }
      if first == 0x7F || first == 0x08 { return one(.delete) }
      if first < 0x20 {
        keys.removeFirst()
        continue
      }
      // One character of UTF-8.
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      let bytes = Array(keys.prefix(length))
      keys.removeFirst(bytes.count)
      if let character = String(decoding: bytes, as: UTF8.self).first { return .text(character) }
    }
    return nil
  }

  private func one(_ key: Key) -> Key {
    keys.removeFirst()
    return key
  }
}
