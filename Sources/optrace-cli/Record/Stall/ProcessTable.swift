#if os(Linux)
  import Foundation
  import OpTraceModel

  /// The processes of this machine at one moment, from `/proc`: who started whom, and who used the processor.
  struct ProcessTable {
    struct Entry {
      var parent: pid_t
      /// The system's letter for its state.
      var state: UInt8
      /// Processor time of the process, and of its ended children that were waited for; in clock ticks.
      var ticks: UInt64
      /// The part of that in its own code, not in the system's.
      var userTicks: UInt64
      /// Processor time of the process alone, in clock ticks.
      var ownTicks: UInt64
      /// When it began, in clock ticks: distinguishes it from a later process with the same id.
      var began: UInt64

      var threads: UInt64

      /// Whether it has ended, but keeps its id until its parent asks for its status. If only its first thread has
      /// ended, it is alive.
      var isDead: Bool { state == UInt8(ascii: "X") || state == UInt8(ascii: "Z") && threads <= 1 }
      /// Whether it was stopped by a signal or a debugger.
      var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }
    }

    private(set) var entries: [pid_t: Entry] = [:]
    private var children: [pid_t: [pid_t]] = [:]

    /// O(processes of the machine).
    init() {
      for name in namesInFolder("/proc") {
        guard let number = pid_t(name), let entry = Self.entry(of: number) else { continue }
        entries[number] = entry
        children[entry.parent, default: []].append(number)
      }
    }

    subscript(_ process: pid_t) -> Entry? { entries[process] }

    /// The process, and those that it started, directly or not; parents before their children.
    func tree(of process: pid_t) -> [pid_t] {
      guard entries[process] != nil else { return [] }
      var found = [process]
      var next = 0
      while next < found.count {
        found += children[found[next]] ?? []
        next += 1
      }
      return found
    }

    /// Processor time of some processes, and the part of it in their own code.
    func ticks(of processes: [pid_t]) -> (all: UInt64, user: UInt64) {
      processes.reduce((0, 0)) { ($0.0 &+ (self[$1]?.ticks ?? 0), $0.1 &+ (self[$1]?.userTicks ?? 0)) }
    }

    /// Nil: there is no such process.
    static func entry(of process: pid_t) -> Entry? {
      guard let file = OwnedDescriptor(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)) else { return nil }
      var bytes = [UInt8](repeating: 0, count: 1024)
      let count = read(file.number, &bytes, bytes.count)
      // The program's name may contain any character.
      guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
      func number(_ field: Int) -> UInt64 {
        fields[field].reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) }
      }
      guard fields.count > 19, let state = fields[0].first else { return nil }
      return Entry(
        parent: pid_t(truncatingIfNeeded: number(1)), state: state,
        ticks: number(11) &+ number(12) &+ number(13) &+ number(14),
        userTicks: number(11) &+ number(13), ownTicks: number(11) &+ number(12), began: number(19), threads: number(17))
    }
  }
#endif
