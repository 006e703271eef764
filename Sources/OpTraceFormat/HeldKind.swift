/// What a thread can hold while it wants something else, in `order` records.
public enum HeldKind: UInt8, CaseIterable, Sendable {
  /// A mutex of the C library: `NSLock` and the like.
  case mutex = 1
  /// A reader-writer lock of the C library.
  case rwlock = 2
  /// A dispatch queue: whoever runs in it holds it, if it is serial. By its number.
  case queue = 3
  /// A slot of an operation queue, by the queue's number: each operation that runs holds one.
  case slot = 4
  /// A semaphore of libdispatch. Only waited for: nobody is known to hold it.
  case semaphore = 5
  /// A group of libdispatch, or a block that somebody waits for. Only waited for.
  case group = 6
  /// A condition. Only waited for, and the lock that belongs to it is not held meanwhile.
  case condition = 7
  /// The end of an operation, by its number. Only waited for.
  case operation = 8
  /// The end of all operations of a queue, by its number. Only waited for.
  case wholeQueue = 9

  /// Whether the record has a number instead of an address.
  public var isNumbered: Bool {
    switch self {
    case .queue, .slot, .operation, .wholeQueue: true
    case .mutex, .rwlock, .semaphore, .group, .condition: false
    }
  }

  /// Whether threads hold it, and do not only wait for it.
  public var isHeld: Bool {
    switch self {
    case .mutex, .rwlock, .queue, .slot: true
    case .semaphore, .group, .condition, .operation, .wholeQueue: false
    }
  }
}
