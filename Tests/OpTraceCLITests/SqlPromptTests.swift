#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @Suite("optrace sql at a terminal", .ownThread)
  struct SqlPromptTests {
    private static let interrupt = "interrupt"
    private static let endless = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c)"

    /// The terminal's output when keys are typed. Each is typed after its prompt has appeared.
    private static func screen(_ typed: [(prompt: String, keys: String)]) throws -> (text: String, status: Int32) {
      let folder = try Scratch()
      let trace = try folder.write("run.txt", Array(Fixture.small.utf8))
      let terminal = try PseudoTerminal()
      let (master, other) = (terminal.master.number, terminal.terminal.number)
      let program = try RunningProgram(
        Command.executable, ["sql", trace], environment: RunningProgram.environment(adding: ["TERM": "xterm"]),
        input: .descriptor(other), output: .descriptor(other), errors: .descriptor(other))
      var bytes: [UInt8] = []
      var begin = 0
      for (prompt, keys) in typed {
        var found = bytes[begin...].firstRange(of: Array(prompt.utf8))
        while found == nil {
          // Search only the new bytes.
          begin = max(begin, bytes.count - prompt.utf8.count)
          var piece = [UInt8](repeating: 0, count: 4096)
          var waited = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
          // A prompt that does not come within 20 seconds is an error.
          guard poll(&waited, 1, 20_000) == 1 else {
            return ("no '\(prompt)' in: " + String(decoding: bytes, as: UTF8.self), program.kill().status)
          }
          let count = read(master, &piece, piece.count)
          guard count > 0 else { return (String(decoding: bytes, as: UTF8.self), program.kill().status) }
          bytes += piece[..<count]
          found = bytes[begin...].firstRange(of: Array(prompt.utf8))
        }
        // The next search begins after the prompt.
        begin = found?.upperBound ?? bytes.count
        // This is no process's controlling terminal, so Ctrl-C sends no signal. The test sends it.
        if keys == interrupt {
          program.signal(SIGINT)
          continue
        }
        _ = keys.withCString { write(master, $0, strlen($0)) }
      }
      let status = program.end().status
      // Read the remaining output without waiting.
      _ = fcntl(master, F_SETFL, O_NONBLOCK)
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = read(master, &piece, piece.count)
      if count > 0 { bytes += piece[..<count] }
      return (String(decoding: bytes, as: UTF8.self), status)
    }

    @Test("a query may have several lines, an error keeps the prompt, and .quit ends it")
    func several() throws {
      let (text, status) = try Self.screen([
        ("sql> ", "SELECT 40 + 2\r"), ("...> ", "AS answer;\r"), ("42", ""), ("sql> ", "SELECT nope;\r"),
        ("no such column: nope", ""), ("sql> ", "SELECT 'a;\r"), ("...> ", "b' AS two; -- done\r"), ("two", ""),
        ("sql> ", "@failures\r"), ("sql> ", ".schema\r"), ("transitions", ""),
        ("sql> ", ".quit\r"),
      ])
      #expect(status == 0, "\(text)")
      #expect(text.contains("answer"))
    }

    @Test("Ctrl-C stops a running query, discards typed text, and keeps the prompt")
    func interrupts() throws {
      let (text, status) = try Self.screen([
        ("sql> ", "\(Self.endless) SELECT x FROM c;\r"), ("\n600\r", Self.interrupt),
        ("optrace: it was ended", ""), ("sql> ", "\u{3}"), ("^C", ""), ("sql> ", "SELECT nonsense \u{3}"), ("^C", ""),
        ("sql> ", "SELECT 1,\r"), ("...> ", "\u{3}"), ("^C", ""), ("sql> ", "SELECT 40 + 2 AS answer;\r"), ("42", ""),
        ("sql> ", ".quit\r"),
      ])
      #expect(status == 0, "\(text.suffix(2000))")
    }

    @Test("Tab completes tables and questions, and the up arrow repeats the last query")
    func editing() throws {
      let (text, status) = try Self.screen([
        ("sql> ", "SELECT count(*) AS n FROM queue_d\t"), ("epth", ";\r"), ("n", ""), ("sql> ", "@slot\t"),
        ("-holders", "\r"), ("sql> ", "\u{1B}[A"), ("@slot-holders", "\r"), ("sql> ", ".quit\r"),
      ])
      #expect(status == 0, "\(text)")
    }
  }
#endif
