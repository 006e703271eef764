import OpTraceLive
import Foundation
import OpTraceKernel
import OpTraceFormat
import OpTraceModel
import OpTraceProcesses
import OpTraceText

/// `optrace top` in a terminal: reads the trace, draws, and handles keys until it is ended.
final class TopScreen {
  private let watched: WatchedTrace
  private let terminal: TopTerminal
  private var reading: WatchedTrace.Reading
  private var order = LiveFrame.Order.made
  private var filter = ""
  private var selected: WorkID?
  private var isPaused = false
  private var showsHelp = false
  /// The filter while it is typed.
  private var typed: String?
  private var message: String?
  private let report: OpenedReport
  private let isASCII = !TerminalEncoding.isUTF8

  init(_ watched: WatchedTrace) throws {
    self.watched = watched
    report = OpenedReport(watched.path)
    // First: threads that reading starts must inherit its signal mask.
    terminal = TopTerminal()
    reading = try watched.reading(patience: Self.patience)
  }

  /// How long to wait for a reading. While a long trace is still read, its past is shown.
  private static let patience = Duration.milliseconds(150)

  /// - Throws: what reading the trace throws. The terminal is restored before.
  func run() throws {
    defer {
      terminal.leave()
      report.close()
    }
    var next = nextReading
    draw()
    while true {
      switch terminal.wait(until: next, other: report.descriptor) {
      case .end: return
      case .redraw: break
      case .other: message = report.read()
      case .key(let key): if !take(key) { return }
      case .time:
        if !isPaused, !reading.isOver { reading = try watched.reading(patience: Self.patience) }
        next = nextReading
      }
      draw()
    }
  }

  private var nextReading: ContinuousClock.Instant {
    ContinuousClock.now + .seconds(reading.isBehind && !isPaused ? 0 : watched.pause)
  }

  private var frame: LiveFrame {
    var frame = reading.frame
    (frame.order, frame.filter, frame.selected, frame.isASCII) = (order, typed ?? filter, selected, isASCII)
    if isPaused { frame.title += " (paused)" }
    frame.note = typed.map { "filter: \($0)_  (enter: keep, Esc: all)" } ?? message
    return frame
  }

  private func draw() {
    let size = terminal.size
    let style = TextStyle(width: size.columns, cutsTexts: true, paint: Output.standard.style.paint)
    if showsHelp, size.columns >= LiveFrame.smallest.columns {
      terminal.draw(Array(LiveFrame.help(columns: size.columns).prefix(size.rows)))
    } else {
      terminal.draw(frame.lines(columns: size.columns, rows: size.rows, style: style))
    }
  }

  // MARK: - Keys

  /// False: quit.
  private func take(_ key: TopTerminal.Key) -> Bool {
    if showsHelp {
      showsHelp = false
      return true
    }
    if typed != nil {
      type(key)
      return true
    }
    message = nil
    switch key {
    case .text("q"): return false
    case .text("s"): order = order.next
    case .text("/"): typed = filter
    case .text("p"), .text(" "): isPaused.toggle()
    case .text("?"), .text("h"): showsHelp = true
    case .up, .text("k"): choose(-1)
    case .down, .text("j"): choose(1)
    case .enter, .text("o"): open()
    case .escape: (filter, selected) = ("", nil)
    case .delete, .text: break
    }
    return true
  }

  private func type(_ key: TopTerminal.Key) {
    switch key {
    case .text(let character): typed?.append(character)
    case .delete: typed = typed.map { String($0.dropLast()) }
    case .enter: (filter, typed) = (typed ?? "", nil)
    case .escape: (filter, typed) = ("", nil)
    case .up, .down: break
    }
  }

  private func choose(_ step: Int) {
    let rows = frame.chosen
    guard !rows.isEmpty else {
      message = "no operation is executing"
      return
    }
    let index = rows.firstIndex { $0.id == selected }
    selected = rows[index.map { min(max(0, $0 + step), rows.count - 1) } ?? 0].id
  }

  private func open() {
    // Standard input and pipes are read once.
    guard watched.input.canBeReadAgain else {
      message = "a trace from a pipe cannot be opened again"
      return
    }
    message = report.open(at: selected)
  }
}

/// Whether the terminal understands UTF-8, by the locale.
enum TerminalEncoding {
  static let isUTF8: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return letters.contains("utf8")
  }()
}

/// The report of the trace, served by another process: `optrace view`.
private final class OpenedReport {
  private let path: String
  private var process: RunningProgram?
  /// Asked to end. Waiting for one that does not answer would stop the screen, so each is asked again later.
  private var ending: [RunningProgram] = []
  private var output: SystemPipe?
  private var text: [UInt8] = []
  private var address: String?
  private var operation: WorkID?

  init(_ path: String) { self.path = path }

  /// To be read when something comes; nil: nothing is expected.
  var descriptor: Int32? { address == nil ? output?.start : nil }

  /// Opens it at an operation; nil: at its beginning. Returns what to show.
  func open(at operation: WorkID?) -> String {
    self.operation = operation
    if process?.isRunning != true { address = nil }
    if let address { return show(address) }
    close()
    guard var pipe = SystemPipe() else { return "the report cannot be opened: \(reason(errno))" }
    let executable = Self.executable.asPath
    var program = Program(path: executable, words: [executable] + ["view", "--no-open", path].map(\.asPath))
    (program.input, program.output, program.errors) = (.nothing, .descriptor(pipe.end), .nothing)
    // Stopped by Ctrl-Z with us, it could show nothing.
    program.group = .own
    do { process = try program.start() } catch { return "the report cannot be opened: \(reason(error.number))" }
    pipe.closeEnd()
    output = consume pipe
    return "the report is being made"
  }

  private static var executable: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      CommandLine.arguments.first ?? "optrace"
    #endif
  }

  /// Reads the address of the report.
  func read() -> String {
    guard let descriptor = output?.start else { return "" }
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = readOnce(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { return "the report is being made" }
    guard count > 0 else {
      close()
      return "the report cannot be opened: see 'optrace view \(printable(path))'"
    }
    text += piece[..<count]
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return "the report is being made" }
    let line = String(decoding: text[..<end], as: UTF8.self)
    address = line
    return show(line)
  }

  private func show(_ address: String) -> String {
    let whole = address + (operation.map { "#op=\($0.rawValue)" } ?? "")
    // If there is no browser, the address is shown all the same.
    Browser.open(whole) { _ in }
    return "report: \(whole)"
  }

  func close() {
    process.map { ending.append($0) }
    for program in ending { program.send(SIGTERM) }
    ending.removeAll { !$0.isRunning }
    (process, address, text) = (nil, nil, [])
    output = nil
  }
}

private func readOnce(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
