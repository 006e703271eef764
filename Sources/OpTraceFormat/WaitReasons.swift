/// What a thread sleeps in, by its system call and by the words in memory that it sleeps on.
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
  /// The initialiser of a global or a static property, which another thread runs. The lock is the token that Swift's runtime keeps for it.
  case once = 14
  /// A lock or a semaphore in memory that processes share (since 1.9): another one may have it, or signal it.
  case shared = 15

  /// Whether it is a lock, which a thread holds.
  public var isLock: Bool {
    switch self {
    case .mutex, .inheriting, .word, .writer, .readers, .once: true
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
    case .once: "the initialiser of a global"
    case .shared: "something that it shares with other processes"
    }
  }
}

/// A kind of descriptor that a thread waits for in a call that reads, writes or polls. For ``SleepReason/poll`` and
/// ``SleepReason/input``, `lock` of a `seen` record is the sum of those in the call (since 1.7; 0: not known).
public enum EventSource: UInt64, CaseIterable, Sendable {
  /// A socket.
  case socket = 1
  /// A pipe.
  case pipe = 2
  /// A terminal.
  case terminal = 4
  /// A `signalfd`: signals of the system.
  case signal = 8
  /// A `timerfd` that is set.
  case timer = 16
  /// An `eventfd`.
  case event = 32
  /// An `inotify` or `fanotify` descriptor: changes of files.
  case changes = 64
  /// A `pidfd`: the end of another process.
  case process = 128
  /// A file.
  case file = 256
  /// Anything else.
  case other = 512
  /// A `timerfd` that is set, in a program whose only timers so far are those with which Foundation's run loop ends its
  /// waits (since 1.10).
  case loopTimer = 1024

  /// For people; nil: there is no word for it.
  private var word: String? {
    switch self {
    case .socket: "a socket"
    case .pipe: "a pipe"
    case .terminal: "the terminal"
    case .signal: "a signal of the system"
    case .timer, .loopTimer: "a timer"
    case .event: "an eventfd"
    case .changes: "changes of files"
    case .process: "another process"
    case .file: "a file"
    case .other: nil
    }
  }

  /// The words of a sum, after "waits for": `a socket or a timer`. Empty: not known.
  public static func words(of sum: UInt64) -> String {
    let words = allCases.filter { sum & $0.rawValue != 0 }.compactMap(\.word)
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}

/// Who has the other ends of what a thread waits for without a time limit, in `lock` of a `seen` record beside the
/// ``EventSource``s (since 1.10). For ``SleepReason/child`` it says what the child does. No case (0): not known, or not
/// the same for all descriptors.
public enum EventEnd: UInt64, CaseIterable, Sendable {
  /// This process alone: it reads and writes a pipe itself, is connected to itself, or has the lock of a file.
  case own = 1
  /// Another process too, or a child that does not wait for this process.
  case other = 2
  /// A child that a signal has stopped.
  case stopped = 3
  /// A child, or its own child, that reads from a pipe or a socket into which this process alone can write.
  case reader = 4
  /// A child, or its own child, that writes into a pipe or a socket from which this process alone can read.
  case writer = 5

  /// Where the case begins in `lock`, in bits.
  package static let shift = 16
  /// Where the other process's number begins: that of a child, or of one of those that have the other end; 0: none.
  package static let processShift = 20
  /// The largest number of a process that fits.
  package static let largestProcess = 0xFFF_FFFF

  /// What `lock` says; nil: nothing.
  public init?(lock: UInt64) { self.init(rawValue: lock / 0x1_0000 % 16) }

  /// The other process in `lock`; nil: none.
  public static func process(lock: UInt64) -> Int? {
    let number = Int(lock / 0x10_0000 % UInt64(largestProcess + 1))
    return number == 0 ? nil : number
  }
}

/// What a thread blocks on, besides operations and operation queues; and the call that adds to a queue, which may hang.
public enum WaitedObject: UInt8, CaseIterable, Sendable {
  /// A `DispatchSemaphore`: `wait()`.
  case semaphore = 1
  /// A `DispatchGroup`: `wait()`.
  case group = 2
  /// A dispatch queue: `sync`.
  case queue = 3
  /// An `NSCondition`, or a lock made of one: `wait()`.
  case condition = 4
  /// A call that adds to an operation queue, whose address stands for it.
  case adding = 5
  /// Time: `sleep`, `usleep`, `nanosleep`, `clock_nanosleep`. One object for all of them.
  case sleep = 6
  /// A disk: `fsync`, `fdatasync`, `msync`, `sync_file_range`. One object for all of them.
  case disk = 7
  /// A system call that waits for input, output, a process or a host's name (since 1.10). Its address stands for the call and its
  /// descriptor, its name says what it does, such as `recv from 127.0.0.1:5432`.
  case call = 8
  /// A mutex of the C library that another thread has: `NSLock` and the like (since 1.10).
  case mutex = 9
  /// A reader-writer lock of the C library (since 1.10).
  case rwlock = 10
  /// A lock with priority inheritance, Swift's `Mutex` (since 1.10).
  case inheriting = 11

  /// The word of the text form.
  public var word: String {
    switch self {
    case .semaphore: "semaphore"
    case .group: "group"
    case .queue: "queue"
    case .condition: "condition"
    case .adding: "adding"
    case .sleep: "sleep"
    case .disk: "disk"
    case .call: "call"
    case .mutex: "mutex"
    case .rwlock: "rwlock"
    case .inheriting: "inheriting"
    }
  }

  /// What it is called, before its name or number.
  package var title: String {
    switch self {
    case .queue: "dispatch queue"
    case .rwlock: "reader-writer lock"
    case .inheriting: "Mutex"
    default: word
    }
  }

  /// Whether it is a lock. Then `signalled` behind its waits says which thread had it when the wait began.
  public var isLock: Bool { self == .mutex || self == .rwlock || self == .inheriting }

  /// Whether a wait for it ends without another thread of the process: nobody signals it, and it is never blocked for ever.
  public var endsByItself: Bool { self == .sleep || self == .disk }

  /// Whether threads wait for it in a system call or for a lock. These waits are `Trace.holdups`, and no sign of a hang: those in which
  /// a program hangs are told from snapshots.
  package var isHoldup: Bool { isLock || self == .call }

  /// Whether records name it.
  package var hasName: Bool { self == .queue || self == .call }
}

/// What the second and third word of `blocked`, `signalled` and `unblocked` records say; the last has no third, which
/// counts as 0.
package struct BlockingFields: Sendable {
  private let fields: EventFields.Blocked

  package init(_ word1: UInt64, _ word2: UInt64) { fields = EventFields.Blocked(word1, word2) }

  /// Address and kind as one number, which names the object while it lives.
  package var object: UInt64 { EventFields.Unblocked(object: fields.object, kind: fields.kind).word1 }
  package var address: UInt64 { fields.object }
  /// A ``WaitedObject``'s raw value, or a number that this version does not know.
  package var kind: UInt8 { fields.kind }
  /// In units of ``Layout/ageUnit``; ``Layout/largestAge``: at least that.
  package var age: UInt64 { fields.age }
  /// 0: none.
  package var thread: UInt32 { fields.thread }
}
