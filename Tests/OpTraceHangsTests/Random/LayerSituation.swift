/// Running operations and blocks of serial dispatch queues, each on a thread of its own, and what each does.
struct LayerSituation {
  enum Kind: Equatable {
    case operation
    /// What runs in this queue.
    case block(queue: Int)
  }

  enum Doing: Equatable {
    case computes
    /// Calls `sync` on a queue.
    case sync(Int)
    /// Waits for an operation.
    case operation(Int)
    case lock(Int)
  }

  var kinds: [Kind]
  var doing: [Doing]
  /// The work that holds each lock; nil: none.
  var owners: [Int?]
  var queueCount: Int

  /// The work that runs in a queue.
  func holder(of queue: Int) -> Int? { kinds.firstIndex(of: .block(queue: queue)) }

  /// The work for which a work waits; nil: none.
  func obstacle(of work: Int) -> Int? {
    switch doing[work] {
    case .computes: nil
    case .sync(let queue): holder(of: queue)
    case .operation(let other): other
    case .lock(let lock): owners[lock]
    }
  }

  /// The work that never continues: the rest finishes one by one, until no more can.
  var stuck: Set<Int> {
    var free = Set<Int>()
    var isChanged = true
    while isChanged {
      isChanged = false
      for work in doing.indices where !free.contains(work) && obstacle(of: work).map({ free.contains($0) }) ?? true {
        free.insert(work)
        isChanged = true
      }
    }
    return Set(doing.indices).subtracting(free)
  }

  /// Lines of a trace; work n has the number n + 1, and runs on thread n + 2.
  var text: String {
    var lines = LockCase.code + "0 t1 limit q1 value=-1\n"
    for queue in 0..<queueCount { lines += "0 t0 dispatch-queue d\(queue + 1) width=1 \"serial \(queue)\"\n" }
    var seen: [(Int, LockCase.Doing)] = []
    for (work, kind) in kinds.enumerated() {
      let (id, thread) = (work + 1, work + 2)
      switch kind {
      case .operation: lines += LockCase.executing(id, "o\(work)", on: thread)
      case .block(let queue):
        lines += "20 t1 submitted #\(id) queue=d\(queue + 1) code=f1\n25 t\(thread) run #\(id)\n"
      }
      switch doing[work] {
      case .computes: seen.append((thread, .computing))
      case .sync(let queue):
        lines += "60 t\(thread) submitted #\(100 + id) by=#\(id) queue=d\(queue + 1) how=4 code=f2 at=f3\n"
        seen.append((thread, .inSemaphore))
      case .operation(let other):
        lines += "60 t\(thread) wait #\(other + 1)\n"
        seen.append((thread, .inSemaphore))
      case .lock(let lock): seen.append((thread, owners[lock].map { .inLock(lock, of: $0 + 2) } ?? .polling))
      }
    }
    return lines + LockCase.look(seen)
  }
}

extension LayerSituation {
  /// Each work waits only for later ones: no cycle.
  static func healthy(using random: inout some RandomNumberGenerator) -> LayerSituation {
    let count = Int.random(in: 2...9, using: &random)
    let queueCount = Int.random(in: 1...5, using: &random)
    var free = Array(0..<queueCount).shuffled(using: &random)
    let kinds = (0..<count).map { _ -> Kind in
      if Bool.random(using: &random), let queue = free.popLast() { return .block(queue: queue) }
      return .operation
    }
    var situation = LayerSituation(
      kinds: kinds, doing: Array(repeating: .computes, count: count), owners: [], queueCount: queueCount)
    for work in 0..<count where Int.random(in: 0..<5, using: &random) > 0 {
      guard let other = ((work + 1)..<max(count, work + 1)).randomElement(using: &random) else { continue }
      situation.wait(work, for: other, using: &random)
    }
    // A `sync` on a queue in which nothing runs.
    if let empty = free.first, let work = situation.doing.firstIndex(of: .computes) {
      situation.doing[work] = .sync(empty)
    }
    return situation
  }

  /// Makes some works wait for each other in a cycle. Returns them in the order of waiting.
  mutating func plantCycle(using random: inout some RandomNumberGenerator) -> [Int] {
    let members = Array(kinds.indices.shuffled(using: &random).prefix(Int.random(in: 2...4, using: &random)))
    for (index, work) in members.enumerated() { wait(work, for: members[(index + 1) % members.count], using: &random) }
    return members
  }

  private mutating func wait(_ work: Int, for other: Int, using random: inout some RandomNumberGenerator) {
    if Int.random(in: 0..<3, using: &random) == 0 {
      doing[work] = .lock(owners.count)
      owners.append(other)
    } else if case .block(let queue) = kinds[other] {
      doing[work] = .sync(queue)
    } else {
      doing[work] = .operation(other)
    }
  }
}
