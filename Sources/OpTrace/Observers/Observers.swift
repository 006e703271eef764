internal import COpTrace
package import Foundation

/// What happens to an operation in a queue, in this order. Each comes at most once, and the last one always comes while
/// the program runs.
package enum WorkStep: Sendable {
  /// Everything that it waited for is over.
  case ready
  /// The queue has started it. `slot`: the operation whose end freed the slot that it took, if it had to wait for one.
  case started(slot: FollowedOperation?)
  /// Its code begins.
  case began
  /// Its cancellation was requested.
  case cancelled
  /// It is over; with an error if there is a text.
  case finished(error: String?)
  /// It was released, or nothing is reported about it any more, and it had not finished.
  case dropped
}

/// Observes operations while they live. An operation is added to a queue, goes through its states on whatever threads,
/// and its code runs on one of them. What is made of that (a span, a count) is the observer's business.
package protocol WorkObserver: AnyObject, Sendable {
  /// An operation is being added to a queue: on the adding thread, before the queue has it. Returns its follower; nil:
  /// none.
  ///
  /// What this call itself does with operations is not observed.
  func follow(_ live: FollowedOperation, _ operation: Operation?) -> (any WorkFollower)?
}

/// Follows one operation. Called on the thread where things happen, perhaps under locks of the operation or of
/// Foundation: it must not wait for operations or queues.
package protocol WorkFollower: AnyObject, Sendable {
  /// False: it only encloses the code. Nothing is counted then.
  var wantsSteps: Bool { get }
  func reached(_ step: WorkStep, of live: FollowedOperation)
  /// Calls `body`, a part of the operation's code, once. Several may run at the same time.
  func run(_ body: () -> Void)
}

/// The observers of the process.
package enum Observers {
  private static let lock = Lock()
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var observers: [any WorkObserver] = []
  /// The queues that exist. (Weak references to them would make each use cost three times the usual.) Only touched
  /// under `lock`.
  nonisolated(unsafe) private static var queues: [ObjectIdentifier: FollowedQueue] = [:]

  private static let isPrepared: Void = {
    var calls = optrace_companion_calls()
    calls.notify = { companion, kind, text, length in
      companion.map(ObserverCompanion.at)?.reached(kind, UnsafeBufferPointer(start: text, count: length))
    }
    calls.run = { companion, body, argument in
      guard let body else { return }
      guard let companion else { return body(argument) }
      ObserverCompanion.at(companion).run { body(argument) }
    }
    optrace_companions_use(&calls)
  }()

  /// From here on observes operations that are added to queues and recorded by any recorder.
  package static func add(_ observer: any WorkObserver) {
    _ = isPrepared
    lock.withLock {
      observers.append(observer)
      optrace_want_companions(true)
    }
  }

  /// Operations that have a follower keep it.
  package static func remove(_ observer: any WorkObserver) {
    lock.withLock {
      observers.removeAll { $0 === observer }
      if observers.isEmpty { optrace_want_companions(false) }
    }
  }

  /// Existing queues that operations were added to since somebody observes.
  package static var allQueues: [FollowedQueue] { lock.withLock { Array(queues.values) } }

  static func forget(_ queue: FollowedQueue) {
    lock.withLock { _ = queues.removeValue(forKey: ObjectIdentifier(queue)) }
  }

  static func current() -> [any WorkObserver] { lock.withLock { observers } }

  /// The queue as observers know it, created at first sight. Nil: it carries nothing.
  static func queue(_ pointer: OpaquePointer?, _ description: () -> (name: String?, limit: Int)) -> FollowedQueue? {
    if let known = ObserverCompanion.of(pointer) { return known as? FollowedQueue }
    let described = description()
    let queue = FollowedQueue(name: described.name, limit: described.limit)
    guard queue.accompany(pointer, isNotified: true) else { return ObserverCompanion.of(pointer) as? FollowedQueue }
    lock.withLock { queues[ObjectIdentifier(queue)] = queue }
    return queue
  }
}
