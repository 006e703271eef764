import OpTracePacked
import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import optrace_cli

#if os(Linux)
  /// A command whose standard error is a terminal, and optionally its standard output.
  private struct TerminalRun {
    var status: Int32 = -1
    /// All output of the terminal, with its control sequences.
    var screen = ""

    /// The duration of the run.
    var seconds = 0.0

    /// Standard input ends `seconds` after `text` was printed, or after the start if `text` is empty.
    init(
      _ arguments: [String], environment: [String: String] = ["TERM": "xterm"], waiting seconds: Double = 0,
      after text: String = "", showsOutput: Bool = false
    ) throws {
      let began = Date()
      let pair = try PseudoTerminal()
      let program = try RunningProgram(
        Command.executable, arguments, environment: RunningProgram.environment(adding: environment), input: .pipe,
        output: showsOutput ? .descriptor(pair.terminal.number) : .none, errors: .descriptor(pair.terminal.number))
      _ = pair.terminal.close()
      try program.tell(Fixture.small)
      var isWaiting = true
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        if isWaiting, String(decoding: bytes, as: UTF8.self).contains(text) || text.isEmpty {
          isWaiting = false
          Thread.detachNewThread {
            Thread.sleep(forTimeInterval: seconds)
            program.closeInput()
          }
        }
        let count = read(pair.master.number, &piece, piece.count)
        if count > 0 { bytes += piece[..<count] } else { break }
      }
      status = program.end().status
      screen = String(decoding: bytes, as: UTF8.self)
      self.seconds = Date().timeIntervalSince(began)
    }

    struct NoTerminal: Error {}
  }

#endif

@Suite("Progress", .ownThread)
struct ProgressTests {
  @Test("a known share gives a bar; otherwise the line has only the step and its time")
  func lines() {
    let half = ProgressText.line("reading 'a'", share: 0.5, seconds: 3, columns: 80)
    #expect(half == "optrace: reading 'a' [###############---------------]  50 %  3 s")
    let all = ProgressText.line("reading 'a'", share: 1, seconds: 12, columns: 80)
    #expect(all == "optrace: reading 'a' [##############################] 100 %  12 s")
    #expect(ProgressText.line("reading 'a'", share: nil, seconds: 1, columns: 80) == "optrace: reading 'a'… 1 s")
  }

  @Test("a line never reaches the last column of the terminal")
  func narrow() {
    for columns in 0..<100 {
      for what in ["reading 'a'", "reading '写真-写真-写真-写真-写真-写真-写真'", String(repeating: "x", count: 300)] {
        for share in [nil, 0, 0.004, 0.999, 1, -1, 7] {
          let line = ProgressText.line(what, share: share, seconds: 1000, columns: columns)
          let width = terminalWidth(of: line)
          #expect(width <= max(0, columns - 1))
        }
      }
    }
  }

  @Test("a line that the terminal wraps is erased completely")
  func erasing() {
    let line = String(repeating: "x", count: 79)
    #expect(ProgressText.erasure(of: line, columns: 80) == "\r\u{1B}[J")
    #expect(ProgressText.erasure(of: line, columns: 79) == "\r\u{1B}[J")
    #expect(ProgressText.erasure(of: line, columns: 78) == "\r\u{1B}[1A\u{1B}[J")
    #expect(ProgressText.erasure(of: line, columns: 20) == "\r\u{1B}[3A\u{1B}[J")
  }

  #if os(Linux)
    @Test(
      "summary and doctor print colours to a terminal, but not to a file")
    func colours() throws {
      let folder = try Scratch()
      let path = folder.path("out.txt")
      for arguments in [["summary", "-"], ["doctor", "-"]] {
        let environment = ["TERM": "xterm-256color", "NO_COLOR": ""]
        let shown = try TerminalRun(arguments, environment: environment, showsOutput: true)
        #expect(shown.screen.contains("\u{1B}[1m"), "\(arguments)")
        _ = try TerminalRun(arguments + ["-o", path], environment: environment, showsOutput: true)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.isEmpty && !text.contains("\u{1B}"), "\(arguments)")
      }
    }

    @Test("a picture is printed to a terminal only with -o -")
    func pictures() throws {
      let hint = "optrace: svg is not for a terminal: use -o FILE, or -o - to see it nevertheless"
      let refused = try TerminalRun(["graph", "-"], showsOutput: true)
      #expect(refused.status == 64 && refused.screen.contains(hint), "\(refused.screen)")
      let asked = try TerminalRun(["graph", "-", "-o", "-"], showsOutput: true)
      #expect(asked.status == 0 && asked.screen.contains("</svg>"))
      let binary = try TerminalRun(["graph", "-", "-o", "-", "--format", "png"], showsOutput: true)
      #expect(binary.status == 64 && binary.screen.contains("optrace: png is not for a terminal: use -o FILE\r\n"))
    }

    @Test("a waiting job shows progress on a terminal, and erases it")
    func waiting() throws {
      let text = "optrace: reading standard input… 1 s"
      let run = try TerminalRun(["summary", "-"], waiting: 0.5, after: text)
      #expect(run.status == 0)
      #expect(run.screen.contains(text), "\(run.screen.debugDescription)")
      #expect(run.screen.hasSuffix("\r\u{1B}[J"))
      // A line is drawn again only when it changes.
      let times = run.screen.components(separatedBy: "… 1 s").count - 1
      #expect(times == 1)
    }

    @Test(
      "short jobs, simple terminals and pipes get no progress", arguments: ["short", "dumb", "pipe"])
    func nothing(how: String) throws {
      switch how {
      case "short":
        let run = try TerminalRun(["summary", "-"])
        // On a busy machine the job may take longer.
        #expect(run.status == 0 && (run.screen == "" || run.seconds > 0.6))
      case "dumb":
        let run = try TerminalRun(["summary", "-"], environment: ["TERM": "dumb"], waiting: 1.5)
        #expect(run.status == 0 && run.screen == "")
      default:
        let result = try Command.run(shell: "sleep 1.5 | \"$optrace\" summary -")
        #expect(!result.errors.contains("reading standard input…"))
      }
    }

  #endif

  @Test("reading, checking and writing report growing shares")
  func shares() throws {
    let events = try TraceReader.events(bytes: Array(Self.many(20_000).utf8))
    func shares(_ body: () throws -> Void) rethrows -> [Double] {
      let heard = Log<Double>()
      try WorkProgress.listening(with: heard.add, body)
      return heard.all
    }
    let bytes = TraceWriter.bytes(events)
    let runs = [
      try shares { _ = try TraceReader.read(bytes: bytes) },
      try shares { _ = try TraceReader.events(bytes: bytes) },
      try shares { _ = try TraceReader.events(bytes: Array(Self.many(20_000).utf8)) },
      shares { _ = TraceValidator.check(events) },
      shares { TraceText.write(events) { _ in } },
      shares { _ = TraceWriter.bytes(events) },
      try shares { _ = try TracePacker.pack(bytes: bytes) { _ in } },
    ]
    for (number, shares) in runs.enumerated() {
      let isInOrder = zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
      let isInRange = shares.allSatisfy { (0...1).contains($0) }
      #expect(!shares.isEmpty && isInOrder && isInRange, "\(number): \(shares.prefix(20))")
    }
  }

  /// A trace with `count` more operations.
  private static func many(_ count: Int) -> String {
    var text = Fixture.small
    for number in 5..<(count + 5) { text += "\(20_000 + number) t1 created #\(number) class=\"Load\"\n" }
    return text
  }
}
