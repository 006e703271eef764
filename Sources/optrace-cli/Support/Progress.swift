#if CLI
  import Foundation

  /// Shows on a terminal that a long job goes on: what it does and for how long, on a line that goes away at its end. Short
  /// jobs show nothing, and nobody sees it in a pipe or a log.
  /// - Parameter patience: seconds until the line appears.
  func withProgress<Value>(_ what: String, patience: Double = 0.6, _ body: () throws -> Value) rethrows -> Value {
    guard Console.isTerminal(STDERR_FILENO) else { return try body() }
    let line = ProgressLine(what, patience: patience)
    line.start()
    defer { line.stop() }
    return try body()
  }

  /// The line and the thread that draws it. The condition's lock guards both flags.
  private final class ProgressLine: @unchecked Sendable {
    private static let pause = 0.2

    private let what: String
    private let patience: Double
    private let condition = NSCondition()
    private var isOver = false
    private var hasStopped = false

    init(_ what: String, patience: Double) {
      self.what = what
      self.patience = patience
    }

    func start() { Thread(block: run).start() }

    /// Waits until the line is gone, so that nothing is printed into it.
    func stop() {
      condition.lock()
      isOver = true
      condition.signal()
      while !hasStopped { condition.wait() }
      condition.unlock()
    }

    private func run() {
      let begin = Date()
      var hasDrawn = false
      condition.lock()
      var next = begin.addingTimeInterval(patience)
      while !isOver {
        // True: woken, by the end or for no reason; false: the time is up.
        if condition.wait(until: next) { continue }
        let seconds = Int(Date().timeIntervalSince(begin))
        let text = "optrace: \(what)… \(seconds) s"
        let columns = Console.columns(of: STDERR_FILENO) ?? 80
        Self.draw("\r" + text.prefix(columns - 1) + "\u{1B}[K")
        hasDrawn = true
        next = Date().addingTimeInterval(Self.pause)
      }
      if hasDrawn { Self.draw("\r\u{1B}[K") }
      hasStopped = true
      condition.broadcast()
      condition.unlock()
    }

    private static func draw(_ text: String) { _ = FileHandleWriter.writeAll(Array(text.utf8), to: STDERR_FILENO) }
  }
#endif
