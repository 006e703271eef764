internal import COpTrace
internal import Foundation
internal import OpTraceFormat

extension TraceRecorder {
  /// How a recorder keeps what it records.
  public struct Configuration: Sendable, Equatable {
    /// What happens as the file grows.
    public enum Mode: Sendable, Equatable {
      /// The file grows without bound, unless there is a size limit.
      case streaming
      /// A ring of so many bytes: the newest events survive, together with everything about operations that have not
      /// finished. A smaller value than ``Configuration/smallestCapacity`` is raised to it.
      case flightRecorder(capacity: Int)
    }

    /// The clock that events are timed with.
    public enum Clock: Sendable, Equatable {
      /// The processor's counter if it runs evenly on all cores, else the monotonic clock.
      case automatic
      /// The processor's counter, or no trace: if it does not run evenly, opening a recorder throws
      /// ``TraceRecorderError/Code/noEvenCounter``.
      ///
      /// For measurements, which a clock that costs more to read would silently distort. A counter that does not run
      /// evenly is never used: threads on two cores would contradict each other about what came first.
      case counter
      /// The system's monotonic clock, which costs more to read than the counter.
      case monotonic

      /// Whether the counter is read; nil: it is required, and does not run evenly.
      func usesCounter(where isEven: () -> Bool) -> Bool? {
        switch self {
        case .automatic: isEven()
        case .counter: isEven() ? true : nil
        case .monotonic: false
        }
      }
    }

    /// Which stacks are walked, to show where in the code things happened. On Linux; other systems have none.
    public enum Stacks: String, Sendable, CaseIterable {
      /// None. Operations are still named by the code that they run.
      case off
      /// Where each wait of more than a millisecond began, and which line of the program added each operation.
      case waits
      /// The same, with the whole stack of the code that added an operation.
      case all

      var coreValue: UInt32 {
        switch self {
        case .off: UInt32(optrace_stacks_off)
        case .waits: UInt32(optrace_stacks_waits)
        case .all: UInt32(optrace_stacks_all)
        }
      }
    }

    /// Whether it is sampled where the program uses processor time, and how. On Linux.
    public enum Profile: Sendable, Equatable {
      /// It is not.
      case off
      /// By events of the kernel, so many times in each second of a thread's processor time: 1 to 1,000. They interrupt nothing, and
      /// need a system that allows them (`kernel.perf_event_paranoid` of 2 or less, no seccomp profile against them).
      case events(rate: Int = 99)
      /// By a timer for each thread, whose signals (SIGPROF) interrupt it. Needs no permission; a program with a handler for that
      /// signal is left alone.
      case timer(rate: Int = 99)
    }

    /// Whether the file grows, or is a ring.
    public var mode: Mode
    /// The most bytes that a streaming trace may take; nil: no limit. Events beyond it are counted as lost. No trace is
    /// smaller than a page of memory.
    public var sizeLimit: Int?
    /// Read once for each event; all times of a trace are from one clock.
    public var clock: Clock
    /// Which stacks are walked.
    public var stacks: Stacks
    /// Whether blocks of dispatch queues are recorded, too: who submits each, and when and where it runs. On Linux; one
    /// recorder of a process at a time. About doubles the cost of a block.
    public var recordsDispatch: Bool
    /// Whether Swift's tasks are recorded, too: who creates each, when and where it runs, and what it waits for in
    /// between. On Linux; one recorder of a process at a time, best from the program's beginning on. A short task costs
    /// some hundred nanoseconds more.
    public var recordsTasks: Bool

    /// Whether it is recorded what is held while something else is taken: locks of the C library (`NSLock` and the like), serial queues
    /// and slots of operation queues, if these are recorded. Each such order once: a deadlock that has not happened yet is two of them.
    /// On Linux; one recorder of a process at a time. A pair of lock and unlock costs some 10 ns more. Swift's `Mutex` is not heard.
    public var recordsOrders: Bool

    /// Whether the processor time of each operation's code is recorded, too, on the thread where it begins: it
    /// distinguishes computing from sleeping. Reads another clock twice for each operation, for some 200 ns each.
    public var recordsCPUTime: Bool

    /// Whether it is sampled where the program uses processor time: `optrace profile` shows by which functions. Where the system refuses
    /// it, standard error says why, and all else is recorded.
    public var profile: Profile

    /// Of all bytes that the program allocates, one in so many is chosen, and allocations with a chosen byte are sampled, and watched until
    /// they are freed: `optrace memory` shows what allocates, and what grows. 524,288 for services, 65,536 for tests; nil: none are. On Linux;
    /// one recorder of a process at a time.
    public var memory: Int?

    /// Without arguments: a file that grows without limit.
    public init(
      mode: Mode = .streaming, sizeLimit: Int? = nil, clock: Clock = .automatic, stacks: Stacks = .waits,
      recordsDispatch: Bool = false, recordsTasks: Bool = false, recordsOrders: Bool = false,
      recordsCPUTime: Bool = false, profile: Profile = .off, memory: Int? = nil
    ) {
      self.mode = mode
      self.sizeLimit = sizeLimit
      self.clock = clock
      self.stacks = stacks
      self.recordsDispatch = recordsDispatch
      self.recordsTasks = recordsTasks
      self.recordsOrders = recordsOrders
      self.recordsCPUTime = recordsCPUTime
      self.profile = profile
      self.memory = memory
    }

    /// A file that grows without limit.
    public static let streaming = Configuration()

    /// A ring of so many bytes: see ``Mode/flightRecorder(capacity:)``.
    public static func flightRecorder(capacity: Int) -> Configuration {
      Configuration(mode: .flightRecorder(capacity: capacity))
    }

    /// A ring below 256 KiB would hold little but names and threads.
    public static let smallestCapacity = Int(optrace_smallest_capacity)

    /// The core begins the recording.
    func begin(at path: String, usesCounter: Bool) -> optrace_recording {
      var wishes = optrace_wishes()
      wishes.use_counter = usesCounter
      wishes.stacks = stacks.coreValue
      wishes.cpu = recordsCPUTime
      wishes.profile = profile.options
      switch mode {
      case .streaming: wishes.size_limit = sizeLimit.map { UInt64(max(1, $0)) } ?? 0
      case .flightRecorder(let capacity):
        wishes.is_ring = true
        wishes.capacity = UInt64(max(0, capacity))
      }
      // A program may have set it.
      return ProcessInfo.processInfo.processName.withCString { name in
        wishes.process_name = name
        return optrace_recording_begin(path.asPath, &wishes)
      }
    }
  }
}

extension TraceRecorder.Configuration {
  /// Why nothing is sampled, in words, by the system's error number.
  func refusal(of error: Int32) -> String {
    var options = profile.options
    guard let text = optrace_profile_refused(&options, error) else { return "processor time cannot be sampled" }
    defer { free(text) }
    return String(cString: text)
  }
}

extension TraceRecorder.Configuration.Profile {
  fileprivate var options: optrace_profile_options {
    var options = optrace_profile_options()
    switch self {
    case .off: break
    case .events(let rate):
      options.rate = UInt32(clamping: max(1, rate))
      options.by = UInt32(optrace_profile_by_events)
    case .timer(let rate):
      options.rate = UInt32(clamping: max(1, rate))
      options.by = UInt32(optrace_profile_by_timer)
    }
    return options
  }

  /// As the environment asks for it.
  init(_ options: optrace_profile_options) {
    guard options.rate > 0 else {
      self = .off
      return
    }
    let isByTimer = options.by == UInt32(optrace_profile_by_timer)
    self = isByTimer ? .timer(rate: Int(options.rate)) : .events(rate: Int(options.rate))
  }
}
