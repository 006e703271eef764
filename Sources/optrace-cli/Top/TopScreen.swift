import OpTraceLive
import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// `optrace top` in a terminal: looks, draws, and does what the keys say, until somebody ends it.
final class TopScreen {
  private let watched: WatchedTrace
  private let terminal: TopTerminal
  private var look: WatchedTrace.Look
  private var order = LiveFrame.Order.made
  private var filter = ""
  private var selected: WorkID?
  private var isPaused = false
  private var showsHelp = false
  /// A filter that is being typed.
  private var typed: String?
  private var message: String?
  private let report: OpenedReport
  private let isASCII = !TerminalEncoding.isUTF8

  init(_ watched: WatchedTrace) throws {
    self.watched = watched
    report = OpenedReport(watched.path)
    // First: threads that looking begins must leave the signals to it.
    terminal = TopTerminal()
    look = try watched.look(patience: Self.patience)
  }

  /// How long a picture may be awaited: of a long trace the past is shown meanwhile.
  private static let patience = Duration.milliseconds(150)

  /// - Throws: what looking does. The terminal is given back before.
  func run() throws {
    defer {
      terminal.leave()
      report.close()
    }
    var next = nextLook
    draw()
    while true {
      switch terminal.wait(until: next, other: report.descriptor) {
      case .end: return
      case .redraw: break
      case .other: message = report.read()
      case .key(let key): if !take(key) { return }
      case .time:
        if !isPaused, !look.isOver { look = try watched.look(patience: Self.patience) }
        next = nextLook
      }
      draw()
    }
  }

  private var nextLook: ContinuousClock.Instant {
    ContinuousClock.now + .seconds(look.isBehind && !isPaused ? 0 : watched.pause)
  }

  private var frame: LiveFrame {
    var frame = look.frame
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

  /// False: the end.
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
      message = "no operation executes"
      return
    }
    let place = rows.firstIndex { $0.id == selected }
    selected = rows[place.map { min(max(0, $0 + step), rows.count - 1) } ?? 0].id
  }

  private func open() {
    // Standard input and pipes are read once.
    guard watched.input.canBeReadAgain else {
      message = "what comes from a pipe cannot be opened again"
      return
    }
    message = report.open(at: selected)
  }
}

/// What the terminal takes, by the locale.
enum TerminalEncoding {
  static let isUTF8: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return letters.contains("utf8")
  }()
}

/// The report of the trace, served by a command of its own: `optrace view`.
private final class OpenedReport {
  private let path: String
  private var process: Process?
  private var pipe: Pipe?
  private var text = ""
  private var address: String?
  private var operation: WorkID?

  init(_ path: String) { self.path = path }

  /// To be read when something comes; nil: nothing is awaited.
  var descriptor: Int32? { address == nil ? pipe?.fileHandleForReading.fileDescriptor : nil }

  /// Opens it at an operation; nil: at its beginning. The result is what to tell.
  func open(at operation: WorkID?) -> String {
    self.operation = operation
    if process?.isRunning != true { address = nil }
    if let address { return show(address) }
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: Self.executable)
    process.arguments = ["view", "--no-open", path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return "the report cannot be opened: optrace cannot be run again" }
    (self.process, self.pipe, text) = (process, pipe, "")
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
    guard let pipe else { return "" }
    let data = pipe.fileHandleForReading.availableData
    guard !data.isEmpty else {
      close()
      return "the report cannot be opened: see 'optrace view \(printable(path))'"
    }
    text += String(decoding: data, as: UTF8.self)
    guard let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first else {
      return "the report is being made"
    }
    address = String(line)
    return show(String(line))
  }

  private func show(_ address: String) -> String {
    let whole = address + (operation.map { "#op=\($0.rawValue)" } ?? "")
    // Where there is no browser, the address stands below.
    Browser.open(whole) { _ in }
    return "report: \(whole)"
  }

  func close() {
    if process?.isRunning == true { process?.terminate() }
    (process, pipe, address) = (nil, nil, nil)
  }
}
