import OpTraceModel
import OpTracePrediction
import TestSupport
import Testing

@Suite("The machine against simple simulators")
struct MachineOracleTests {
  /// All operations are enqueued in one call that takes no time.
  private func workload(
    _ durations: [Int64], _ edges: [(Int, Int)], limit: Int?, priorities: [Int8]
  ) -> Workload {
    var workload = Workload()
    workload.queues = [.init(id: QueueID(1), limit: limit)]
    for (index, duration) in durations.enumerated() {
      var job = Workload.Job(id: OperationID(UInt32(index + 1)), queue: 0, priority: priorities[index])
      let number = Int32(index)
      job.body = workload.add(
        [.begin(number), .run(duration), .finish(number)], executor: .pooled(.quality(0)), job: number)
      workload.jobs.append(job)
      workload.batches.append(number)
    }
    workload.edges = edges.map { .init(from: Int32($0.0), to: Int32($0.1)) }
    workload.add([.enqueue(0..<Int32(durations.count))], executor: .ownThread(from: 0))
    return workload
  }

  /// Textbook list scheduling, except that dependents are released while the slot is still held.
  private func listSchedule(
    _ durations: [Int64], _ edges: [(Int, Int)], limit: Int, priorities: [Int8]
  ) -> [Int64] {
    var finished = [Int64](repeating: -1, count: durations.count)
    var ready = durations.indices.filter { index in !edges.contains { $0.1 == index } }
    var running: [(end: Int64, index: Int)] = []
    var clock: Int64 = 0
    func fill(_ slots: Int) {
      while running.count < slots, let best = ready.map({ priorities[$0] }).max(),
        let next = ready.sorted().first(where: { priorities[$0] == best })
      {
        ready.removeAll { $0 == next }
        running.append((clock + durations[next], next))
      }
    }
    fill(limit)
    while let next = running.min(by: { $0.end < $1.end }) {
      running.removeAll { $0.index == next.index }
      clock = next.end
      finished[next.index] = clock
      for edge in edges where edge.0 == next.index {
        guard edges.allSatisfy({ $0.1 != edge.1 || finished[$0.0] >= 0 }) else { continue }
        ready.append(edge.1)
        fill(limit - 1)
      }
      fill(limit)
    }
    return finished
  }

  @Test("all graphs of up to four operations, limits 1 to 3 and two priorities match list scheduling")
  func everySmallGraph() {
    // Powers of two have different sums, so no two events coincide.
    let durations: [Int64] = [8, 1, 4, 2]
    var cases = 0
    for count in 1...4 {
      let pairs = (0..<count).flatMap { from in (from + 1..<max(count, from + 1)).map { (from, $0) } }
      for chosen in 0..<(1 << pairs.count) {
        let edges = pairs.enumerated().filter { chosen >> $0.offset & 1 == 1 }.map(\.element)
        for limit in 1...3 {
          for mask in 0..<(1 << count) {
            let priorities = (0..<count).map { Int8(mask >> $0 & 1 == 1 ? 4 : 0) }
            let times = Array(durations.prefix(count))
            var machine = Machine(
              workload(times, edges, limit: limit, priorities: priorities), MachineSettings(poolThreads: 100))
            let expected = listSchedule(times, edges, limit: limit, priorities: priorities)
            let outcome = machine.run()
            #expect(outcome.finished == expected, "\(edges), limit \(limit), priorities \(priorities)")
            cases += 1
          }
        }
      }
    }
    #expect(cases == 3 * (2 + 2 * 4 + 8 * 8 + 64 * 16))
  }

  @Test("independent operations are never later without a limit than with one", arguments: 1...40)
  func unlimitedIsNoSlower(seed: Int) {
    var generator = SeededGenerator(seed)
    let durations = (0..<generator.number(1..<30)).map { _ in Int64(generator.number(1..<1000)) }
    let priorities = durations.map { _ in Int8([-4, 0, 4][generator.number(0..<3)]) }
    func wall(_ limit: Int?) -> Nanoseconds {
      var machine = Machine(
        workload(durations, [], limit: limit, priorities: priorities), MachineSettings(poolThreads: 100))
      return machine.run().wall ?? -1
    }
    let unlimited = wall(nil)
    #expect(unlimited == durations.max(), "seed \(seed)")
    for limit in 1...5 {
      let wall = wall(limit)
      #expect(wall >= unlimited, "seed \(seed)")
      // Graham's bound.
      let sum = durations.reduce(0, +)
      #expect(wall <= sum / Int64(limit) + unlimited, "seed \(seed)")
    }
  }

