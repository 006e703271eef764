import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let priorityInversion = Trouble("priority-inversion", .slow)
}

extension DoctorRule {
  /// Proof: H waited for L, as its last dependency to finish or inside its code (`waitUntilFinished`). L has a lower
  /// priority than H, or the same priority and a lower quality of service. While L waited for a slot and H was already
  /// enqueued, L's queue started an operation M that ranks below H and that H does not need. With H's rank, L would
  /// have run first.
  ///
  /// Time lost: from M's start to L's start, but at most as long as L delayed H beyond its other dependencies. Reported
  /// from 10 ms and 5 % of the wall time on, in total for one pair of classes.
  static let priorityInversion = DoctorRule(
    .priorityInversion, .warning,
    Guide(
      """
      An important operation waits for a less important one, which waits for a slot while others overtake it. A queue \
      considers the priority of each operation alone: it does not raise the priority of the dependencies of an \
      important one.
      """,
      wrong: """
        show.queuePriority = .veryHigh
        fetch.queuePriority = .low        // every prefetch goes first
        show.addDependency(fetch)
        """,
      right: """
        show.queuePriority = .veryHigh
        fetch.queuePriority = show.queuePriority
        show.addDependency(fetch)
        """)
  ) { context in
    let least = max(10_000_000, context.wall / 20)
    let pairs = context.rankedPairs()
    // An upper bound of the lost time.
    guard pairs.reduce(0, { $0.saturating($1.most) }) >= least else { return [] }
    let starts = Starts(of: context.trace)
    let found = pairs.compactMap { context.inversion($0, starts) }
    return DoctorContext.groups(found, by: \.key).map { $0.sorted { $0.lost > $1.lost } }
      .filter { group in group.reduce(0) { $0.saturating($1.lost) } >= least }
      .map(context.priorityInversion)
  }
}

/// The importance that a program gives an operation: its priority, then its quality of service.
private struct Rank: Hashable, Comparable {
  var priority: Int8
  var quality: Int

  init(_ operation: OperationRecord) {
    priority = operation.priority
    quality =
      switch operation.quality {
      case .background: 0
      case .utility: 1
      case .default: 2
      case .userInitiated: 3
      case .userInteractive: 4
      }
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.priority, left.quality) < (right.priority, right.quality)
  }
}

private struct Pair {
  /// Shorter waits are ignored.
  static let least: Nanoseconds = 100_000

  /// An index in `trace.operations`, as is `low`.
  var high: Int
  var low: Int
  /// When `high` began to wait.
  var since: Nanoseconds
  var most: Nanoseconds
}

private struct Inversion {
  struct Key: Hashable {
    var high: String
    var low: String
    var queue: QueueID?
  }

  var high: OperationRecord
  var low: OperationRecord
  var since: Nanoseconds
  var overtaker: OperationRecord
  var lost: Nanoseconds

  var key: Key { Key(high: high.className, low: low.className, queue: low.queue) }
}

/// When operations of each rank were started, by queue.
private struct Starts {
  private struct Lane: Hashable {
    var queue: QueueID
    var rank: Rank
  }

  private var ranks: [QueueID: [(rank: Rank, lane: Int)]] = [:]
  private var lanes: [[(time: Nanoseconds, index: Int)]] = []

  /// O(n log n).
  init(of trace: Trace) {
    var numbers: [Lane: Int] = [:]
    for index in trace.operations.indices where !trace.operations[index].isBarrier {
      guard let queue = trace.operations[index].queue, let began = trace.operations[index].executionBegan else {
        continue
      }
      let lane = Lane(queue: queue, rank: Rank(trace.operations[index]))
      let number = numbers[lane] ?? lanes.count
      if number == lanes.count {
        numbers[lane] = number
        ranks[queue, default: []].append((lane.rank, number))
        lanes.append([])
      }
      lanes[number].append((began.time, index))
    }
    for number in lanes.indices { lanes[number].sort { ($0.time, $0.index) < ($1.time, $1.index) } }
  }

  /// For each lower rank the first operation that was started between the two times. O(ranks · log n).
  func first(in queue: QueueID, below rank: Rank, after begin: Nanoseconds, before end: Nanoseconds) -> [Int] {
    var result: [(time: Nanoseconds, index: Int)] = []
    for (other, lane) in ranks[queue] ?? [] where other < rank {
      var low = 0
      var high = lanes[lane].count
      while low < high {
        let middle = (low + high) / 2
        if lanes[lane][middle].time <= begin { low = middle + 1 } else { high = middle }
      }
      if low < lanes[lane].count, lanes[lane][low].time < end { result.append(lanes[lane][low]) }
    }
    return result.sorted { ($0.time, $0.index) < ($1.time, $1.index) }.map(\.index)
  }
}

