internal import COpTrace
package import Foundation
internal import OpTraceFormat

/// An operation in a queue, as observers know it.
///
/// Sendable: `follower`, `others` and `wantsSteps` are set before it is shared; `progress`, `state` and the list's
/// links are only touched under the lock of `queue`; the rest is constant.
package final class FollowedOperation: ObserverCompanion, @unchecked Sendable {
  /// How far it is: nanoseconds of the monotonic clock, ``Observers/now``; nil: not yet.
  package struct Progress: Sendable {
    package var enqueued: UInt64
    package var isCancelled = false
    package var ready: UInt64?
    package var started: UInt64?
    package var began: UInt64?
    package var ended: UInt64?
  }

  enum State { case waiting, ready, executing, over }

  /// In its recorder's trace.
  package let number: UInt32
  package let queue: FollowedQueue
  /// Most have one, and a list would be an allocation.
  private var follower: (any WorkFollower)?
  private var others: [any WorkFollower] = []
  private var wantsSteps = false
  /// It lives as long as there are steps. Nil: a barrier block.
  private let object: Unmanaged<Operation>?

  /// These belong to the queue.
  var progress: Progress
  var state = State.waiting
  var next: FollowedOperation?
  /// In the list, which owns it.
  unowned(unsafe) var previous: FollowedOperation?

  private init(number: UInt32, _ operation: Operation?, _ queue: FollowedQueue) {
    self.number = number
    self.queue = queue
    object = operation.map { Unmanaged.passUnretained($0) }
    progress = Progress(enqueued: Observers.now)
  }

  /// An operation is being added to a queue that does not know it yet. Both are recorded.
  static func enqueued(
    _ operation: Operation?, _ probe: OperationProbe, number: UInt32, on queue: OpaquePointer?,
    _ describe: () -> (name: String?, limit: Int)
  ) {
    guard !optrace_companion_is_notified(), optrace_operation_companion(probe.pointer) == nil,
      let queue = Observers.queue(queue, describe)
    else { return }
    let live = FollowedOperation(number: number, operation, queue)
    for observer in Observers.current() {
      if let follower = observer.follow(live, operation) { live.add(follower) }
    }
    guard live.follower != nil else { return }
    if live.wantsSteps { queue.enter() }
    guard live.accompany(probe.pointer, isNotified: live.wantsSteps) else {
      _ = queue.ended(live, now: Observers.now)
      return
    }
    // It became ready before anybody followed it.
    if probe.has(OperationProbe.Bits.ready) { live.reached(EventKind.ready.rawValue, .init(start: nil, count: 0)) }
  }

  private func add(_ new: any WorkFollower) {
    if follower == nil { follower = new } else { others.append(new) }
    if new.wantsSteps { wantsSteps = true }
  }

  /// For an operation that is alive; nil: it has no followers.
  package static func of(_ operation: Operation) -> FollowedOperation? {
    let pointer =
      operation.ownProbe?.pointer ?? optrace_object_find(Unmanaged.passUnretained(operation).toOpaque())
    return ObserverCompanion.of(pointer) as? FollowedOperation
  }

  /// The followed operations that it depends on. For its followers, while it has steps.
  package var dependencies: [FollowedOperation] {
    guard let operation = object?.takeUnretainedValue() else { return [] }
    if let own = operation.ownProbe, !own.has(OperationProbe.Bits.hasDependencies) { return [] }
    return operation.dependencies.compactMap(FollowedOperation.of)
  }

  package var currentProgress: Progress { queue.progress(of: self) }

  /// The follower of this type.
  package func follower<Follower: WorkFollower>(_ kind: Follower.Type) -> Follower? {
    if let found = follower as? Follower { return found }
    for other in others { if let found = other as? Follower { return found } }
    return nil
  }

  // MARK: - Notifications

  override func run(_ body: () -> Void) {
    guard let follower else { return body() }
    if others.isEmpty { follower.run(body) } else { follower.run { run(body, others[...]) } }
  }

  private func run(_ body: () -> Void, _ rest: ArraySlice<any WorkFollower>) {
    guard let follower = rest.first else { return body() }
    follower.run { run(body, rest.dropFirst()) }
  }

  override func reached(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) {
    if wantsSteps, let step = takeNote(of: kind, text) {
      follower?.reached(step, of: self)
      for other in others { other.reached(step, of: self) }
    }
    if kind == EventKind.released.rawValue { leave() }
  }

  private func takeNote(of kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) -> WorkStep? {
    if kind == UInt8(optrace_companion_left) { return queue.ended(self, now: Observers.now) ? .dropped : nil }
    switch EventKind(rawValue: kind) {
    case .ready: return queue.ready(self, now: Observers.now) ? .ready : nil
    case .started: return queue.started(self, now: Observers.now).map { .started(slot: $0) }
    case .executionBegan: return queue.began(self, now: Observers.now) ? .began : nil
    case .cancelRequested: return queue.cancelled(self) ? .cancelled : nil
    case .finished: return queue.ended(self, now: Observers.now) ? .finished(error: nil) : nil
    case .finishedWithError:
      return queue.ended(self, now: Observers.now) ? .finished(error: String(decoding: text, as: UTF8.self)) : nil
    case .released: return queue.ended(self, now: Observers.now) ? .dropped : nil
    default: return nil
    }
  }
}

extension Observers {
  /// The clock of all times here.
  package static var now: UInt64 { optrace_clock_monotonic() }
}
