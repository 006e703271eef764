import Foundation
import TestSupport
import OpTrace

/// A healthy program, and beside it operations that can never go on, made up by a seed. It says which.
struct PlantedProgram {
  private var random: SeededGenerator
  private let seed: Int
  private let recorder: TraceRecorder
  /// Threads that hang in one class of quality leave the pools of the others alone.
  private let quality: QualityOfService
  private let takesMainThread: Bool
  private var queues: [TracedOperationQueue] = []
  /// Whoever hangs must not be released.
  private var operations: [Operation] = []
  private var hangsIn: Operation?

  private struct Plant {
    var code: String
    /// The names of those whose fault it is.
    var culprits: [String]
    /// How many waits stay open, those inside of operations and the main thread's.
    var waits = 0
  }

  /// - Parameter number: in its process. The fourth takes the main thread; libdispatch on Linux has no more pools.
  init(seed: Int, number: Int, recorder: TraceRecorder) {
    random = SeededGenerator(seed)
    self.seed = seed
    self.recorder = recorder
    takesMainThread = number == 3
    quality = [.background, .utility, .userInitiated, .default][min(number, 3)]
  }

  mutating func run() {
    let isHealthyFirst = random.chance(50)
    if isHealthyFirst { runHealthy() }
    let plant = plant()
    let behind = addVictims(of: plant)
    if !isHealthyFirst { runHealthy() }
    print("\(seed) \(plant.code) \(plant.waits) \(behind) \(plant.culprits.joined(separator: ","))")
  }

  /// On the main thread, where that was planted.
  func hang() { hangsIn?.waitUntilFinished() }

  private mutating func runHealthy() {
    var healthy = HealthyProgram(seed: Int(random.next() >> 2), recorder: recorder)
    healthy.run(usesAll: false)
  }

  private mutating func plant() -> Plant {
    if takesMainThread { return mainThread() }
    switch random.number(0..<7) {
    case 0: return dependencyCycle()
    case 1: return ownSlots()
    case 2: return ownQueueEmpty()
    case 3: return twoQueues()
    case 4: return eachOther()
    case 5: return orphan()
    default: return suspendedQueue()
    }
  }

  // MARK: - What is planted

  private mutating func dependencyCycle() -> Plant {
    let count = random.number(2..<5)
    let cycle = (0..<count).map { make("cycle-\($0)") }
    for (number, operation) in cycle.enumerated() { operation.addDependency(cycle[(number + 1) % count]) }
    let queues = (0..<random.number(1..<4)).map { queue("cycle \($0)", limit: [1, 2, -1][random.number(0..<3)]) }
    for operation in cycle.shuffled(using: &random) { queues[random.number(0..<queues.count)].addOperation(operation) }
    return Plant(code: "dependency-cycle", culprits: cycle.map(name))
  }

  /// Every slot is held by one that waits for what needs a slot, itself or through a dependency in another queue.
  private mutating func ownSlots() -> Plant {
    let limit = random.number(1..<3)
    let queue = queue("own slots", limit: limit)
    let gate = Gate()
    var culprits: [Operation] = []
    var later: [(Operation, TracedOperationQueue)] = []
    for number in 0..<limit {
      let target = make("target-\(number)")
      var waitedFor = target
      later.append((target, queue))
      culprits.append(target)
      if random.chance(40) {
        waitedFor = make("between-\(number)")
        waitedFor.addDependency(target)
        later.append((waitedFor, self.queue("between \(number)", limit: 1)))
        culprits.append(waitedFor)
      }
      culprits.append(makeWaiter("holder-\(number)", gate) { [waitedFor] in waitedFor.waitUntilFinished() })
      queue.addOperation(culprits[culprits.count - 1])
    }
    gate.waitForAll(limit)
    for (operation, queue) in later { queue.addOperation(operation) }
    gate.open()
    return Plant(code: "queue-self-wait", culprits: culprits.map(name), waits: limit)
  }

  private mutating func ownQueueEmpty() -> Plant {
    let queue = queue("own queue", limit: 1)
    let gate = Gate()
    let waiter = makeWaiter("waiter", gate) { [unowned queue] in queue.waitUntilAllOperationsAreFinished() }
    queue.addOperation(waiter)
    gate.waitForAll(1)
    gate.open()
    return Plant(code: "queue-self-wait", culprits: [name(waiter)], waits: 1)
  }

