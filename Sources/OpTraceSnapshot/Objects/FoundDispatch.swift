/// A queue of libdispatch in a process.
///
/// After swift-corelibs-libdispatch's src/queue_internal.h (`DISPATCH_QUEUE_CLASS_HEADER`, `dq_state`), the same from Swift 5.10 to 6.4.
package struct FoundDispatchQueue: Hashable, Sendable {
  package var address: UInt64
  package var kind: DispatchLayout.Kind
  package var label: String
  /// How many blocks it runs at once; 1: serial.
  package var width: Int
  package var target: UInt64?
  /// The thread that has a serial queue, or runs a barrier; nil: none.
  package var owner: UInt32?
  package var suspendCount: Int
  package var isInactive: Bool
  package var inBarrier: Bool
  package var hasPendingBarrier: Bool
  /// What waits in it, in its order.
  package var items: [FoundItem]

  package var isSuspended: Bool { suspendCount > 0 || isInactive }
}

/// A block, or something else to be run, that waits in a dispatch queue.
package struct FoundItem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    /// The function that it runs; nil: not known.
    case block(function: UInt64?)
    /// A thread that waits in `sync` until it has the queue: its id, and the word that it sleeps on.
    case waiter(thread: UInt32, word: UInt64)
    /// Another queue, or a source, by its address.
    case object(UInt64)
    /// A task of Swift.
    case task(UInt64)
  }
  package var address: UInt64
  package var what: What
  /// It runs alone, also on a queue that runs several.
  package var isBarrier = false
}

/// A semaphore in a process.
package struct FoundSemaphore: Hashable, Sendable {
  package var address: UInt64
  /// Below 0: so many wait.
  package var value: Int64
  package var original: Int64
  /// Where those sleep that wait for it.
  package var word: UInt64 { address &+ 64 }
}

/// A group in a process.
package struct FoundGroup: Hashable, Sendable {
  package var address: UInt64
  /// How many were entered and not left.
  package var count: Int
  package var word: UInt64 { address &+ 52 }
}

