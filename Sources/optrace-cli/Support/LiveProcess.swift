#if CLI
  import COpTrace
  import Foundation
  import OpTraceModel

  /// The process that writes a trace, while it lives.
  enum LiveProcess {
    /// Whether the process that opened the trace is still there: of the same number, begun at the same time, since the
    /// same start of the system. A later process of that number is another one.
    static func writes(_ trace: Trace) -> Bool { writes(trace.header) }

    static func writes(_ header: TraceHeader) -> Bool {
      guard !header.isClosed, header.processID > 0, header.processStart > 0 else { return false }
      var boot = [UInt8](repeating: 0, count: 16)
      optrace_boot_id(&boot)
      guard boot.contains(where: { $0 != 0 }), header.bootID == boot else { return false }
      return optrace_process_start(header.processID) == header.processStart && !isDead(header.processID)
    }

    /// One that has ended keeps its number until its parent asks for its status.
    private static func isDead(_ processID: UInt32) -> Bool {
      [UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(letter(of: processID))
    }

    /// Whether a signal has stopped it, or a debugger has it.
    static func isStopped(_ processID: UInt32) -> Bool {
      [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(letter(of: processID))
    }

    /// The system's letter for what a process does; nil: not known.
    private static func letter(of processID: UInt32) -> UInt8? {
      guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/stat"),
        let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.endIndex
      else { return nil }
      return bytes[end + 2]
    }

    /// Why its calls and its memory cannot be read, and what to do.
    static func missingRights(for processID: UInt32) -> String {
      var status = stat()
      let isOwn = stat("/proc/\(processID)", &status) == 0 && status.st_uid == geteuid()
      guard isOwn else { return "run it as the same user or as root" }
      let scope = FileManager.default.contents(atPath: "/proc/sys/kernel/yama/ptrace_scope")?.first
      if scope == nil || scope == UInt8(ascii: "0") { return "run it as root" }
      return "run it as root, or set kernel.yama.ptrace_scope to 0 ('sysctl kernel.yama.ptrace_scope=0')"
    }

    /// The present on the clock of a trace of this machine.
    static func now(of trace: Trace) -> Nanoseconds { now(of: trace.header) }

    static func now(of header: TraceHeader) -> Nanoseconds {
      let (time, isBefore) = optrace_clock_monotonic().subtractingReportingOverflow(header.startMonotonic)
      return isBefore ? 0 : Nanoseconds(clamping: time)
    }
  }
#endif