  private mutating func twoQueues() -> Plant {
    let gate = Gate()
    let both = [queue("left", limit: 1), queue("right", limit: 1)]
    let targets = [make("target-left"), make("target-right")]
    let waiters = (0..<2).map { side in
      makeWaiter("waiter-\(side)", gate) { [target = targets[1 - side]] in target.waitUntilFinished() }
    }
    for side in 0..<2 { both[side].addOperation(waiters[side]) }
    gate.waitForAll(2)
    for side in 0..<2 { both[side].addOperation(targets[side]) }
    gate.open()
    return Plant(code: "wait-cycle", culprits: (waiters + targets).map(name), waits: 2)
  }

  private mutating func eachOther() -> Plant {
    let gate = Gate()
    let queue = queue("each other", limit: [2, 3, -1][random.number(0..<3)])
    let second = Later()
    let one = makeWaiter("one", gate) { second.operation?.waitUntilFinished() }
    let other = makeWaiter("other", gate) { [one] in one.waitUntilFinished() }
    second.operation = other
    for operation in [one, other] { queue.addOperation(operation) }
    gate.waitForAll(2)
    gate.open()
    return Plant(code: "wait-cycle", culprits: [name(one), name(other)], waits: 2)
  }

  private mutating func orphan() -> Plant {
    // What is no traced type might be in a queue that nobody records.
    let orphan = Works.make([.traced, .block, .asynchronous][random.number(0..<3)], "orphan") {}
    operations.append(orphan)
    let waiting = (0..<random.number(1..<4)).map { make("waiting-\($0)") }
    for operation in waiting {
      operation.addDependency(orphan)
      queue("orphan \(queues.count)", limit: random.number(1..<3)).addOperation(operation)
    }
    return Plant(code: "orphan-dependency", culprits: [name(orphan)] + waiting.map(name))
  }

  private mutating func suspendedQueue() -> Plant {
    let queue = queue("suspended", limit: random.number(1..<4))
    let held = (0..<random.number(1..<4)).map { make("held-\($0)") }
    if random.chance(30) { queue.maxConcurrentOperationCount = 0 } else { queue.isSuspended = true }
    for operation in held { queue.addOperation(operation) }
    return Plant(code: "queue-suspended", culprits: held.map(name))
  }

  private mutating func mainThread() -> Plant {
    let main = queue("main", limit: 1)
    main.underlyingQueue = .main
    let show = make("show")
    var culprits = [show]
    hangsIn = show
    if random.chance(50) {
      let close = make("close")
      close.addDependency(show)
      queue("behind the main queue", limit: 1).addOperation(close)
      culprits.append(close)
      hangsIn = close
    }
    main.addOperation(show)
    return Plant(code: "main-thread-deadlock", culprits: culprits.map(name), waits: 1)
  }

  /// Operations that wait for the culprits, and for each other: how many.
  private mutating func addVictims(of plant: Plant) -> Int {
    let culprits = operations.filter { plant.culprits.contains(name($0)) && name($0) != "orphan" }
    let queue = queue("victims", limit: random.number(1..<3))
    let count = random.number(0..<4)
    for number in 0..<count {
      let victim = make("victim-\(number)")
      if let culprit = culprits.randomElement(using: &random) { victim.addDependency(culprit) }
      queue.addOperation(victim)
    }
    return count
  }

  // MARK: - Parts

  private func name(_ operation: Operation) -> String { operation.name ?? "" }

  private mutating func queue(_ name: String, limit: Int) -> TracedOperationQueue {
    let queue = TracedOperationQueue(name: name, maxConcurrentOperationCount: limit, recorder: recorder)
    queue.qualityOfService = quality
    queues.append(queue)
    return queue
  }

  private mutating func make(_ name: String) -> Operation {
    let operation = Works.make(Works.Kind.allCases[random.number(0..<Works.Kind.allCases.count)], name) {}
    operations.append(operation)
    return operation
  }

  private mutating func makeWaiter(_ name: String, _ gate: Gate, _ wait: @escaping @Sendable () -> Void) -> Operation {
    let kinds: [Works.Kind] = [.traced, .block, .plain, .plainBlock]
    let operation = Works.make(kinds[random.number(0..<kinds.count)], name) {
      gate.pass()
      wait()
    }
    operations.append(operation)
    return operation
  }
}

/// Lets operations wait until all of them execute.
private final class Gate: Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  func pass() {
    arrived.signal()
    opened.wait()
    opened.signal()
  }

  func waitForAll(_ count: Int) { for _ in 0..<count { arrived.wait() } }
  func open() { opened.signal() }
}

/// Sendable: set before the operations that read it are enqueued.
private final class Later: @unchecked Sendable {
  var operation: Operation?
}
