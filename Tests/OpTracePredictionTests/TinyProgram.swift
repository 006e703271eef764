import OpTraceModel
import TestSupport

/// A program of operations, and a simple simulator for it. The simulator visits everything at each step,
/// and is independent of the machine that it checks. Threads are never short.
struct TinyProgram {
  enum Step: Equatable {
    case run(Int64)
    /// Waits until the operation has finished.
    case wait(Int)
    /// Adds the operation to its queue.
    case add(Int)
  }

  struct Operation {
    var queue = 0
    var priority = 0
    var dependencies: [Int] = []
    var steps: [Step]
    var kind = "Step"
  }

  var limits: [Int]
  var operations: [Operation]
  /// The steps of the main thread.
  var main: [Step]

  /// The times of each operation; -1: never.
  struct Times: Equatable {
    var enqueued: [Int64]
    var ready: [Int64]
    var began: [Int64]
    var finished: [Int64]
    /// Waits: waiter (-1: the main thread), awaited operation, begin, end.
    var waits: [Wait] = []
    struct Wait: Equatable {
      var who: Int
      var on: Int
      var from: Int64
      var to: Int64
    }
    var wall: Int64 { (finished.max() ?? 0) - (enqueued.filter { $0 >= 0 }.min() ?? 0) }
  }

