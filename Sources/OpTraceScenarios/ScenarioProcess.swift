package import Foundation
package import OpTrace
internal import OpTraceModel
internal import OpTraceProcesses

/// Runs a program in a process of its own, and follows its trace until it ends or makes no more progress.
///
/// A broken program may crash, or hang while it holds a lock of Foundation's, so nobody runs it in their own process.
package struct ScenarioProcess: Sendable {
  package enum Ending: Sendable, Equatable {
    case exited(status: Int32)
    case killed(signal: Int32)
    /// For so many seconds its trace had recorded nothing but heartbeats. Then it was killed.
    case silent(seconds: TimeInterval)
  }

  package let ending: Ending
  /// The trace, or nil if the program could not start to record. It is closed only if the program ended by itself.
  package let trace: URL?

  /// Runs a program that calls `Scenario.runAsProcess`, until it is over.
  ///
  /// - Parameters:
  ///   - silence: seconds without an event after which it is killed.
  ///   - errors: takes what Swift and Foundation say when it crashes.
  ///   - say: called with what the program prints, a line at a time.
  /// - Throws: `CannotStart`.
  package init(
    _ executable: URL, arguments: [String], silence: TimeInterval, errors: FileHandle = .standardError,
    say: (String) -> Void
  ) throws {
    var program = Program(executable.path, arguments)
    guard var output = SystemPipe() else { throw CannotStart(program, errno) }
    // A crash is what is shown: no debugger has to explain it.
    let backtrace = "SWIFT_BACKTRACE="
    program.environment =
      Program.variables.filter { !$0.starts(with: backtrace.utf8CString.dropLast()) } + [
        Array("\(backtrace)enable=no".utf8CString)
      ]
    program.input = .nothing
    program.output = .descriptor(output.end)
    // It has no descriptor.
    program.errors = errors === FileHandle.nullDevice ? .nothing : .descriptor(errors.fileDescriptor)
    let process = try program.start()
    output.closeEnd()

    var lines = Lines(output.start)
    var trace: URL?
    var silent: TimeInterval?
    while let line = lines.next(whileQuiet: {
      guard silent == nil, let trace, let quiet = Self.quiet(trace), quiet >= silence else { return }
      silent = quiet
      process.send(SIGKILL)
    }) {
      if trace == nil, line.hasPrefix(Scenario.tracePrefix) {
        trace = URL(fileURLWithPath: String(line.dropFirst(Scenario.tracePrefix.count)))
      } else {
        say(line)
      }
    }
    let end = process.wait()
    self.trace = trace
    if let silent {
      ending = .silent(seconds: silent)
    } else {
      switch end {
      case .exited(let status): ending = .exited(status: status)
      case .killed(let signal): ending = .killed(signal: signal)
      }
    }
  }

  /// How long the trace has had no events but heartbeats.
  private static func quiet(_ trace: URL) -> TimeInterval? {
    guard let trace = try? TraceReader.read(path: trace.path) else { return nil }
    return TimeInterval(trace.end - trace.lastEvent) / 1e9
  }
}

extension ScenarioProcess.Ending: CustomStringConvertible {
  /// In a few words: "ended by SIGSEGV".
  package var description: String {
    switch self {
    case .exited(status: 0): "ended by itself"
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "ended by " + (Self.names[signal] ?? "signal \(signal)")
    case .silent(let seconds): "nothing moved for \((seconds * 10).rounded(.down) / 10) s: killed"
    }
  }

  private static let names = [
    SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGKILL: "SIGKILL",
    SIGTERM: "SIGTERM", SIGINT: "SIGINT",
  ]
}

/// The lines of a pipe, with something to do while none comes.
private struct Lines {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line, without its end; nil when the other side is gone.
  mutating func next(whileQuiet body: () -> Void) -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&readable, 1, 200) > 0 else {
        body()
        continue
      }
      var part = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      bytes += part[..<count]
    }
  }
}

extension Scenario {
  /// What the program prints first, before the path of its trace (see ``ScenarioProcess``).
  static let tracePrefix = "trace: "

  /// Runs the program as the only purpose of this process, and ends the process. Prints where the trace is, and then what
  /// the program prints, a line at a time. Does not outlive the process that started it, so that nothing hangs on.
  ///
  /// - Throws: `TraceRecorderError` when the trace cannot be written.
  package func runAsProcess(recordingTo url: URL, settings: ScenarioSettings) throws(TraceRecorderError) -> Never {
    // It may be meant to crash: nobody wants to find its memory on the disk.
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(Self.coreSize, &noCore)
    Self.endWithParent()
    ProcessInfo.processInfo.processName = name
    _ = try run(recordingTo: url, settings: settings) {
      Self.print(Self.tracePrefix + $0.path)
    } say: {
      Self.print($0)
    }
    exit(0)
  }

  /// At once, in one piece and from any thread: a program that hangs prints nothing any more.
  private static func print(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  #if os(Linux)
    /// The system ends it when the thread is gone that started it, which waits for it until then. (A thread that watched for that
    /// would be one of which the doctor has to say that it may still do something.)
    private static func endWithParent() {
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      let parent = getppid()
      // Swift imports no functions with variable arguments; integers are passed to them as to others.
      guard let own = dlopen(nil, RTLD_NOW), let found = dlsym(own, "prctl") else { return }
      let setSignalOfParentsEnd: Int32 = 1
      _ = unsafeBitCast(found, to: Control.self)(setSignalOfParentsEnd, UInt(SIGKILL), 0, 0, 0)
      if getppid() != parent { _exit(1) }
    }
  #else
    private static func endWithParent() {
      let parent = getppid()
      Thread.startNamed("watches parent") {
        while getppid() == parent { Thread.sleep(forTimeInterval: 0.5) }
        _exit(1)
      }
    }
  #endif

  #if canImport(Glibc)
    private static let coreSize = __rlimit_resource_t(RLIMIT_CORE.rawValue)
  #else
    private static let coreSize = RLIMIT_CORE
  #endif
}
