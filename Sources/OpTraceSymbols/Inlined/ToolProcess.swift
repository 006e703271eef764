#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
internal import OpTraceProcesses

/// Runs a program with its whole input in a file, and reads its output until it ends or its time is over.
enum ToolProcess {
  enum Ending: Equatable {
    case ended(ProgramEnding)
    /// It was killed: it took too long, or wrote too much.
    case stopped
  }

  struct CannotRun: Error {
    var reason: String
  }

  /// - Parameter seconds: how long it may take.
  /// - Returns: its output, complete or as far as it got, and how it ended. What it prints to standard error is dropped.
  static func run(
    _ path: String, _ arguments: [String], input: [UInt8], seconds: Int, mostOutput: Int
  ) throws(CannotRun) -> (output: [UInt8], ending: Ending) {
    let source = try inputFile(input)
    defer { close(source) }
    guard var output = SystemPipe() else { throw CannotRun(reason: text(errno)) }
    var tool = Program(path, arguments)
    tool.environment = environment()
    tool.input = .descriptor(source)
    tool.output = .descriptor(output.end)
    tool.errors = .nothing
    let running: RunningProgram
    do { running = try tool.start() } catch { throw CannotRun(reason: text(error.number)) }
    output.closeEnd()
    var bytes: [UInt8] = []
    let isComplete = read(output.start, into: &bytes, seconds: seconds, most: mostOutput)
    if !isComplete { running.send(SIGKILL) }
    let ending = running.wait()
    return (bytes, isComplete ? .ended(ending) : .stopped)
  }

  /// A file without a name, so that a tool that reads slowly does not block us.
  private static func inputFile(_ bytes: [UInt8]) throws(CannotRun) -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(folder)/optrace-addresses-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw CannotRun(reason: "cannot make a file in \(folder): \(text(errno))") }
    unlink(name)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(file, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = text(errno)
        close(file)
        throw CannotRun(reason: "cannot write to \(folder): \(reason)")
      }
      done += count
    }
    return file
  }

  /// The variables of this process, without those that would load a recorder into the tool, or let it fetch files from the network.
  private static func environment() -> [[CChar]] {
    let dropped = ["LD_PRELOAD=", "OPTRACE_", "DEBUGINFOD_URLS=", "LLVM_SYMBOLIZER_OPTS="].map {
      $0.utf8CString.dropLast()
    }
    return Program.variables.filter { variable in !dropped.contains { variable.starts(with: $0) } }
  }

  /// False: its time was over, or there is more output.
  private static func read(_ source: Int32, into output: inout [UInt8], seconds: Int, most: Int) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while output.count <= most {
      let (whole, rest) = (end - clock.now).components
      guard whole >= 0, rest >= 0 else { return false }
      let milliseconds = min(whole * 1000 + rest / 1_000_000_000_000_000 + 1, 60_000)
      var waiting = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(milliseconds))
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = readOnce(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 }
      output.append(contentsOf: piece[..<count])
    }
    return false
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

private func readOnce(_ source: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(source, target, count)
}
