import Foundation
import TestSupport
import OpTrace

/// A program that a seed makes up: it uses queues in every way that is right, and comes to its end.
///
/// What depends on something was made after it and is enqueued after it, and who waits inside of an operation waits for
/// what needs none of its queue's slots: so there is always somebody who can go on.
struct HealthyProgram {
  private var random: SeededGenerator
  private let recorder: TraceRecorder
  private var queues: [TracedOperationQueue] = []
  private var mainQueue: Int?
  private var operations: [Operation] = []
  private var places: [Int] = []
  private var dependencies: [[Int]] = []
  private var suspended: Set<Int> = []

  init(seed: Int, recorder: TraceRecorder) {
    random = SeededGenerator(seed)
    self.recorder = recorder
  }

  /// - Parameter usesAll: false: no main queue and no waits, and all of one quality of service; for programs that hang
  ///   beside it.
  mutating func run(usesAll: Bool = true) {
    makeQueues(usesAll)
    let hasBarriers = random.chance(25)
    makeOperations(random.number(3..<26), usesAll: usesAll, waits: usesAll && !hasBarriers && random.chance(30))
    if usesAll { runByHand() }
    for queue in queues.indices where random.chance(hasBarriers ? 60 : 15) {
      queues[queue].isSuspended = true
      suspended.insert(queue)
    }
    enqueue(hasBarriers: hasBarriers)
    for queue in suspended.sorted() { queues[queue].isSuspended = false }
    disturb(hasBarriers: hasBarriers)
    waitForTheEnd()
    if random.chance(50) { operations.removeAll() }
  }

  private mutating func makeQueues(_ usesAll: Bool) {
    for number in 0..<random.number(1..<5) {
      let limit = [1, 1, 2, 3, OperationQueue.defaultMaxConcurrentOperationCount][random.number(0..<5)]
      let queue = TracedOperationQueue(name: "queue \(number)", maxConcurrentOperationCount: limit, recorder: recorder)
      if usesAll, random.chance(30) { queue.qualityOfService = [.utility, .userInitiated][random.number(0..<2)] }
      queues.append(queue)
    }
    guard usesAll, random.chance(15) else { return }
    let main = TracedOperationQueue(name: "main", maxConcurrentOperationCount: 1, recorder: recorder)
    main.underlyingQueue = .main
    mainQueue = queues.count
    queues.append(main)
  }

  private mutating func makeOperations(_ count: Int, usesAll: Bool, waits: Bool) {
    let density = [5, 15, 40][random.number(0..<3)]
    let waiter = waits && mainQueue == nil ? random.number(1..<count) : nil
    for number in 0..<count {
      places.append(random.number(0..<queues.count))
      dependencies.append((0..<number).filter { _ in random.chance(density) }.suffix(4))
      let target = number == waiter ? waitable(by: number).map { operations[$0] } : nil
      let marks = random.chance(10) ? recorder : nil
      let kind = Works.Kind.allCases[random.number(0..<Works.Kind.allCases.count)]
      let operation = Works.make(kind, "operation \(number)") {
        marks?.measure("part") { marks?.mark("half") }
        target?.waitUntilFinished()
      }
      operation.queuePriority = [.normal, .normal, .high, .veryLow, .veryHigh][random.number(0..<5)]
      if usesAll, random.chance(20) { operation.qualityOfService = [.utility, .userInitiated][random.number(0..<2)] }
      for other in dependencies[number] { operation.addDependency(operations[other]) }
      operations.append(operation)
    }
  }

  /// One before it that comes to its end without this one's queue.
  private mutating func waitable(by number: Int) -> Int? {
    guard let other = (0..<number).randomElement(using: &random) else { return nil }
    var needed: Set<Int> = []
    var open = [other]
    while let next = open.popLast() {
      if needed.insert(next).inserted { open += dependencies[next] }
    }
    return needed.contains { places[$0] == places[number] } ? nil : other
  }

  private mutating func runByHand() {
    guard random.chance(15) else { return }
    let operation = Works.make(random.chance(50) ? .traced : .block, "by hand") {}
    // Recorded where it belongs, for it is in no queue.
    TraceRecorder.default = recorder
    operation.start()
    TraceRecorder.default = nil
    for other in operations.suffix(2) { other.addDependency(operation) }
  }

  private mutating func enqueue(hasBarriers: Bool) {
    var order = Array(operations.indices)
    if !hasBarriers, random.chance(30) { order.shuffle(using: &random) }
    var filled: Set<Int> = []
    while !order.isEmpty {
      let count = random.chance(25) ? random.number(1..<5) : 1
      let next = order.prefix(count)
      order.removeFirst(next.count)
      if let first = next.first, next.allSatisfy({ places[$0] == places[first] }) {
        queues[places[first]].addOperations(next.map { operations[$0] }, waitUntilFinished: false)
      } else {
        for number in next { queues[places[number]].addOperation(operations[number]) }
      }
      for number in next { filled.insert(places[number]) }
      // On a queue that holds something, and where nothing was cancelled: else Foundation on Linux ignores or hangs.
      let holding = suspended.intersection(filled).filter { $0 != mainQueue }.sorted()
      if hasBarriers, random.chance(20), let queue = holding.randomElement(using: &random) {
        queues[queue].addBarrierBlock {}
      }
      if !hasBarriers, random.chance(5) { operations[random.number(0..<operations.count)].cancel() }
    }
  }

  /// What a program does while its operations run.
  private mutating func disturb(hasBarriers: Bool) {
    for _ in 0..<random.number(0..<4) {
      let queue = queues[random.number(0..<queues.count)]
      switch random.number(0..<6) {
      case 0: operations[random.number(0..<operations.count)].cancel()
      case 1: queue.maxConcurrentOperationCount = random.number(1..<4)
      case 2:
        queue.isSuspended = true
        recorder.mark("suspended")
        queue.isSuspended = false
      // Foundation on Linux crashes when a barrier was cancelled.
      case 3 where !hasBarriers: queue.cancelAllOperations()
      case 4 where mainQueue == nil: operations[random.number(0..<operations.count)].waitUntilFinished()
      default: recorder.mark("still here")
      }
    }
  }

  private mutating func waitForTheEnd() {
    if mainQueue != nil {
      while operations.contains(where: { !$0.isFinished }) {
        _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
      }
    } else if random.chance(50) {
      for operation in operations { operation.waitUntilFinished() }
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }
}
