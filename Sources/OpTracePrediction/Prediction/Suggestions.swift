import OpTraceKernel
import OpTraceModel

extension Predictor {
  /// Scenarios that make the run faster, the best first: limits, speeds of each class, priorities, merges, dependencies that
  /// can go. What could be had at most is among them: no limits, a class that takes no time.
  ///
  /// Each candidate is simulated once; only those that are shown are simulated with their range.
  /// O(candidates · s log s) for s steps.
  package func suggestions(atMost count: Int = 12) -> [Prediction] {
    let before = predictedWall([]) ?? .max
    let rated = Candidates(trace, workload).all.compactMap { change -> (change: Change, wall: Nanoseconds)? in
      guard let wall = predictedWall([change]), wall < before - before / Self.leastShare else { return nil }
      return (change, wall)
    }
    let best = rated.enumerated().sorted { ($0.element.wall, $0.offset) < ($1.element.wall, $1.offset) }
    return best.prefix(count).map { predict([$0.element.change]) }
      .enumerated().sorted {
        ($0.element.wall?.likely ?? .max, $0.offset) < ($1.element.wall?.likely ?? .max, $1.offset)
      }
      .map(\.element)
  }

  /// Less than a five hundredth is noise.
  private static let leastShare: Nanoseconds = 500

  /// Nil: somebody never finishes who did.
  private func predictedWall(_ changes: [Change]) -> Nanoseconds? {
    let outcome = typicalOutcome(changes)
    let isStuck = outcome.finished.indices.contains {
      trace.operations[$0].finished != nil && outcome.finished[$0] == MachineOutcome.never
    }
    return isStuck ? nil : outcome.wall
  }
}

/// The changes that are worth a try.
struct Candidates {
  private(set) var all: [Change] = []
  private let trace: Trace

  /// More say no more, and take longer.
  private static let mostQueues = 12
  private static let mostKinds = 16
  private static let mostEdges = 12

  init(_ trace: Trace, _ workload: Workload) {
    self.trace = trace
    let parser = ChangeParser(trace)
    var options: [(ChangeOption, String)] = []
    let titles = QueueTitles(trace)
    let queues = busiest(workload).map { (title: titles.title(of: $0), record: $0) }
    let waits = waits()
    for (title, queue) in queues where !queue.isMain {
      for limit in limits(of: queue, waits[queue.id] ?? (0, 0)) { options.append((.limit, "\(title)=\(limit)")) }
    }
    for kind in kinds() {
      options.append((.faster, "\(kind)=2"))
      options.append((.faster, "\(kind)=infinitely"))
      options.append((.priority, "\(kind)=veryHigh"))
      options.append((.priority, "\(kind)=veryLow"))
    }
    for (title, queue) in queues where !queue.isMain {
      for (other, record) in queues where record.id != queue.id && !record.isMain {
        options.append((.merge, "\(title)=\(other)"))
      }
    }
    for (name, dependency) in patterns(workload) { options.append((.without, "\(name)>\(dependency)")) }
    // A word that means several things is left out.
    all = options.compactMap { try? parser.parse($0, $1) }
  }

  /// Larger ones only where operations waited for slots: one more slot does not help what waited for a thread.
  private func limits(of queue: QueueRecord, _ wait: (slot: Nanoseconds, thread: Nanoseconds)) -> [String] {
    guard queue.limit > 0 else { return ["1", "2", "4"] }
    let smaller = Set([queue.limit / 2, queue.limit - 1]).filter { $0 >= 1 }
    if wait.thread > 0, wait.slot <= wait.thread / 10 { return smaller.sorted().map(String.init) }
    return smaller.union([queue.limit + 1, queue.limit * 2]).sorted().map(String.init) + ["unlimited"]
  }

  /// How long the operations of each queue waited for its slots, and for threads.
  private func waits() -> [QueueID: (slot: Nanoseconds, thread: Nanoseconds)] {
    let threadWaits = ThreadWaits(trace)
    var waits: [QueueID: (slot: Nanoseconds, thread: Nanoseconds)] = [:]
    for index in trace.operations.indices {
      guard let queue = trace.operations[index].queue else { continue }
      let times = threadWaits.times(ofOperationAt: index, in: trace)
      let sum = waits[queue] ?? (0, 0)
      waits[queue] = (sum.slot.saturating(times.waitingForSlot), sum.thread.saturating(times.waitingForThread))
    }
    return waits
  }

  private func busiest(_ workload: Workload) -> [QueueRecord] {
    var counts: [QueueID: Int] = [:]
    for index in trace.operations.indices {
      if let queue = trace.operations[index].queue { counts[queue, default: 0] += 1 }
    }
    return Array(
      trace.queues.filter { counts[$0.id] != nil }
        .sorted { (counts[$1.id] ?? 0, $0.id) < (counts[$0.id] ?? 0, $1.id) }.prefix(Self.mostQueues))
  }

  /// Classes and functions in which most time goes.
  private func kinds() -> [String] {
    var times: [String: Nanoseconds] = [:]
    for index in trace.operations.indices {
      guard let began = trace.operations[index].began?.time, let finished = trace.operations[index].finished?.time
      else {
        continue
      }
      times[word(index), default: 0] += span(began, finished)
    }
    return times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostKinds).map(\.key)
  }

  private func word(_ index: Int) -> String {
    trace.operations[index].function?.shortName ?? trace.operations[index].className
  }

  /// Who waits for whom, by class; where there are few operations, by name.
  private func patterns(_ workload: Workload) -> [(String, String)] {
    var counts: [[String]: Int] = [:]
    for edge in workload.edges {
      counts[[word(Int(edge.to)), word(Int(edge.from))], default: 0] += 1
      if workload.edges.count <= Self.mostEdges, let name = trace.operations[Int(edge.to)].name,
        let other = trace.operations[Int(edge.from)].name
      {
        counts[[name, other], default: 0] += 1
      }
    }
    return counts.sorted { ($1.value, $0.key[0], $0.key[1]) < ($0.value, $1.key[0], $1.key[1]) }
      .prefix(Self.mostEdges * 2).map { ($0.key[0], $0.key[1]) }
  }
}
