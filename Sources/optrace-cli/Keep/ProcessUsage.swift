#if os(Linux)
  import Foundation
  import OpTraceModel

  /// What a process uses, from `/proc`.
  struct ProcessUsage {
    /// Processor time of the process, in nanoseconds.
    let used: Nanoseconds
    /// Memory in use, in bytes.
    let rss: UInt64
    /// When it began, in clock ticks: distinguishes it from a later process with the same id.
    let began: UInt64
    let isStopped: Bool

    private static let nanosecondsPerTick = 1_000_000_000 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    private static let page = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))

    /// Nil: it has ended.
    init?(of process: pid_t) {
      guard let entry = ProcessTable.entry(of: process), !entry.isDead else { return nil }
      used = Nanoseconds(Double(entry.ownTicks) * Self.nanosecondsPerTick)
      began = entry.began
      isStopped = entry.isStopped
      rss = Self.numbers(in: "/proc/\(process)/statm").dropFirst().first.map { $0 &* Self.page } ?? 0
    }

    /// How many processors it may use at once: those that it could run on when its trace began, or fewer if its control
    /// group has a limit.
    static func processors(of header: TraceHeader) -> Double {
      let count = Double(header.processors ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
      return min(count, quota(of: header.processID) ?? count)
    }

    /// The smallest limit of the control groups that it is in (version 2); nil: there is none, or it cannot be seen.
    private static func quota(of process: UInt32) -> Double? {
      let groups = text(of: "/proc/\(process)/cgroup").split(separator: "\n")
      guard let own = groups.first(where: { $0.hasPrefix("0::") })?.dropFirst(3) else { return nil }
      var folder = own == "/" ? "" : String(own)
      var smallest: Double?
      while true {
        let limit = text(of: "/sys/fs/cgroup\(folder)/cpu.max").split(separator: " ").map { Double($0) }
        if limit.count == 2, let time = limit[0], let period = limit[1], period > 0 {
          smallest = min(smallest ?? .infinity, time / period)
        }
        guard let end = folder.lastIndex(of: "/") else { return smallest }
        folder = String(folder[..<end])
      }
    }

    private static func text(of path: String) -> String {
      guard let file = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC)) else { return "" }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(file.number, &bytes, bytes.count)
      return String(decoding: bytes[..<max(0, count)], as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private static func numbers(in path: String) -> [UInt64] {
      text(of: path).split(separator: " ").compactMap { UInt64($0) }
    }
  }
#endif
