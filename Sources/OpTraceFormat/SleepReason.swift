/// What a thread sleeps in, by its system call and by what stands where it sleeps.
public enum SleepReason: UInt8, CaseIterable, Sendable {
  /// A system call that says nothing more, or none.
  case unknown = 0
  /// A mutex: `NSLock`, `NSRecursiveLock`, the lock of an `NSCondition`.
  case mutex = 1
  /// A lock that hands its priority on: Swift's `Mutex`.
  case inheriting = 2
  /// A word that holds its owner: libdispatch's once and own locks.
  case word = 3
  /// A reader-writer lock that a writer has.
  case writer = 4
  /// One that readers have, which are not known.
  case readers = 5
  /// The end of a thread.
  case join = 6
  /// Something that nobody owns: a semaphore, a condition, a group.
  case futex = 7
  /// Descriptors: `poll`, `select`, `epoll_wait`.
  case poll = 8
  /// A time.
  case time = 9
  /// Reading, writing, connecting.
  case input = 10
  /// The end of a process.
  case child = 11
  /// A signal.
  case signal = 12
  /// `epoll_wait` without a limit of time, with nothing to wait for but what the process itself does: a run loop or a thread
  /// of libdispatch's without timers, files and connections.
  case events = 13

  /// Whether it is a lock, which a thread holds.
  public var isLock: Bool {
    switch self {
    case .mutex, .inheriting, .word, .writer, .readers: true
    default: false
    }
  }

  /// For people, after "waits for".
  public var text: String {
    switch self {
    case .unknown: "the system"
    case .mutex: "a mutex"
    case .inheriting: "a Mutex"
    case .word: "a lock"
    case .writer, .readers: "a reader-writer lock"
    case .join: "the end of a thread"
    case .futex: "a signal of another thread"
    case .poll: "input or events"
    case .time: "a time"
    case .input: "input or output"
    case .child: "another process"
    case .signal: "a signal of the system"
    case .events: "work from other threads"
    }
  }
}
