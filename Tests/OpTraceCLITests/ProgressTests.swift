#if CLI
  import Foundation
  import OpTraceModel
  import Testing

  @testable import optrace_cli

  #if os(Linux)
    /// A command whose standard error is a terminal.
    private struct TerminalRun {
      var status: Int32 = -1
      /// All that came out of the terminal, with what steers it.
      var screen = ""

      /// `input`: what standard input gives, and after how many seconds it ends.
      init(_ arguments: [String], environment: [String: String] = ["TERM": "xterm"], waiting seconds: Double = 0) throws
      {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(master) }
        // To unlock the other side, and its number: TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not see.
        var (locked, number) = (Int32(0), Int32(0))
        guard ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
          throw NoTerminal()
        }
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        let process = Process()
        process.executableURL = try Command.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
        try Command.withAllSignals { try process.run() }
        close(terminal)
        try input.fileHandleForReading.close()
        try input.fileHandleForWriting.write(contentsOf: Array(Fixture.small.utf8))
        Thread {
          Thread.sleep(forTimeInterval: seconds)
          try? input.fileHandleForWriting.close()
        }.start()
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = read(master, &piece, piece.count)
          if count > 0 { bytes += piece[..<count] } else { break }
        }
        process.waitUntilExit()
        status = process.terminationStatus
        screen = String(decoding: bytes, as: UTF8.self)
      }

      struct NoTerminal: Error {}

      static func run(
        _ arguments: String..., environment: [String: String] = ["TERM": "xterm"], waiting seconds: Double = 0
      ) async throws -> TerminalRun {
        try await withCheckedThrowingContinuation { continuation in
          Thread {
            continuation.resume(
              with: Result { try TerminalRun(arguments, environment: environment, waiting: seconds) })
          }.start()
        }
      }
    }

  #endif

  @Suite("Progress")
  struct ProgressTests {
    @Test("a bar where the share is known; what is done and for how long where it is not")
    func lines() {
      let half = ProgressText.line("reading 'a'", share: 0.5, seconds: 3, columns: 80)
      #expect(half == "optrace: reading 'a' [###############---------------]  50 %  3 s")
      let all = ProgressText.line("reading 'a'", share: 1, seconds: 12, columns: 80)
      #expect(all == "optrace: reading 'a' [##############################] 100 %  12 s")
      #expect(ProgressText.line("reading 'a'", share: nil, seconds: 1, columns: 80) == "optrace: reading 'a'… 1 s")
    }

    @Test("a line never reaches the last column, however narrow the terminal, and whatever the name")
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

    @Test("a line that the terminal has broken into rows is taken away whole")
    func erasing() {
      let line = String(repeating: "x", count: 79)
      #expect(ProgressText.erasure(of: line, columns: 80) == "\r\u{1B}[J")
      #expect(ProgressText.erasure(of: line, columns: 79) == "\r\u{1B}[J")
      #expect(ProgressText.erasure(of: line, columns: 78) == "\r\u{1B}[1A\u{1B}[J")
      #expect(ProgressText.erasure(of: line, columns: 20) == "\r\u{1B}[3A\u{1B}[J")
    }

    #if os(Linux)
      @Test("a job that waits shows so on a terminal, and leaves nothing there")
      func waiting() async throws {
        let run = try await TerminalRun.run("summary", "-", waiting: 2)
        #expect(run.status == 0)
        #expect(run.screen.contains("optrace: reading standard input… 1 s"), "\(run.screen.debugDescription)")
        #expect(run.screen.hasSuffix("\r\u{1B}[J"))
        // What it says is drawn again only when it says something else.
        let times = run.screen.components(separatedBy: "… 1 s").count - 1
        #expect(times == 1)
      }

      @Test(
        "none for a short job, on a terminal that cannot go back, or in a pipe", arguments: ["short", "dumb", "pipe"])
      func nothing(how: String) async throws {
        switch how {
        case "short":
          let run = try await TerminalRun.run("summary", "-")
          #expect(run.status == 0 && run.screen == "")
        case "dumb":
          let run = try await TerminalRun.run("summary", "-", environment: ["TERM": "dumb"], waiting: 1.5)
          #expect(run.status == 0 && run.screen == "")
        default:
          let result = try Command.run(shell: "sleep 1.5 | \"$optrace\" summary -")
          #expect(!result.errors.contains("reading standard input…"))
        }
      }

    #endif

    @Test("reading, checking and writing tell how far they are, in order")
    func shares() throws {
      let events = try TraceReader.events(bytes: Array(Self.many(20_000).utf8))
      func shares(_ body: () throws -> Void) rethrows -> [Double] {
        let heard = Shares()
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

    /// A trace of so many operations.
    private static func many(_ count: Int) -> String {
      var text = Fixture.small
      for number in 5..<(count + 5) { text += "\(20_000 + number) t1 created #\(number) class=\"Load\"\n" }
      return text
    }
  }

  /// The lock guards the list.
  private final class Shares: @unchecked Sendable {
    private let lock = NSLock()
    private var shares: [Double] = []
    var all: [Double] { lock.withLock { shares } }
    @Sendable func add(_ share: Double) { lock.withLock { shares.append(share) } }
  }
#endif