  @Test("the replay of a random program has the same times, to the nanosecond", arguments: 1...1500)
  func replayIsExact(seed: Int) throws {
    var generator = SeededGenerator(seed)
    let program = TinyProgram.random(&generator)
    let times = program.play()
    #expect(times.finished.allSatisfy { $0 >= 0 }, "seed \(seed): the program itself ends")
    let predictor = try Predictor(program.trace(), processors: 1000)
    let replayed = predictor.predictedTrace([])
    #expect(replayed.operations.map { $0.finished?.time ?? -1 } == times.finished, "seed \(seed)")
    #expect(replayed.operations.map { $0.enqueued?.time ?? -1 } == times.enqueued, "seed \(seed)")
    #expect(replayed.operations.map { $0.began?.time ?? -1 } == times.began, "seed \(seed)")
    #expect(predictor.replay.errorShare == 0, "seed \(seed)")
    #expect(predictor.replay.isTrusted, "seed \(seed)")
  }

  @Test("the prediction for a changed limit, speed or priority matches the changed program", arguments: 1...1500)
  func changesArePredicted(seed: Int) throws {
    var generator = SeededGenerator(seed)
    let program = TinyProgram.random(&generator)
    let trace = program.trace()
    let predictor = try Predictor(trace, processors: 1000)
    let parser = ChangeParser(trace)
    var changed = program
    var change: Change
    switch generator.number(0..<4) {
    case 0:
      let queue = generator.number(0..<program.limits.count)
      changed.limits[queue] = generator.number(1..<5)
      change = try parser.parse(.limit, "queue \(queue)=\(changed.limits[queue])")
    case 1:
      let kind = program.operations[0].kind
      for index in changed.operations.indices where changed.operations[index].kind == kind {
        changed.operations[index].steps = changed.operations[index].steps.map {
          if case .run(let time) = $0 { .run((Double(time) / 4).rounded().asInt) } else { $0 }
        }
      }
      change = try parser.parse(.faster, "\(kind)=4")
    case 2:
      let kind = program.operations[0].kind
      for index in changed.operations.indices where changed.operations[index].kind == kind {
        changed.operations[index].priority = 8
      }
      change = try parser.parse(.priority, "\(kind)=veryHigh")
    default:
      let last = program.limits.count - 1
      for index in changed.operations.indices where changed.operations[index].queue == last {
        changed.operations[index].queue = 0
      }
      guard last > 0 else { return }
      change = try parser.parse(.merge, "queue \(last)=queue 0")
    }
    let expected = changed.play()
    let predicted = predictor.predictedTrace([change])
    var machine = Machine(predictor.workload.applying([change]), MachineSettings(poolThreads: 1000))
    // If chance decides which operation comes first, only the range must be right.
    let isSure = machine.run().choices == 0
    #expect(
      !isSure
        || predicted.operations.map { $0.finished?.time ?? -1 } == expected.finished, "seed \(seed), \(change.text)")
    let prediction = predictor.predict([change])
    let stuck = expected.finished.indices.filter { expected.finished[$0] < 0 }
    #expect(prediction.neverEnds == stuck.map { OperationID(UInt32($0 + 1)) }, "seed \(seed), \(change.text)")
    if stuck.isEmpty {
      let wall = try #require(prediction.wall)
      #expect(wall.low <= expected.wall && expected.wall <= wall.high, "seed \(seed), \(change.text)")
    } else {
      #expect(prediction.wall == nil, "seed \(seed), \(change.text)")
    }
  }
}

extension Double {
  fileprivate var asInt: Int64 { Int64(self) }
}
