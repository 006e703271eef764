import OpTraceModel

extension DoctorRule {
  /// Proof: H waited for L, as a dependency that was the last to finish or inside its code (waitUntilFinished). L has a
  /// lower priority (or with the same priority a lower quality of service) than H. While L waited for a slot and H was
  /// already there, its queue started an operation M that ranks below H and that H does not need. With H's rank L would
  /// have gone first.
  ///
  /// The time lost: from M's start to L's, and no more than L's finish held H up longer than its other dependencies.
  /// Said from 10 ms and 5 % of the wall time on, in all for one pair of classes.
  static let priorityInversion = DoctorRule(
    "priority-inversion", .warning, .slow,
    Guide(
      """
      An important operation waits for an unimportant one, which waits for a slot that others take before it. A queue \
      looks at the priority of each operation alone: it does not raise that of what an important one depends on.
      """,
      wrong: """
        show.queuePriority = .veryHigh
        fetch.queuePriority = .low        // show depends on fetch; every prefetch goes first
        show.addDependency(fetch)
        """,
      right: """
        show.queuePriority = .veryHigh
        fetch.queuePriority = show.queuePriority
        show.addDependency(fetch)
        """)
  ) { context in
    let pairs = context.rankedPairs()
    guard !pairs.isEmpty else { return [] }
    let starts = Starts(of: context.trace)
    let found = pairs.compactMap { context.inversion($0, starts) }
    let least = max(10_000_000, context.wall / 20)
    return DoctorContext.groups(found, by: \.key).map { $0.sorted { $0.lost > $1.lost } }
      .filter { group in group.reduce(0) { $0.saturating($1.lost) } >= least }
      .map(context.priorityInversion)
  }
}

/// What a program says of an operation's importance: its priority, and then its quality of service.
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
  var high: OperationRecord
  var low: OperationRecord
  /// When `high` began to wait, and the most that `low` held it up.
  var since: Nanoseconds
  var most: Nanoseconds
}

private struct Inversion {
  struct Key: Hashable {
    var high: String
    var low: String
    var queue: QueueID?
  }

  var pair: Pair
  var overtaker: OperationRecord
  var lost: Nanoseconds

  var key: Key { Key(high: pair.high.className, low: pair.low.className, queue: pair.low.queue) }
}

/// When operations of each rank were started, by queue.
private struct Starts {
  private var times: [QueueID: [Rank: [(time: Nanoseconds, place: Int)]]] = [:]

  /// O(n log n).
  init(of trace: Trace) {
    for (place, operation) in trace.operations.enumerated() where !operation.isBarrier {
      guard let queue = operation.queue, let began = operation.executionBegan else { continue }
      times[queue, default: [:]][Rank(operation), default: []].append((began.time, place))
    }
    for queue in times.keys {
      for rank in times[queue]?.keys.map({ $0 }) ?? [] {
        times[queue]?[rank]?.sort { ($0.time, $0.place) < ($1.time, $1.place) }
      }
    }
  }

  /// The first of each lower rank that was started between the two. O(ranks · log n).
  func first(in queue: QueueID, below rank: Rank, after begin: Nanoseconds, before end: Nanoseconds) -> [Int] {
    var result: [(time: Nanoseconds, place: Int)] = []
    for (other, starts) in times[queue] ?? [:] where other < rank {
      var low = 0
      var high = starts.count
      while low < high {
        let middle = (low + high) / 2
        if starts[middle].time <= begin { low = middle + 1 } else { high = middle }
      }
      if low < starts.count, starts[low].time < end { result.append(starts[low]) }
    }
    return result.sorted { ($0.time, $0.place) < ($1.time, $1.place) }.map(\.place)
  }
}

