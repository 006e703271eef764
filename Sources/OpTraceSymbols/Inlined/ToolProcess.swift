#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that reads all of its input from a file, and whose output is read until it ends or its time is over.
enum ToolProcess {
  enum Ending: Equatable {
    case exited(Int32)
    case killed(Int32)
    /// It was ended: its time was over, or it wrote more than is taken.
    case stopped
  }

  struct CannotRun: Error {
    var reason: String
  }

  /// - Parameter seconds: how long it may take.
  /// - Returns: its output, whole or as far as it came, and how it ended. What it says of errors is dropped.
  static func run(
    _ path: String, _ arguments: [String], input: [UInt8], seconds: Int, mostOutput: Int
  ) throws(CannotRun) -> (output: [UInt8], ending: Ending) {
    let source = try inputFile(input)
    defer { close(source) }
    guard let (output, target) = makePipe() else { throw CannotRun(reason: text(errno)) }
    defer { close(output) }
    let process: pid_t
    do throws(CannotRun) {
      process = try spawn(path, arguments, input: source, output: target)
    } catch {
      close(target)
      throw error
    }
    close(target)
    var bytes: [UInt8] = []
    let isWhole = read(output, into: &bytes, seconds: seconds, most: mostOutput)
    // It has closed its output, or it has to.
    if !isWhole { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard isWhole else { return (bytes, .stopped) }
    return (bytes, status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F))
  }

  /// Both ends are closed in programs that are run meanwhile.
  static func makePipe() -> (source: Int32, target: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A file without a name: whoever reads slowly stops nobody who writes.
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

  private static func spawn(
    _ path: String, _ arguments: [String], input: Int32, output: Int32
  ) throws(CannotRun) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment().map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let status = posix_spawn(&process, path, &actions, nil, &words, &variables)
    guard status == 0 else { throw CannotRun(reason: text(status)) }
    return process
  }

  /// That of the process, without what would load a recorder into the tool, or let it ask the network for files.
  private static func environment() -> [String] {
    var all: [String] = []
    var next = environ
    while let variable = next.pointee {
      all.append(String(cString: variable))
      next += 1
    }
    let dropped = ["LD_PRELOAD=", "OPTRACE_", "DEBUGINFOD_URLS=", "LLVM_SYMBOLIZER_OPTS="]
    return all.filter { variable in !dropped.contains { variable.hasPrefix($0) } }
  }

  /// False: its time was over, or there is more.
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