  func play() -> Times {
    let count = operations.count
    let nothing = [Int64](repeating: -1, count: count)
    var times = Times(enqueued: nothing, ready: nothing, began: nothing, finished: nothing)
    var clock: Int64 = 0
    var order: [Int] = []
    // The steps that are left for each actor, and the time until which it is busy. Actor -1 is the main thread.
    var rest: [Int: [Step]] = [-1: main]
    var busy: [Int: Int64] = [-1: 0]
    var waiting: [Int: Int] = [:]
    func isReady(_ operation: Int) -> Bool {
      operations[operation].dependencies.allSatisfy { times.finished[$0] >= 0 }
    }
    func fill(_ queue: Int) {
      while true {
        let running = operations.indices.filter {
          operations[$0].queue == queue && times.began[$0] >= 0 && !freed.contains($0)
        }.count
        guard running < limits[queue] else { return }
        let candidates = order.filter {
          operations[$0].queue == queue && times.began[$0] < 0 && times.ready[$0] >= 0
        }
        guard let best = candidates.map({ operations[$0].priority }).max(),
          let next = candidates.first(where: { operations[$0].priority == best })
        else { return }
        times.began[next] = clock
        rest[next] = operations[next].steps
        busy[next] = clock
      }
    }
    var freed: Set<Int> = []
    func finish(_ operation: Int) {
      times.finished[operation] = clock
      // Release dependents first, while the operation still holds its slot.
      for other in order where operations[other].dependencies.contains(operation) && times.began[other] < 0 {
        if isReady(other), times.ready[other] < 0 {
          times.ready[other] = clock
          fill(operations[other].queue)
        }
      }
      for (who, on) in waiting where on == operation {
        waiting[who] = nil
        busy[who] = clock
        if let index = times.waits.lastIndex(where: { $0.who == who && $0.to < 0 }) { times.waits[index].to = clock }
      }
      freed.insert(operation)
      fill(operations[operation].queue)
    }
    while let next = busy.filter({ waiting[$0.key] == nil }).min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      clock = next.value
      let who = next.key
      guard let step = rest[who]?.first else {
        busy[who] = nil
        rest[who] = nil
        if who >= 0 { finish(who) }
        continue
      }
      rest[who]?.removeFirst()
      switch step {
      case .run(let time): busy[who] = clock + time
      case .add(let operation):
        times.enqueued[operation] = clock
        order.append(operation)
        if isReady(operation) { times.ready[operation] = clock }
        fill(operations[operation].queue)
      case .wait(let operation):
        let isOver = times.finished[operation] >= 0
        times.waits.append(.init(who: who, on: operation, from: clock, to: isOver ? clock : -1))
        if isOver { continue }
        waiting[who] = operation
      }
    }
    return times
  }

  /// The run as a recorder would record it, with each operation on its own thread.
  func trace() -> Trace {
    let times = play()
    var trace = Trace(header: TraceHeader())
    trace.header.isClosed = true
    func thread(_ who: Int) -> ThreadID { ThreadID(UInt32(who + 2)) }
    func stamp(_ time: Int64, _ who: Int) -> Stamp? { time < 0 ? nil : Stamp(time, thread(who)) }
    trace.threads = (-1..<operations.count).map {
      ThreadRecord(id: thread($0), systemID: UInt32($0 + 100), name: "", isMain: $0 == -1)
    }
    trace.queues = limits.enumerated().map {
      QueueRecord(id: QueueID(UInt32($0.offset + 1)), name: "queue \($0.offset)", initialLimit: $0.element)
    }
    for (index, operation) in operations.enumerated() {
      var record = OperationRecord(
        id: OperationID(UInt32(index + 1)), className: operation.kind, name: "operation \(index)")
      record.queue = QueueID(UInt32(operation.queue + 1))
      record.priority = Int8(operation.priority)
      record.enqueued = stamp(times.enqueued[index], adder(of: index))
      record.ready = stamp(times.ready[index], -1)
      record.started = stamp(times.began[index], index)
      record.executionBegan = record.started
      record.executionEnded = stamp(times.finished[index], index)
      record.finished = record.executionEnded
      record.startReturned = record.executionEnded
      record.dependencies = operation.dependencies.map {
        Dependency(on: OperationID(UInt32($0 + 1)), added: max(0, times.enqueued[index]))
      }
      trace.operations.append(record)
    }
    trace.waits = times.waits.map {
      WaitRecord(
        target: .operation(OperationID(UInt32($0.on + 1))), thread: thread($0.who),
        inside: $0.who < 0 ? nil : OperationID(UInt32($0.who + 1)), began: $0.from, ended: $0.to < 0 ? nil : $0.to)
    }.sorted { $0.began < $1.began }
    trace.end = max(times.finished.max() ?? 0, times.enqueued.max() ?? 0)
    trace.lastEvent = trace.end
    return trace
  }

  private func adder(of index: Int) -> Int { operations.firstIndex { $0.steps.contains(.add(index)) } ?? -1 }

  /// A program that ends, because each operation waits only for earlier ones.
  static func random(_ generator: inout SeededGenerator) -> TinyProgram {
    // Random times whose sums almost surely differ, so that no two events coincide.
    func time(_ generator: inout SeededGenerator) -> Int64 { Int64(generator.number(100_000..<90_000_000)) }
    let count = generator.number(1..<12)
    let queues = generator.number(1..<4)
    var program = TinyProgram(
      limits: (0..<queues).map { _ in generator.number(1..<4) }, operations: [], main: [])
    for index in 0..<count {
      var operation = Operation(steps: [.run(time(&generator))])
      operation.queue = generator.number(0..<queues)
      operation.priority = [0, 0, 4, -4][generator.number(0..<4)]
      operation.kind = ["Load", "Decode", "Store"][generator.number(0..<3)]
      for other in 0..<index where generator.chance(20) { operation.dependencies.append(other) }
      program.operations.append(operation)
    }
    for index in 0..<count {
      // Some operations are added by the body of an earlier one, which cannot wait for them.
      let adders = (0..<index).filter { !program.reaches($0, index) }
      if generator.chance(25), let adder = adders.last {
        program.operations[adder].steps += [.add(index), .run(time(&generator))]
      } else {
        program.main += [.add(index), .run(time(&generator))]
      }
      if generator.chance(15) { program.main += [.wait(index), .run(time(&generator))] }
    }
    return program
  }

  private func reaches(_ from: Int, _ to: Int) -> Bool {
    operations[from].dependencies.contains { $0 == to || reaches($0, to) }
  }
}
