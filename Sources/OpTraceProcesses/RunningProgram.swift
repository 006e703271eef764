#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// A program that was started, until somebody has waited for its end.
package final class RunningProgram {
  package let id: pid_t
  private var ending: ProgramEnding?

  init(_ id: pid_t) { self.id = id }

  /// Waits for its end.
  @discardableResult
  package func wait() -> ProgramEnding {
    while ending == nil { update(0) }
    return ending ?? .exited(0)
  }

  package var isRunning: Bool {
    update(WNOHANG)
    return ending == nil
  }

  /// Sends it a signal if it still runs: afterwards its number may be another program's.
  package func send(_ signal: Int32) {
    if isRunning { kill(id, signal) }
  }

  private func update(_ options: Int32) {
    guard ending == nil else { return }
    var status: Int32 = 0
    switch waitpid(id, &status, options) {
    case id: ending = ProgramEnding(status: status)
    // The system keeps no status if this process was started with SIGCHLD ignored.
    case ..<0 where errno != EINTR: ending = .exited(0)
    default: break
    }
  }
}

package enum ProgramEnding: Equatable, Sendable {
  case exited(Int32)
  case killed(signal: Int32)

  /// As `waitpid` has it, for a program that is over.
  package init(status: Int32) {
    self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
  }

  /// As a shell has it: the status, or 128 and the signal.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .killed(let signal): 128 + signal
    }
  }
}

/// A pipe. Both ends are closed in programs that are started, and here when the pipe goes.
package struct SystemPipe: ~Copyable, Sendable {
  /// To read from.
  package let start: Int32
  /// To write to; below 0: closed.
  package private(set) var end: Int32

  /// Nil, with `errno`, where there are no more descriptors.
  package init?() {
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { return nil }
    // A program that another thread starts in between keeps both ends: `pipe2`, which takes one step, is not in Swift's headers.
    for number in pair { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    (start, end) = (pair[0], pair[1])
  }

  deinit {
    close(start)
    if end >= 0 { close(end) }
  }

  package mutating func closeEnd() {
    if end >= 0 { close(end) }
    end = -1
  }
}