extension DoctorContext {
  /// Pairs of an operation and one of a lower rank that it waited for. O(dependencies + waits).
  fileprivate func rankedPairs() -> [Pair] {
    var result: [Pair] = []
    for index in trace.operations.indices where !trace.operations[index].dependencies.isEmpty {
      guard trace.operations[index].cancelRequested == nil, let enqueued = trace.operations[index].enqueued,
        trace.operations[index].executionBegan != nil
      else { continue }
      let id = trace.operations[index].id
      // The two dependencies that finished last.
      var last: (index: Int, time: Nanoseconds)?
      var before = enqueued.time
      for edge in trace.operations[index].dependencies where edge.removed == nil && edge.on != id {
        guard let other = trace.index(of: edge.on), let finished = trace.operations[other].finished?.time else {
          continue
        }
        if let known = last, known.time >= finished {
          before = max(before, finished)
        } else {
          if let known = last { before = max(before, known.time) }
          last = (other, finished)
        }
      }
      guard let last, last.time - before >= Pair.least,
        Rank(trace.operations[last.index]) < Rank(trace.operations[index])
      else {
        continue
      }
      result.append(Pair(high: index, low: last.index, since: enqueued.time, most: last.time - before))
    }
    for wait in trace.waits {
      guard case .operation(let id) = wait.target, let ended = wait.ended, let high = wait.inside.flatMap(trace.index),
        ended - wait.began >= Pair.least, let low = trace.index(of: id),
        Rank(trace.operations[low]) < Rank(trace.operations[high])
      else { continue }
      result.append(Pair(high: high, low: low, since: wait.began, most: ended - wait.began))
    }
    return result
  }

  fileprivate func inversion(_ pair: Pair, _ starts: Starts) -> Inversion? {
    let low = trace.operations[pair.low]
    guard low.coverage == .full, low.cancelRequested == nil, let queue = low.queue, let runnable = low.runnable,
      let began = low.executionBegan?.time
    else { return nil }
    let since = max(runnable, pair.since).saturating(TraceBuilder.tolerance)
    guard since < began else { return nil }
    let high = trace.operations[pair.high]
    let overtakers = starts.first(in: queue, below: Rank(high), after: since, before: began)
    guard let first = overtakers.first(where: { $0 != pair.low }), first != pair.high else { return nil }
    let overtaker = trace.operations[first]
    guard let from = overtaker.executionBegan?.time, !needs(high, overtaker) else { return nil }
    let lost = min(began - from, pair.most)
    return lost > 0
      ? Inversion(high: high, low: low, since: pair.since, overtaker: overtaker, lost: lost) : nil
  }

  /// Whether `operation` depends on `other`, directly or not. Gives up with `true` if the search gets too long.
  private func needs(_ operation: OperationRecord, _ other: OperationRecord) -> Bool {
    var known: Set<OperationID> = [operation.id]
    var waiting = operation.dependencies.map(\.on)
    while let next = waiting.popLast() {
      if next == other.id { return true }
      // An operation that was over before `other` began does not depend on it.
      guard known.insert(next).inserted, let record = self.operation(next),
        (record.finished?.time ?? .max) > (other.executionBegan?.time ?? .min)
      else { continue }
      if known.count > 1000 { return true }
      waiting += record.dependencies.map(\.on)
    }
    return false
  }

  fileprivate func priorityInversion(_ cases: [Inversion]) -> Finding {
    let worst = cases[0]
    let lost: Nanoseconds = cases.reduce(0) { $0.saturating($1.lost) }
    let high = name(worst.high.id)
    let low = name(worst.low.id)
    let queue = worst.low.queue.map(name) ?? "its queue"
    let others = cases.count == 1 ? "" : " (and \(Self.count(cases.count - 1, "similar case")))"
    var finding = Finding(
      .priorityInversion, .warning, ending: .itWorks,
      title:
        "\(high) lost \(DurationText.text(lost)) because \(low), which it waits for, has a lower priority\(others)",
      explanation:
        "\(low) waited for a slot of \(queue), and operations less important than \(high) were started before it. "
        + "A queue does not raise the priority of what an important operation waits for.",
      fix: "Give \(low) the queuePriority of \(high) before adding it to \(queue).")
    var known = Set<OperationID>()
    for one in cases {
      for id in [one.high.id, one.low.id] where known.insert(id).inserted { finding.operations.append(id) }
    }
    finding.queues = queues(of: cases.map(\.low))
    for one in cases.prefix(3) {
      let low = name(one.low.id)
      let lines: [Finding.Evidence] = [
        .init(
          time: one.since,
          "\(name(one.high.id)) (\(rank(one.high))) waits for \(low) (\(rank(one.low)))"),
        .init(at: one.low.ready, "\(low) was ready, and waited for a slot of \(queue)"),
        .init(
          at: one.overtaker.executionBegan, "\(name(one.overtaker.id)) (\(rank(one.overtaker))) was started before it"),
        .init(at: one.low.executionBegan, "\(low) began: \(DurationText.text(one.lost)) lost"),
      ]
      finding.evidence += lines
    }
    return proven(finding)
  }

  private func rank(_ operation: OperationRecord) -> String {
    guard operation.quality != .default else { return "priority \(operation.priority)" }
    return "priority \(operation.priority), quality \(operation.quality)"
  }
}
