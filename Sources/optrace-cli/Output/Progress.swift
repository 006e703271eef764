import Foundation
import OpTraceFormat
import OpTraceModel

/// Shows on a terminal that a long job goes on: what it does, how far it is if that is known, and for how long, on a
/// line that is removed at its end. Short jobs show nothing; neither do pipes, logs, and terminals that cannot move
/// back in a line.
///
/// - Parameter patience: seconds until the line appears.
func withProgress<Value>(_ what: String, patience: Double = 0.6, _ body: () throws -> Value) rethrows -> Value {
  guard ProgressLine.canBeSeen else { return try body() }
  let line = ProgressLine(what, patience: patience)
  line.start()
  defer { line.stop() }
  return try WorkProgress.listening(with: line.note, body)
}

extension Output {
  /// Writes with progress, unless the output goes to the same terminal, directly or through a pipe.
  func writeLong(_ what: String = "writing", _ body: (Sink) throws -> Void) throws {
    guard isFile else { return try write(body) }
    let name = path.map { " '\(printable($0))'" } ?? ""
    try withProgress(what + name) { try write(body) }
  }

  private var isFile: Bool {
    var status = stat()
    let isKnown = path.map { stat($0.asPath, &status) == 0 } ?? (fstat(Call.current.output, &status) == 0)
    return isKnown ? status.st_mode & S_IFMT == S_IFREG : path != nil
  }
}

/// The text of the line.
enum ProgressText {
  /// - Parameters:
  ///   - share: the share that is done, from 0 to 1; nil: not known.
  ///   - columns: the terminal's. The last column stays free, because some terminals would go to the next line.
  static func line(_ what: String, share: Double?, seconds: Int, columns: Int) -> String {
    let room = max(0, columns - 1)
    let name = "optrace: \(what)"
    guard let share else { return fitted("\(name)… \(seconds) s", to: room) }
    let percent = Int((min(1, max(0, share)) * 100).rounded(.down))
    let number =
      String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent) %  \(seconds) s"
    let width = min(30, room - terminalWidth(of: name) - number.count - 4)
    guard width >= 8 else { return fitted("optrace:\(number)  \(what)", to: room) }
    let done = width * percent / 100
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: width - done)
    return "\(name) [\(bar)] \(number)"
  }

  private static func fitted(_ text: String, to room: Int) -> String {
    var text = text
    while !text.isEmpty, terminalWidth(of: text) > room { text.removeLast() }
    return text
  }

  /// The sequence that erases a line that was drawn when the terminal was at least as wide: in a narrower terminal it
  /// takes several rows.
  static func erasure(of text: String, columns: Int) -> String {
    let rows = max(0, terminalWidth(of: text) - 1) / max(1, columns)
    return "\r" + (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\u{1B}[J"
  }
}

/// The line and the thread that draws it. The condition's lock guards what both threads use.
private final class ProgressLine: @unchecked Sendable {
  private static let pause = 0.1

  private let what: String
  private let patience: Double
  private let condition = NSCondition()
  private var isOver = false
  private var hasStopped = false
  private var share: Double?

  /// The text that is on the terminal.
  private var drawn = ""

  static var canBeSeen: Bool {
    Console.isTerminal(Call.current.errors) && Console.movesCursor
  }

  init(_ what: String, patience: Double) {
    self.what = what
    self.patience = patience
  }

  func start() { Thread(block: run).start() }

  @Sendable
  func note(_ share: Double) { condition.withLock { self.share = share } }

  /// Waits until the line is gone, so that nothing else is printed into it.
  func stop() {
    condition.lock()
    isOver = true
    condition.signal()
    while !hasStopped { condition.wait() }
    condition.unlock()
  }

  private func run() {
    let begin = Date()
    condition.lock()
    var next = begin.addingTimeInterval(patience)
    while !isOver {
      // True: woken, for the end or spuriously; false: the time is up.
      if condition.wait(until: next) { continue }
      draw(seconds: Int(Date().timeIntervalSince(begin)))
      next = Date().addingTimeInterval(Self.pause)
    }
    if !drawn.isEmpty { write(ProgressText.erasure(of: drawn, columns: columns)) }
    hasStopped = true
    condition.broadcast()
    condition.unlock()
  }

  private var columns: Int { Console.columns(of: STDERR_FILENO) ?? 80 }

  private func draw(seconds: Int) {
    let columns = columns
    let text = ProgressText.line(what, share: share, seconds: seconds, columns: columns)
    guard text != drawn else { return }
    // Draw over the old text, so that nothing flickers; erase it first if it has wrapped into several rows.
    let isBroken = terminalWidth(of: drawn) > columns
    write((isBroken ? ProgressText.erasure(of: drawn, columns: columns) : "\r") + text + "\u{1B}[K")
    drawn = text
  }

  private func write(_ text: String) { _ = FileHandleWriter.writeAll(Array(text.utf8), to: STDERR_FILENO) }
}
