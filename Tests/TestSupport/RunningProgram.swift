public import Foundation
import OpTraceModel
public import Testing

/// A program in a process of its own. It does not outlive its owner, nor do the processes that it starts, and one that says
/// nothing for too long is killed: a hang is a failure.
///
/// It begins as a shell begins a program: whatever the tests' own process does with signals, here none is blocked or ignored,
/// and of its descriptors only the three streams are passed on.
///
/// Sendable: what changes is guarded by the lock, and one thread at a time reads from a stream.
public final class RunningProgram: @unchecked Sendable {
  /// What a stream of the program is.
  public enum Stream {
    /// Nothing comes, and what is written is gone.
    case none
    /// The tests' own.
    case inherited
    case pipe
    case file(URL)
    /// The caller's; it stays open.
    case descriptor(Int32)
    /// For errors: where output goes.
    case output
  }

  public enum Ending: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case killed(signal: Int32)

    public var description: String {
      switch self {
      case .exited(let status): "status \(status)"
      case .killed(let signal): "killed \(signal)"
      }
    }

    /// As a shell tells it.
    public var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  public struct CannotRun: Error, CustomStringConvertible {
    var what: String
    var number: Int32
    public var description: String { "cannot \(what): \(String(cString: strerror(number)))" }
  }

  public let processID: pid_t
  private let name: String
  private let troubles = Troubles.current
  private let output: LineReader?
  private let errors: LineReader?
  private let lock = NSLock()
  private var input: OwnedDescriptor?
  /// Known when the system was asked for it: from then on the number may be another process's.
  private var ending: Ending?

  /// - Parameters:
  ///   - environment: all of it; nil for that of the tests.
  ///   - folder: where it runs; nil for where the tests do.
  public init(
    _ executable: URL, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: URL? = nil,
    input: Stream = .none, output: Stream = .pipe, errors: Stream = .none
  ) throws {
    name = executable.lastPathComponent
    var spawn = Spawn()
    self.input = try spawn.connect(STDIN_FILENO, input)
    self.output = LineReader(try spawn.connect(STDOUT_FILENO, output))
    self.errors = LineReader(try spawn.connect(STDERR_FILENO, errors))
    processID = try spawn.run(
      executable.path, arguments, environment ?? ProcessInfo.processInfo.environment, in: folder)
  }

  deinit { kill() }

  /// That of the tests, with these variables set.
  public static func environment(adding variables: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(variables) { $1 }
  }

  // MARK: - Talking to it

  /// The next line of its output; nil at the end.
  public func line(_ location: SourceLocation = #_sourceLocation) -> String? { bounded(location) { output?.line() } }

  /// All of its output that was not read yet, to the end.
  public func rest(_ location: SourceLocation = #_sourceLocation) -> String {
    bounded(location) { output?.all() ?? "" }
  }

  /// What it writes to standard error, up to the first line that contains `end`.
  public func errors(until end: String, _ location: SourceLocation = #_sourceLocation) -> String {
    bounded(location) {
      var lines: [String] = []
      while let line = errors?.line() {
        lines.append(line)
        if line.contains(end) { break }
      }
      return lines.joined(separator: "\n")
    }
  }

  /// Writes to its input, where that is a pipe.
  public func tell(_ text: String) throws {
    lock.lock()
    defer { lock.unlock() }
    let isWritten =
      switch input {
      case .some(let input): write(text, to: input.number)
      case .none: false
      }
    if !isWritten { throw CannotRun(what: "tell \(name) anything", number: EPIPE) }
  }

  public func closeInput() { lock.withLock { input = nil } }

  /// Does nothing once it is known how it ended.
  public func signal(_ number: Int32) {
    lock.withLock { if ending == nil { _ = Foundation.kill(processID, number) } }
  }

  // MARK: - Its end

  /// Asks and does not wait.
  public var isRunning: Bool {
    lock.withLock {
      guard ending == nil else { return false }
      var information = siginfo_t()
      information.si_signo = 0
      guard waitid(P_PID, id_t(processID), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
      return information.si_signo == 0
    }
  }

  /// Waits for it.
  @discardableResult
  public func end(_ location: SourceLocation = #_sourceLocation) -> Ending { bounded(location) { reap() } }

  /// At once, with all that it has started and that stayed in its group.
  @discardableResult
  public func kill() -> Ending {
    killGroup()
    return reap()
  }

  /// Not when it has ended: the number may be another group's.
  private func killGroup() { lock.withLock { if ending == nil { _ = Foundation.kill(-processID, SIGKILL) } } }

  private func reap() -> Ending {
    var information = siginfo_t()
    // Until it is over, and without the lock: others may ask or kill meanwhile.
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return lock.withLock {
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      let ending: Ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
      self.ending = ending
      return ending
    }
  }

  /// The program is killed when what is waited for does not come: so the wait ends.
  private func bounded<Value>(_ location: SourceLocation, _ body: () -> Value) -> Value {
    OwnThread.isNeeded(for: name, location)
    // Not held by the alarm, which forgets nothing before its time.
    let late = DispatchWorkItem { [weak self] in
      guard let self else { return }
      troubles?.add("\(name) was killed: it was silent for \(Int(patience)) s", location)
      killGroup()
    }
    Self.alarm.asyncAfter(deadline: .now() + patience, execute: late)
    defer { late.cancel() }
    return body()
  }

  private static let alarm = DispatchQueue(label: "patience")
}

private func write(_ text: String, to descriptor: Int32) -> Bool {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno != EINTR { return false }
    rest = rest.dropFirst(max(0, count))
  }
  return true
}

/// The lines of a pipe.
private final class LineReader {
  private let descriptor: OwnedDescriptor
  private var rest: [UInt8] = []

  /// Nil where there is no pipe.
  init?(_ descriptor: consuming OwnedDescriptor?) {
    guard let descriptor = descriptor.take() else { return nil }
    self.descriptor = descriptor
  }

  /// Without its end; nil when the other side is gone.
  func line() -> String? {
    repeat {
      if let end = rest.firstIndex(of: 10) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
    } while readMore()
    defer { rest = [] }
    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
  }

  func all() -> String {
    while readMore() {}
    defer { rest = [] }
    return String(decoding: rest, as: UTF8.self)
  }

  private func readMore() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor.number, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      rest += bytes[..<max(0, count)]
      return count > 0
    }
  }
}
