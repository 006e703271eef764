internal import COpTrace
package import Foundation

/// What becomes of an operation in a queue, in this order. Each comes once at most, and the last always, while the program lives.
package enum LiveTurn: Sendable {
  /// Everything that it waited for is over.
  case ready
  /// The queue has started it. `slot`: the operation whose end made the place that it took, if it had to wait for one.
  case started(slot: LiveOperation?)
  /// Its code begins.
  case began
  /// Somebody has asked it to end.
  case cancelled
  /// It is over; with an error where there is a text.
  case finished(error: String?)
  /// It is gone, or nobody tells of it any more; and it was never over.
  case dropped
}

/// Who wants to know of operations while they live. The model behind it: an operation is added to a queue by somebody, goes
/// through its turns on whatever threads, and its code runs on one. What is made of that (a span, a count) is the observer's.
package protocol LiveObserver: AnyObject, Sendable {
  /// Somebody adds an operation to a queue: on that thread, before the queue hears of it. What comes back follows it; nil: nobody.
  ///
  /// What the call does with operations is not observed.
  func follow(_ live: LiveOperation, _ operation: Operation?) -> (any LiveFollower)?
}

/// What follows one operation. Called on the thread where it happens, perhaps under locks of the operation's or of Foundation's:
/// it must not wait for operations or queues.
package protocol LiveFollower: AnyObject, Sendable {
  /// False: it only stands around the code. Nothing is counted then.
  var wantsTurns: Bool { get }
  func turned(_ turn: LiveTurn, of live: LiveOperation)
  /// Calls `body`, a part of the operation's code, once. Several may run at the same time.
  func run(_ body: () -> Void)
}

/// Who observes the process.
package enum Live {
  private static let lock = Lock()
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var observers: [any LiveObserver] = []
  /// Those that are there. (Held by weak references, each use of them would cost three times the usual.) Only touched under `lock`.
  nonisolated(unsafe) private static var queues: [ObjectIdentifier: LiveQueue] = [:]

  private static let isPrepared: Void = {
    var calls = optrace_companion_calls()
    calls.notify = { companion, kind, text, length in
      companion.map(LiveCompanion.at)?.turned(kind, UnsafeBufferPointer(start: text, count: length))
    }
    calls.run = { companion, body, argument in
      guard let body else { return }
      guard let companion else { return body(argument) }
      LiveCompanion.at(companion).run { body(argument) }
    }
    optrace_companions_use(&calls)
  }()

  /// From here on, of operations that are added to queues and recorded by any recorder.
  package static func add(_ observer: any LiveObserver) {
    _ = isPrepared
    lock.withLock {
      observers.append(observer)
      optrace_want_companions(true)
    }
  }

  /// What follows operations already goes on.
  package static func remove(_ observer: any LiveObserver) {
    lock.withLock {
      observers.removeAll { $0 === observer }
      if observers.isEmpty { optrace_want_companions(false) }
    }
  }

  /// Queues that operations were added to since somebody observes, and that are still there.
  package static var allQueues: [LiveQueue] { lock.withLock { Array(queues.values) } }

  static func forget(_ queue: LiveQueue) {
    lock.withLock { _ = queues.removeValue(forKey: ObjectIdentifier(queue)) }
  }

  static func current() -> [any LiveObserver] { lock.withLock { observers } }

  /// What is known of a queue; made at first sight. Nil: it carries nothing.
  static func queue(_ pointer: OpaquePointer?, _ description: () -> (name: String?, limit: Int)) -> LiveQueue? {
    if let known = LiveCompanion.of(pointer) { return known as? LiveQueue }
    let described = description()
    let queue = LiveQueue(name: described.name, limit: described.limit)
    guard queue.accompany(pointer, hears: true) else { return LiveCompanion.of(pointer) as? LiveQueue }
    lock.withLock { queues[ObjectIdentifier(queue)] = queue }
    return queue
  }
}