/// Queues, groups and semaphores of libdispatch in a process.
package struct FoundDispatch: Hashable, Sendable {
  package private(set) var queues: [UInt64: FoundDispatchQueue] = [:]
  package private(set) var semaphores: [UInt64: FoundSemaphore] = [:]
  package private(set) var groups: [UInt64: FoundGroup] = [:]
  /// Sources, such as timers, with their target queues.
  package private(set) var sources: [UInt64: UInt64] = [:]
  /// The queue of libdispatch's manager, which waits for events; nil: there is none.
  package private(set) var managerQueue: UInt64?
  /// Its thread; nil: none, or not known.
  package private(set) var manager: UInt32?

  /// A source lives that the program may have made: it may bring an event. libdispatch's own target the manager's queue.
  package var hasSources: Bool { !isComplete || sources.values.contains { $0 != managerQueue } }

  /// The manager's thread, if it waits for nothing of the program's: it looks around once a second, and moves nothing. Nil: there is none.
  package var idleManager: UInt32? { hasSources ? nil : manager }

  /// All that may be an object was looked at.
  private var isComplete = true

  package private(set) var leftOut: Set<LeftOut> = []

  /// More items of a queue are not read: the first ones tell what is in it.
  private static let mostItems = 1 << 16

  /// - Parameters:
  ///   - candidates: addresses in the heap of words that equal a table's.
  ///   - fixed: the same in libdispatch's own data: the main queue, and those that the system shares out.
  ///   - tasks: the word that a task begins with; nil: not known.
  ///   - isComplete: these are all candidates.
  init(
    _ layout: DispatchLayout, _ liveness: Liveness, heap candidates: [UInt64], fixed: [UInt64], tasks: UInt64?,
    isComplete: Bool
  ) {
    self.isComplete = isComplete
    let view = liveness.view
    for (address, isFixed) in candidates.map({ ($0, false) }) + fixed.map({ ($0, true) }) {
      guard let kind = view.word(at: address).flatMap({ layout.kinds[$0] }), Self.isCounted(address, view)
      else {
        continue
      }
      let isGiven = isFixed || liveness.isChunk(at: address, atLeast: Self.size(of: kind))
      let isSure = isGiven || Self.hasQueue(address, layout, view)
      if !isFixed, isSure { liveness.tally.note(address, isGiven: isGiven) }
      // What may bring an event counts even where its memory is not glibc's.
      guard isGiven || (kind == .source && isSure) else { continue }
      switch kind {
      case .semaphore:
        guard let original = view.word(at: address &+ 56), let value = view.word(at: address &+ 48) else { continue }
        semaphores[address] = FoundSemaphore(
          address: address, value: Int64(bitPattern: value), original: Int64(bitPattern: original))
      case .group:
        // The upper 30 of its bits count down from zero, in steps of four.
        guard let bits = view.half(at: address &+ 48) else { continue }
        groups[address] = FoundGroup(
          address: address, count: bits == 0 ? 0 : Int((0 &- (bits & ~3)) / 4))
      case .source: sources[address] = view.word(at: address &+ 24) ?? 0
      case .managerQueue:
        managerQueue = address
        let owner = UInt32(truncatingIfNeeded: (view.word(at: address &+ 56) ?? 0) & 0x3FFF_FFFF)
        manager = owner == 0 ? nil : owner
      case .workloop: continue
      default:
        guard let queue = Self.queue(at: address, kind, view, layout, tasks) else {
          leftOut.insert(.dispatchQueue(address: address))
          continue
        }
        queues[address] = queue
      }
    }
  }

  /// What is the same in both.
  func agreeing(with other: FoundDispatch) -> FoundDispatch {
    var result = self
    result.queues = queues.filter { other.queues[$0.key] == $0.value }
    result.semaphores = semaphores.filter { other.semaphores[$0.key] == $0.value }
    result.groups = groups.filter { other.groups[$0.key] == $0.value }
    // What may bring an event counts if it was seen once.
    result.sources.merge(other.sources) { one, _ in one }
    result.isComplete = isComplete && other.isComplete
    result.leftOut = leftOut.standing(with: other.leftOut)
    return result
  }

  /// Both counts of references are kept minus one; those of objects that are never freed are the largest number.
  private static func isCounted(_ address: UInt64, _ view: MemoryView) -> Bool {
    guard address % 8 == 0, let inner = view.half(at: address &+ 8) else { return false }
    return Int32(bitPattern: inner) >= 0
  }

  /// It is counted like something that is used, and leads to a queue. A word that is left over on a stack does not.
  private static func hasQueue(
    _ address: UInt64, _ layout: DispatchLayout, _ view: MemoryView
  )
    -> Bool
  {
    guard let inner = view.half(at: address &+ 8), let outer = view.half(at: address &+ 12),
      max(inner, outer) < 1 << 24, let target = view.pointer(at: address &+ 24)
    else { return false }
    return view.word(at: target).flatMap { layout.kinds[$0] }?.isQueue == true
  }

  private static func size(of kind: DispatchLayout.Kind) -> UInt64 {
    switch kind {
    case .semaphore, .group: 72
    // Up to its list.
    default: 112
    }
  }

  private static func queue(
    at address: UInt64, _ kind: DispatchLayout.Kind, _ view: MemoryView, _ layout: DispatchLayout, _ tasks: UInt64?
  ) -> FoundDispatchQueue? {
    guard let state = view.word(at: address &+ 56), let width = view.half(at: address &+ 80),
      let target = view.word(at: address &+ 24), let tail = view.word(at: address &+ 48),
      let head = view.word(at: address &+ 104),
      let items = items(from: head, to: tail & ~7, kind, view, layout, tasks)
    else { return nil }
    let label = view.word(at: address &+ 72).flatMap { $0 == 0 ? nil : view.text(at: $0) } ?? ""
    let owner = UInt32(truncatingIfNeeded: state & 0x3FFF_FFFF)
    return FoundDispatchQueue(
      address: address, kind: kind, label: label, width: Int(width & 0xFFFF), target: target == 0 ? nil : target,
      owner: owner == 0 ? nil : owner, suspendCount: Int(state >> 58), isInactive: state >> 56 & 1 == 1,
      inBarrier: state >> 54 & 1 == 1, hasPendingBarrier: state >> 40 & 1 == 1, items: items)
  }

  /// Nil: the list does not end with its tail.
  private static func items(
    from head: UInt64, to tail: UInt64, _ kind: DispatchLayout.Kind, _ view: MemoryView, _ layout: DispatchLayout,
    _ tasks: UInt64?
  ) -> [FoundItem]? {
    // The queues that the system shares out are emptied by many threads at once, and mark their heads meanwhile.
    guard kind != .globalQueue else { return [] }
    var items: [FoundItem] = []
    var seen: Set<UInt64> = []
    var next = head
    while next != 0 {
      if items.count == mostItems { return items }
      guard next % 8 == 0, seen.insert(next).inserted, let first = view.word(at: next),
        let following = view.word(at: next &+ 16)
      else { return nil }
      let isBarrier = first < Flag.end && first & Flag.barrier != 0
      items.append(
        FoundItem(address: next, what: what(next, first, view, layout, tasks), isBarrier: isBarrier)
      )
      if next == tail { return following == 0 ? items : nil }
      next = following
    }
    return tail == 0 || items.isEmpty ? items : nil
  }

  /// Bits of an item's first word, where an object has its table (`DC_FLAG_…` of src/queue_internal.h and inline_internal.h).
  private enum Flag {
    static let waiter: UInt64 = 1, barrier: UInt64 = 2, end: UInt64 = 0x1000
  }

  private static func what(
    _ address: UInt64, _ first: UInt64, _ view: MemoryView, _ layout: DispatchLayout, _ tasks: UInt64?
  ) -> FoundItem.What {
    if first == tasks { return .task(address) }
    if layout.kinds[first] != nil { return .object(address) }
    // `dispatch_sync_context_s`, on the waiting thread's own stack.
    if first < Flag.end, first & Flag.waiter != 0, let thread = view.half(at: address &+ 100) {
      return .waiter(thread: thread, word: address &+ 96)
    }
    guard let function = view.word(at: address &+ 32), let context = view.word(at: address &+ 40) else {
      return .block(function: nil)
    }
    // Of a block of C's kind, the function is in it.
    guard layout.module?.hasCode(at: function) == true, let invoked = view.word(at: context &+ 16) else {
      return .block(function: function)
    }
    return .block(function: closure(of: context, view) ?? invoked)
  }

  /// What Swift's thunk in a block calls: it has captured the two words of a closure, and nothing else. Nil: it is no such block.
  private static func closure(of block: UInt64, _ view: MemoryView) -> UInt64? {
    guard let descriptor = view.pointer(at: block &+ 24), view.word(at: descriptor &+ 8) == 48,
      let function = view.word(at: block &+ 32), function != 0
    else { return nil }
    return function
  }
}
