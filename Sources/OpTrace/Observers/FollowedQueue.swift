internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// A queue as observers know it: its operations, and who held its slots.
///
/// Sendable: everything that changes, including the states of its operations, is only touched under `lock`, under which
/// no other code is called.
package final class FollowedQueue: ObserverCompanion, @unchecked Sendable {
  /// Its contents at one moment.
  package struct State: Sendable {
    package var name: String?
    /// Waits for others.
    package var waiting = 0
    /// Could run, and has not been started.
    package var ready = 0
    /// Started, and not over.
    package var executing = 0
    /// Since when the operation is ready that has been ready for longest; see ``Observers/now``.
    package var oldestReady: UInt64?

    package init() {}
  }

  private let lock = Lock()
  private var name: String?
  private var slots: Slots
  private var counts = State()
  /// The ready ones form a list, the oldest first.
  private var first: FollowedOperation?
  /// In the list, which owns it.
  private unowned(unsafe) var last: FollowedOperation?

  init(name: String?, limit: Int) {
    self.name = name
    slots = Slots(limit: limit)
  }

  package var state: State {
    lock.withLock {
      var state = counts
      state.name = name
      state.oldestReady = first?.progress.ready
      return state
    }
  }

  /// Nil: it has no name from the program.
  package var currentName: String? { lock.withLock { name } }

  private func rename(_ new: String?) { lock.withLock { name = new } }
  private func change(limit: Int) { lock.withLock { slots.limit = limit } }

  override func reached(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) {
    switch kind {
    case EventKind.queueRenamed.rawValue: rename(text.isEmpty ? nil : String(decoding: text, as: UTF8.self))
    case EventKind.limitChanged.rawValue:
      change(limit: Int(UnsafeRawBufferPointer(text).loadUnaligned(as: Int64.self)))
    case EventKind.queueReleased.rawValue:
      Observers.forget(self)
      leave()
    // It may still exist, but nothing is reported about it any more.
    case UInt8(optrace_companion_left): Observers.forget(self)
    default: break
    }
  }

  // MARK: Of its operations

  func enter() { lock.withLock { counts.waiting += 1 } }

  func progress(of operation: FollowedOperation) -> FollowedOperation.Progress { lock.withLock { operation.progress } }

  /// Notes a step; false: it was noted before, or comes too late.
  func ready(_ operation: FollowedOperation, now: UInt64) -> Bool {
    lock.withLock {
      guard operation.state == .waiting else { return false }
      operation.state = .ready
      operation.progress.ready = now
      counts.waiting -= 1
      counts.ready += 1
      append(operation)
      return true
    }
  }

  /// Nil: as above. Else whose slot it took, if it waited for one.
  func started(_ operation: FollowedOperation, now: UInt64) -> FollowedOperation?? {
    lock.withLock {
      guard operation.state == .waiting || operation.state == .ready else { return nil }
      leaveState(of: operation)
      operation.state = .executing
      operation.progress.started = now
      counts.executing += 1
      return .some(slots.take(since: operation.progress.ready))
    }
  }

  func began(_ operation: FollowedOperation, now: UInt64) -> Bool {
    lock.withLock {
      guard operation.state == .executing, operation.progress.began == nil else { return false }
      operation.progress.began = now
      return true
    }
  }

  func cancelled(_ operation: FollowedOperation) -> Bool {
    lock.withLock {
      guard operation.state != .over, !operation.progress.isCancelled else { return false }
      operation.progress.isCancelled = true
      return true
    }
  }

  func ended(_ operation: FollowedOperation, now: UInt64) -> Bool {
    lock.withLock {
      guard operation.state != .over else { return false }
      if operation.state == .executing { slots.give(by: operation, now) }
      leaveState(of: operation)
      operation.state = .over
      operation.progress.ended = now
      return true
    }
  }

  private func leaveState(of operation: FollowedOperation) {
    switch operation.state {
    case .waiting: counts.waiting -= 1
    case .ready:
      counts.ready -= 1
      remove(operation)
    case .executing: counts.executing -= 1
    case .over: break
    }
  }

  private func append(_ operation: FollowedOperation) {
    operation.previous = last
    if let last { last.next = operation } else { first = operation }
    last = operation
  }

  private func remove(_ operation: FollowedOperation) {
    if let previous = operation.previous { previous.next = operation.next } else { first = operation.next }
    if let next = operation.next { next.previous = operation.previous } else { last = operation.previous }
    operation.next = nil
    operation.previous = nil
  }
}

/// The slots of a queue with a limit. An operation had to wait for one if every slot that is free when it starts became
/// free after it was ready; it took the one that has been free for longest.
private struct Slots {
  /// Negative: any number, and nobody waits.
  var limit: Int { didSet { trim() } }
  private var taken = 0
  /// Who freed each, and when; the oldest first.
  private var given: [(by: FollowedOperation, at: UInt64)] = []

  init(limit: Int) { self.limit = limit }

  mutating func take(since ready: UInt64?) -> FollowedOperation? {
    defer { taken += 1 }
    guard limit > 0, taken + given.count >= limit, let oldest = given.first else { return nil }
    given.removeFirst()
    guard let ready, oldest.at >= ready else { return nil }
    return oldest.by
  }

  mutating func give(by operation: FollowedOperation, _ now: UInt64) {
    taken -= 1
    guard limit > 0 else { return }
    given.append((operation, now))
    trim()
  }

  private mutating func trim() {
    if limit <= 0 { given = [] }
    let excess = taken + given.count - max(0, limit)
    if limit > 0, excess > 0 { given.removeFirst(min(excess, given.count)) }
  }
}
