import COpTrace
import Foundation
package import OpTraceModel

/// The process that writes a trace, while it is alive.
package enum LiveProcess {
  /// Whether the process that opened the trace still exists: same id, same start time, same boot of the system, and it
  /// has not become another program (`exec`). A later process with that id is another one.
  package static func writes(_ trace: Trace) -> Bool { writes(trace.header) }

  package static func writes(_ header: TraceHeader) -> Bool {
    // Nobody writes to a kept copy, though its program may go on.
    guard !header.isClosed, header.kept == nil, isThere(header), let status = ProcessStatus(of: header.processID) else {
      return false
    }
    return !status.isDead && ProcessImage.holds(header, status)
  }

  /// What has happened to a program whose trace can no longer be read.
  package static func ending(of header: TraceHeader) -> String {
    if header.kept != nil { return "still ran" }
    if header.isClosed {
      // A recorder stops a little before its program ends, or while that goes on.
      var looks = 0
      while looks < 20, isAlive(header) {
        usleep(50_000)
        looks += 1
      }
      return isAlive(header) ? "is no longer recorded" : "has ended"
    }
    guard isThere(header), let status = ProcessStatus(of: header.processID), !status.isDead else {
      return "was killed"
    }
    // A packed trace, a text, or one from a pipe is a copy.
    return ProcessImage.holds(header, status) ? "still ran" : "has become another program"
  }

  private static func isAlive(_ header: TraceHeader) -> Bool {
    isThere(header) && ProcessStatus(of: header.processID)?.isDead == false
  }

  private static func isThere(_ header: TraceHeader) -> Bool {
    guard header.processID > 0, header.processStart > 0 else { return false }
    var boot = [UInt8](repeating: 0, count: 16)
    optrace_boot_id(&boot)
    guard boot.contains(where: { $0 != 0 }), header.bootID == boot else { return false }
    return optrace_process_start(header.processID) == header.processStart
  }

  /// The processor time that a thread has used so far, in nanoseconds; nil: it has ended, or the system does not tell.
  package static func used(by thread: UInt32, of process: Int32) -> Nanoseconds? {
    let path = "/proc/\(process)/task/\(thread)/schedstat"
    guard let text = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }),
      let first = text.split(separator: " ").first
    else { return nil }
    return Nanoseconds(first)
  }

  /// Whether it was stopped by a signal or a debugger.
  package static func isStopped(_ processID: UInt32) -> Bool { ProcessStatus(of: processID)?.isStopped ?? false }

  /// Why its system calls and its memory cannot be read, and what to do.
  package static func missingRights(for processID: UInt32) -> String {
    var status = stat()
    let isOwn = stat("/proc/\(processID)", &status) == 0 && status.st_uid == geteuid()
    guard isOwn else { return "run it as the same user or as root" }
    let scope = FileManager.default.contents(atPath: "/proc/sys/kernel/yama/ptrace_scope")?.first
    if scope == nil || scope == UInt8(ascii: "0") { return "run it as root" }
    return "run it as root, or set kernel.yama.ptrace_scope to 0 ('sysctl kernel.yama.ptrace_scope=0')"
  }

  /// The present on the clock of a trace from this machine.
  package static func now(of trace: Trace) -> Nanoseconds { now(of: trace.header) }

  package static func now(of header: TraceHeader) -> Nanoseconds {
    let (time, isBefore) = optrace_clock_monotonic().subtractingReportingOverflow(header.startMonotonic)
    return isBefore ? 0 : Nanoseconds(clamping: time)
  }
}
