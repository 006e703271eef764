internal import COpTrace
package import Foundation
internal import OpTraceFormat

/// An operation in a queue, as observers know it.
///
/// Sendable: `follower`, `others` and `wantsTurns` are set before it is shared; `progress`, `state` and the list's
/// links are only touched under the lock of `queue`; the rest is constant.
package final class LiveOperation: LiveCompanion, @unchecked Sendable {
  /// How far it is: nanoseconds of the monotonic clock, ``Live/now``; nil: not yet.
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
  package let queue: LiveQueue
  /// Most have one, and a list would be an allocation.
  private var follower: (any LiveFollower)?
  private var others: [any LiveFollower] = []
  private var wantsTurns = false
  /// It lives as long as there are turns. Nil: a barrier block.
  private let object: Unmanaged<Operation>?

  /// These belong to the queue.
  var progress: Progress
  var state = State.waiting
  var next: LiveOperation?
  /// In the list, which owns it.
  unowned(unsafe) var previous: LiveOperation?

  private init(number: UInt32, _ operation: Operation?, _ queue: LiveQueue) {
    self.number = number
    self.queue = queue
    object = operation.map { Unmanaged.passUnretained($0) }
    progress = Progress(enqueued: Live.now)
  }

  /// An operation is being added to a queue that does not know it yet. Both are recorded.
  static func enqueued(
    _ operation: Operation?, _ probe: OperationProbe, number: UInt32, on queue: OpaquePointer?,
    _ describe: () -> (name: String?, limit: Int)
  ) {
    guard !optrace_companion_is_notified(), optrace_operation_companion(probe.pointer) == nil,
      let queue = Live.queue(queue, describe)
    else { return }
    let live = LiveOperation(number: number, operation, queue)
    for observer in Live.current() {
      if let follower = observer.follow(live, operation) { live.add(follower) }
    }
    guard live.follower != nil else { return }
    if live.wantsTurns { queue.enter() }
    guard live.accompany(probe.pointer, isNotified: live.wantsTurns) else {
      _ = queue.ended(live, now: Live.now)
      return
    }
    // It became ready before anybody followed it.
    if probe.has(OperationProbe.Bits.ready) { live.turned(EventKind.ready.rawValue, .init(start: nil, count: 0)) }
  }

  private func add(_ new: any LiveFollower) {
    if follower == nil { follower = new } else { others.append(new) }
    if new.wantsTurns { wantsTurns = true }
  }

  /// For an operation that is alive; nil: it has no followers.
  package static func of(_ operation: Operation) -> LiveOperation? {
    let pointer =
      operation.ownProbe?.pointer ?? optrace_object_find(Unmanaged.passUnretained(operation).toOpaque())
    return LiveCompanion.of(pointer) as? LiveOperation
  }

  /// The followed operations that it depends on. For its followers, while it has turns.
  package var dependencies: [LiveOperation] {
    guard let operation = object?.takeUnretainedValue() else { return [] }
    if let own = operation.ownProbe, !own.has(OperationProbe.Bits.hasDependencies) { return [] }
    return operation.dependencies.compactMap(LiveOperation.of)
  }

  package var currentProgress: Progress { queue.progress(of: self) }

  /// The follower of this type.
  package func follower<Follower: LiveFollower>(_ kind: Follower.Type) -> Follower? {
    if let found = follower as? Follower { return found }
    for other in others { if let found = other as? Follower { return found } }
    return nil
  }

  // MARK: - Notifications

  override func run(_ body: () -> Void) {
    guard let follower else { return body() }
    if others.isEmpty { follower.run(body) } else { follower.run { run(body, others[...]) } }
  }

  private func run(_ body: () -> Void, _ rest: ArraySlice<any LiveFollower>) {
    guard let follower = rest.first else { return body() }
    follower.run { run(body, rest.dropFirst()) }
  }

  override func turned(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) {
    if wantsTurns, let turn = takeNote(of: kind, text) {
      follower?.turned(turn, of: self)
      for other in others { other.turned(turn, of: self) }
    }
    if kind == EventKind.released.rawValue { leave() }
  }

  private func takeNote(of kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) -> LiveTurn? {
    if kind == UInt8(optrace_companion_left) { return queue.ended(self, now: Live.now) ? .dropped : nil }
    switch EventKind(rawValue: kind) {
    case .ready: return queue.ready(self, now: Live.now) ? .ready : nil
    case .started: return queue.started(self, now: Live.now).map { .started(slot: $0) }
    case .executionBegan: return queue.began(self, now: Live.now) ? .began : nil
    case .cancelRequested: return queue.cancelled(self) ? .cancelled : nil
    case .finished: return queue.ended(self, now: Live.now) ? .finished(error: nil) : nil
    case .finishedWithError:
      return queue.ended(self, now: Live.now) ? .finished(error: String(decoding: text, as: UTF8.self)) : nil
    case .released: return queue.ended(self, now: Live.now) ? .dropped : nil
    default: return nil
    }
  }
}

extension Live {
  /// The clock of all times here.
  package static var now: UInt64 { optrace_clock_monotonic() }
}
