import OpTraceFormat
import OpTraceModel

extension SnapshotWriter {
  /// Queues for which threads wait in `sync`: who has them, and who waits; queues that begin nothing, and those that a thread has or the main
  /// thread empties, with what is in them; and blocks in other queues that alone could end a wait. What else is in queues is left out: nobody
  /// knows when it was submitted, and by whom.
  mutating func write(_ found: FoundDispatch) {
    let inOrder = found.queues.values.sorted { $0.address < $1.address }
    let waited = inOrder.filter { (!holders(of: $0).isEmpty || $0.isSuspended) && !waiters(of: $0).isEmpty }
    let stopped = inOrder.filter { $0.isSuspended && $0.owner == nil && $0.items.contains(where: \.isBlock) }
    let kept = inOrder.filter { queue in
      let isHad = queue.kind == .mainQueue || queue.width == 1 && !holders(of: queue).isEmpty
      return isHad && queue.items.contains(where: \.isBlock)
    }
    let enders = snapshot.enders.items
    let needed = inOrder.filter { queue in queue.items.contains { enders.contains($0.address) } }
    let targets = Set((needed + kept).flatMap { self.targets(of: $0, in: found) })
    let shown = inOrder.filter { waited.contains($0) || stopped.contains($0) || targets.contains($0.address) }
    let numbers = Dictionary(
      shown.enumerated().map { ($1.address, UInt32($0 + 1)) }, uniquingKeysWith: { first, _ in first })
    for queue in shown {
      events.append(
        EventFields.DispatchQueue(
          width: queue.width == 1 ? 1 : 0, target: queue.target.flatMap { numbers[$0] } ?? 0,
          main: queue.kind == .mainQueue, global: queue.kind == .globalQueue, stopped: queue.stop),
        of: numbers[queue.address] ?? 0, at: 0, by: writer, text: queue.label)
    }
    // Who has the main queue is the main thread, whatever runs in it.
    let held = shown.filter { waited.contains($0) || targets.contains($0.address) && $0.kind != .mainQueue }
    for queue in held { writeHolders(of: queue, numbers) }
    for queue in waited {
      for waiter in waiters(of: queue) {
        number([waiter.item])
        let work =
          runs(waiter.thread, in: queue) ?? runs(waiter.thread, in: waited)
          ?? snapshot.roles.executed[waiter.thread]?.first.flatMap { works[$0.object] }
        events.append(
          submission(
            by: work ?? 0, to: numbers[queue.address] ?? 0, how: 4, isAlone: waiter.isAlone && queue.width != 1),
          of: works[waiter.item] ?? 0, at: moment + 1, by: threads[waiter.thread] ?? writer)
      }
    }
    let whole = stopped + kept.filter { !stopped.contains($0) }
    for queue in whole { writeItems(of: queue, numbers) { _ in true } }
    for queue in needed where !whole.contains(queue) {
      writeItems(of: queue, numbers) { enders.contains($0.address) }
    }
  }

  /// What a thread runs in a queue; nil: nothing.
  private func runs(_ thread: UInt32, in queue: FoundDispatchQueue) -> UInt32? {
    holders(of: queue).firstIndex(of: thread).flatMap { works[queue.address &+ UInt64($0)] }
  }

  /// The same, where it has one of several queues; nil: none, or nobody knows which one it took last.
  private func runs(_ thread: UInt32, in queues: [FoundDispatchQueue]) -> UInt32? {
    let all = queues.compactMap { runs(thread, in: $0) }
    return all.count == 1 ? all[0] : nil
  }

  /// A queue and those that it targets.
  private func targets(of queue: FoundDispatchQueue, in found: FoundDispatch) -> Set<UInt64> {
    var result: Set<UInt64> = []
    var next: UInt64? = queue.address
    while let address = next, let one = found.queues[address], result.insert(address).inserted { next = one.target }
    return result
  }

  /// What runs in a queue. Of a serial queue or a barrier, the queue's own address stands for what its owner runs in it.
  private mutating func writeHolders(of queue: FoundDispatchQueue, _ numbers: [UInt64: UInt32]) {
    for (index, holder) in holders(of: queue).enumerated() {
      let key = queue.address &+ UInt64(index)
      number([key])
      guard let work = works[key], let own = numbers[queue.address], let thread = threads[holder] else { continue }
      // A thread that reads a concurrent queue called `sync`.
      let isReader = queue.owner == nil
      events.append(
        submission(to: own, how: isReader ? 4 : queue.inBarrier && queue.width != 1 ? 1 : 0), of: work, at: 0,
        by: isReader ? thread : writer)
      events.append(.runBegan, of: work, at: moment, by: thread)
    }
  }

  /// The threads that run something in a queue, as far as they are known: its owner; or, in a concurrent queue that has none, those that are
  /// in `sync`.
  private func holders(of queue: FoundDispatchQueue) -> [UInt32] {
    if let owner = queue.owner { return threads[owner] == nil ? [] : [owner] }
    return queue.width == 1 ? [] : snapshot.roles.readers(of: queue.address).filter { threads[$0] != nil }
  }

  /// Blocks that wait in a queue.
  private mutating func writeItems(
    of queue: FoundDispatchQueue, _ numbers: [UInt64: UInt32], where isShown: (FoundItem) -> Bool
  ) {
    for item in queue.items where isShown(item) {
      guard case .block(let function) = item.what else { continue }
      number([item.address])
      let code = function.flatMap { at in
        snapshot.modules.containing(at)?.hasCode(at: at) == true ? frames.function(at: at, &events) : nil
      }
      events.append(
        submission(
          to: numbers[queue.address] ?? 0, how: item.isBarrier && queue.width != 1 ? 1 : 0, code: code ?? 0),
        of: works[item.address] ?? 0, at: 0, by: writer)
    }
  }

  /// Threads that sleep until they have the queue.
  private func waiters(
    of queue: FoundDispatchQueue
  ) -> [(
    thread: UInt32, item: UInt64, isAlone: Bool
  )] {
    queue.items.compactMap { item in
      guard case .waiter(let thread, let word) = item.what, locks[thread] == word else { return nil }
      return (thread, item.address, item.isBarrier)
    }
  }

  private func submission(
    by work: UInt32 = 0, to queue: UInt32, how: UInt8, isAlone: Bool = false, code: UInt32 = 0
  ) -> EventFields.BlockSubmitted {
    EventFields.BlockSubmitted(
      by: work, queue: queue, how: how, group: false, item: false, alone: isAlone, code: code, at: 0)
  }
}

extension FoundDispatchQueue {
  /// As records have it.
  fileprivate var stop: UInt8 { suspendCount > 0 ? 1 : isInactive ? 2 : 0 }
}

extension FoundItem {
  var isBlock: Bool { if case .block = what { true } else { false } }
}
