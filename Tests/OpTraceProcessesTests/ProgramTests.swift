import Foundation
import OpTraceProcesses
import TestSupport
import Testing

/// Programs that this process starts.
@Suite("Starting programs", .ownThread)
struct ProgramTests {
  private static let shell = "/bin/sh"

  private struct NoPipe: Error {}

  /// `#require` does not take non-copyable values.
  private func makePipe() throws -> SystemPipe {
    guard let pipe = SystemPipe() else { throw NoPipe() }
    return pipe
  }

  /// The output and the ending of a shell script.
  private func run(
    _ script: String, _ arguments: [String] = [], change: (inout Program) throws -> Void = { _ in }
  ) throws -> (output: String, ending: ProgramEnding) {
    var pipe = try makePipe()
    var program = Program(Self.shell, ["-c", script, "sh"] + arguments)
    program.output = .descriptor(pipe.end)
    try change(&program)
    let running = try program.start()
    pipe.closeEnd()
    return (text(from: pipe.start), running.wait())
  }

  private func text(from descriptor: Int32) -> String {
    String(decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readDataToEndOfFile(), as: UTF8.self)
  }

  @Test("The ending is the status or the signal")
  func endings() throws {
    #expect(try run("exit 0").ending == .exited(0))
    #expect(try run("exit 73").ending == .exited(73))
    #expect(try run("kill -TERM $$").ending == .killed(signal: SIGTERM))
    #expect(ProgramEnding.exited(73).shellStatus == 73 && ProgramEnding.killed(signal: 15).shellStatus == 143)
  }

  @Test("Words and variables arrive byte for byte")
  func words() throws {
    #expect(try run("printf '<%s>' \"$@\"", ["a b", "", "图", "$x"]).output == "<a b><><图><$x>")
    let bytes = try run("printf %s \"$1\" | od -An -tx1; printf %s \"$V\"") { program in
      program.words.append([CChar(bitPattern: 0xFF), 0x41, 0])
      program.environment = [Array("V=1=2".utf8CString), Array("PATH=/bin:/usr/bin".utf8CString)]
    }
    #expect(bytes.output == " ff 41\n1=2")
    #expect(Program.variables.contains { $0.starts(with: "PATH=".utf8CString.dropLast()) })
  }

  @Test("Streams and descriptors get their places whatever their numbers are")
  func descriptors() throws {
    var one = try makePipe()
    var two = try makePipe()
    // Each stream gets a number that another descriptor of this process has.
    let result = try run("printf one > /dev/fd/\(two.end); printf two > /dev/fd/\(one.end)") { program in
      program.descriptors = [(two.end, one.end), (one.end, two.end)]
      program.errors = .nothing
    }
    one.closeEnd()
    two.closeEnd()
    #expect(result.ending == .exited(0))
    #expect(text(from: one.start) == "one" && text(from: two.start) == "two")
  }

  @Test("Other descriptors are closed; without a stream there is nothing to read")
  func isolation() throws {
    let pipe = try makePipe()
    let result = try run("cat; [ -e /dev/fd/\(pipe.start) ] || [ -e /dev/fd/\(pipe.end) ] || echo closed") {
      $0.input = .nothing
    }
    #expect(result.output == "closed\n")
  }

  #if os(Linux)
    @Test("A program gets its own group or session, and the named signals, on request")
    func settings() throws {
      func fields(_ change: (inout Program) -> Void) throws -> (group: String, session: String, process: String) {
        let parts = try run("echo $$; cut -d' ' -f5,6 /proc/$$/stat") { change(&$0) }.output.split(separator: "\n")
        let numbers = try #require(parts.last).split(separator: " ").map(String.init)
        return (numbers[0], numbers[1], String(parts[0]))
      }
      #expect(try fields { _ in }.group == "\(getpgrp())")
      let own = try fields { $0.group = .own }
      #expect(own.group == own.process && own.session == "\(getsid(0))")
      let session = try fields { $0.group = .ownSession }
      #expect(session.session == session.process)

      // A signal that no other test of this process uses.
      let before = signal(SIGVTALRM, SIG_IGN)
      defer { signal(SIGVTALRM, before) }
      let ignored = "exec grep SigIgn /proc/self/status"
      #expect(try mask(run(ignored).output) & 1 << (SIGVTALRM - 1) != 0)
      #expect(try mask(run(ignored) { $0.restored = [SIGVTALRM] }.output) & 1 << (SIGVTALRM - 1) == 0)
      var blocked = sigset_t()
      sigaddset(&blocked, SIGUSR2)
      #expect(try mask(run("exec grep SigBlk /proc/self/status") { $0.blocked = blocked }.output) == 1 << (SIGUSR2 - 1))
    }

    private func mask(_ line: String) throws -> UInt64 {
      try #require(UInt64(line.split(separator: "\t").last?.trimmingCharacters(in: .newlines) ?? "", radix: 16))
    }
  #endif

  @Test("A program that cannot be started is an error that names it")
  func missing() throws {
    do {
      _ = try Program("/nonexistent/program", []).start()
      Issue.record("it was started")
    } catch {
      #expect(error.number == ENOENT)
      #expect(error.description.hasPrefix("cannot run '/nonexistent/program': "))
    }
  }

  @Test("A signal reaches a program only while it runs")
  func signals() throws {
    let running = try Program(Self.shell, ["-c", "exec sleep 1000"]).start()
    #expect(running.isRunning)
    running.send(SIGKILL)
    #expect(running.wait() == .killed(signal: SIGKILL))
    #expect(!running.isRunning)
    // Another program may have its number by now.
    running.send(SIGKILL)
    #expect(running.wait() == .killed(signal: SIGKILL))
  }
}