extension DoctorContext {
  /// Who waited for one of a lower rank. O(dependencies + waits).
  fileprivate func rankedPairs() -> [Pair] {
    var result: [Pair] = []
    for operation in trace.operations where operation.cancelRequested == nil && !operation.dependencies.isEmpty {
      guard let enqueued = operation.enqueued, operation.executionBegan != nil else { continue }
      // The two that finished last.
      var last: (place: OperationRecord, time: Nanoseconds)?
      var before = enqueued.time
      for edge in operation.dependencies where edge.removed == nil && edge.on != operation.id {
        guard let other = self.operation(edge.on), let finished = other.finished?.time else { continue }
        if let known = last, known.time >= finished {
          before = max(before, finished)
        } else {
          if let known = last { before = max(before, known.time) }
          last = (other, finished)
        }
      }
      guard let last, last.time > before, Rank(last.place) < Rank(operation) else { continue }
      result.append(Pair(high: operation, low: last.place, since: enqueued.time, most: last.time - before))
    }
    for wait in trace.waits {
      guard case .operation(let id) = wait.target, let ended = wait.ended, let high = wait.inside.flatMap(operation),
        let low = operation(id), Rank(low) < Rank(high)
      else { continue }
      result.append(Pair(high: high, low: low, since: wait.began, most: ended - wait.began))
    }
    return result
  }

  fileprivate func inversion(_ pair: Pair, _ starts: Starts) -> Inversion? {
    guard pair.low.coverage == .full, pair.low.cancelRequested == nil, let queue = pair.low.queue,
      let runnable = pair.low.runnable, let began = pair.low.executionBegan?.time
    else { return nil }
    let since = max(runnable, pair.since).saturating(TraceBuilder.tolerance)
    let overtakers = starts.first(in: queue, below: Rank(pair.high), after: since, before: began)
    guard let first = overtakers.first(where: { trace.operations[$0].id != pair.low.id }) else { return nil }
    let overtaker = trace.operations[first]
    guard let from = overtaker.executionBegan?.time, overtaker.id != pair.high.id, !needs(pair.high, overtaker) else {
      return nil
    }
    let lost = min(began - from, pair.most)
    return lost > 0 ? Inversion(pair: pair, overtaker: overtaker, lost: lost) : nil
  }

  /// Whether `operation` depends on `other`, over others too. Gives up with yes where that is far to go.
  private func needs(_ operation: OperationRecord, _ other: OperationRecord) -> Bool {
    var known: Set<OperationID> = [operation.id]
    var waiting = operation.dependencies.map(\.on)
    while let next = waiting.popLast() {
      if next == other.id { return true }
      // Who was over before the other began does not depend on it.
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
    let high = name(worst.pair.high.id)
    let low = name(worst.pair.low.id)
    let queue = worst.pair.low.queue.map(name) ?? "its queue"
    let others = cases.count == 1 ? "" : " (and \(Self.count(cases.count - 1, "more case")) like it)"
    var finding = Finding(
      "priority-inversion", .warning,
      title: "\(high) lost \(DurationText.text(lost)) because \(low), which it waits for, ranks lower\(others)",
      explanation: "\(low) waited for a slot of \(queue), and operations that are less important than \(high) were "
        + "started before it. A queue does not raise the priority of what an important operation waits for.",
      fix: "Give \(low) the queuePriority of \(high) before it is added to \(queue).")
    var known = Set<OperationID>()
    for one in cases {
      for id in [one.pair.high.id, one.pair.low.id] where known.insert(id).inserted { finding.operations.append(id) }
    }
    finding.queues = queues(of: cases.map(\.pair.low))
    for one in cases.prefix(3) {
      let low = name(one.pair.low.id)
      let lines: [Finding.Evidence] = [
        .init(
          time: one.pair.since,
          "\(name(one.pair.high.id)) (\(rank(one.pair.high))) waits for \(low) (\(rank(one.pair.low)))"),
        .init(at: one.pair.low.ready, "\(low) was ready, and waited for a slot of \(queue)"),
        .init(
          at: one.overtaker.executionBegan, "\(name(one.overtaker.id)) (\(rank(one.overtaker))) was started before it"),
        .init(at: one.pair.low.executionBegan, "\(low) began: \(DurationText.text(one.lost)) lost"),
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
