import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let dependencyChainCost = Trouble("dependency-chain-cost", .slow)
}

extension DoctorRule {
  /// Proof: again and again nothing at all ran between the end of an operation and the start of the one that waited
  /// only for it, in a queue that was not suspended and held at least 500 operations. Foundation on Linux scans all of
  /// them at each step, so the total grows with the square of their number. Reported from 10 % of the wall time on.
  static let dependencyChainCost = DoctorRule(
    .dependencyChainCost, .note,
    Guide(
      """
      When an operation finishes, Foundation on Linux scans all operations of the queue for those that are now ready. \
      With thousands of them in a chain, that takes longer than their work: 1,000 take 0.1 s, 8,000 take 5 s.
      """,
      wrong: """
        for (row, before) in zip(rows.dropFirst(), rows) {
          row.addDependency(before)       // thousands of rows
        }
        queue.addOperations(rows, waitUntilFinished: false)
        """,
      right: """
        queue.maxConcurrentOperationCount = 1     // keeps their order
        queue.addOperations(rows, waitUntilFinished: false)
        """)
  ) { context in
    let wall = context.wall
    guard wall > 0 else { return [] }
    // An upper bound of the gaps, to rule out most queues quickly.
    var waits: [QueueID: Nanoseconds] = [:]
    for index in context.trace.operations.indices where !context.trace.operations[index].dependencies.isEmpty {
      guard let queue = context.trace.operations[index].queue else { continue }
      waits[queue] = (waits[queue] ?? 0).saturating(context.waitSinceDependencies(index))
    }
    guard waits.values.contains(where: { $0 >= wall / 10 }) else { return [] }
    var executing: Intervals?
    return context.trace.queues.compactMap { queue in
      guard (waits[queue.id] ?? 0) >= wall / 10, context.members[queue.id].count >= ChainCost.leastPending else {
        return nil
      }
      let steps = ChainSteps(context.members[queue.id], of: context.trace)
      var all: Nanoseconds = 0
      context.forEachChainGap(queue, steps) { all = all.saturating($0.duration) }
      guard all >= wall / 10 else { return nil }
      let busy = executing ?? context.executing()
      executing = busy
      // Computed twice instead of stored: there may be half as many gaps as operations.
      var idle = ChainCost()
      context.forEachChainGap(queue, steps) { if !busy.touches($0.begin, $0.end) { idle.add($0) } }
      return idle.lost >= wall / 10 ? context.chainCost(queue, idle, wall) : nil
    }
  }
}

private struct ChainCost {
  static let leastPending = 500

  var gaps = 0
  var lost: Nanoseconds = 0
  /// The largest number of operations that waited in any gap.
  var pending = 0
  var longest: Gap?

  mutating func add(_ gap: Gap) {
    gaps += 1
    lost = lost.saturating(gap.duration)
    pending = max(pending, gap.pending)
    // Keep the first of equally long ones.
    if gap.duration > longest?.duration ?? -1 { longest = gap }
  }

  struct Gap {
    var before: Int
    var after: Int
    var begin: Nanoseconds
    var end: Nanoseconds
    var pending: Int

    var duration: Nanoseconds { end - begin }
  }
}

extension DoctorContext {
  /// From the end of the last dependency to the start.
  fileprivate func waitSinceDependencies(_ index: Int) -> Nanoseconds {
    guard let started = trace.operations[index].started?.time else { return 0 }
    var last: Nanoseconds?
    for edge in trace.operations[index].dependencies where edge.removed == nil {
      guard let other = trace.index(of: edge.on), let finished = trace.operations[other].finished?.time else {
        continue
      }
      last = max(last ?? finished, finished)
    }
    return last.map { max(0, started - $0) } ?? 0
  }

  /// Between the end of an operation and the start of one that depends on it, with nothing of the queue running. O(n).
  fileprivate func forEachChainGap(
    _ queue: QueueRecord, _ steps: ChainSteps, _ body: (ChainCost.Gap) -> Void
  ) {
    let suspensions = suspensions(of: queue)
    var pending = 0
    var running = 0
    var last: (index: Int, time: Nanoseconds, pending: Int)?
    for (time, step, index) in steps {
      switch step {
      case .end:
        pending -= 1
        // An operation that never ran held no slot.
        guard trace.operations[index].started != nil else { continue }
        running -= 1
        last = running == 0 ? (index, time, pending) : nil
      case .enqueueing: pending += 1
      case .start:
        running += 1
        let id = last.map { trace.operations[$0.index].id }
        if running == 1, let last, last.pending >= ChainCost.leastPending, last.time < time,
          trace.operations[index].dependencies.contains(where: { $0.on == id && $0.removed == nil }),
          (trace.operations[index].enqueued?.time ?? .max) < last.time, !suspensions.touches(last.time, time)
        {
          body(.init(before: last.index, after: index, begin: last.time, end: time, pending: last.pending))
        }
        last = nil
      }
    }
  }

  private func suspensions(of queue: QueueRecord) -> Intervals {
    var since: Nanoseconds? = queue.initiallySuspended ? Nanoseconds.min : nil
    var parts: [(begin: Nanoseconds, end: Nanoseconds)] = []
    for change in queue.changes {
      if change.kind == .suspended { since = since ?? change.time }
      if change.kind == .resumed, let begin = since {
        parts.append((max(begin, queue.created), change.time))
        since = nil
      }
    }
    if let since { parts.append((max(since, queue.created), end)) }
    return Intervals(parts)
  }

  /// When at least one operation executed, in any queue.
  fileprivate func executing() -> Intervals {
    var openings = Openings(capacity: trace.operations.count)
    for index in trace.operations.indices {
      guard let began = (trace.operations[index].started ?? trace.operations[index].executionBegan)?.time else {
        continue
      }
      let ended = trace.operations[index].finished?.time ?? end
      if began < ended { openings.add(began, ended) }
    }
    return openings.union()
  }

  fileprivate func chainCost(
    _ queue: QueueRecord, _ cost: ChainCost, _ wall: Nanoseconds
  ) -> Finding {
    let name = name(queue.id)
    let share = Self.percent(cost.lost, of: wall)
    var finding = Finding(
      .dependencyChainCost, .note, ending: .itWorks,
      title: "\(DurationText.text(cost.lost)) of \(DurationText.text(wall)) (\(share)) went into scheduling a chain of "
        + "dependencies in \(name)",
      explanation:
        "\(cost.gaps) times nothing ran between the end of an operation and the start of its dependent, with up to "
        + "\(cost.pending) more operations in \(name). Foundation on Linux scans all of them each time.",
      fix: "If you only need the order, give \(name) the limit 1 and no dependencies. Otherwise add the operations in "
        + "smaller batches, or make fewer and larger ones.")
    finding.queues = [queue.id]
    if let longest = cost.longest {
      let before = trace.operations[longest.before].id
      let after = trace.operations[longest.after].id
      finding.operations = [before, after]
      finding.evidence.append(.init(at: trace.operations[longest.before].finished, "\(self.name(before)) was finished"))
      finding.evidence.append(
        .init(
          at: trace.operations[longest.after].started,
          "\(self.name(after)), which waited only for it, was started \(DurationText.text(longest.duration)) later"))
    }
    return proven(finding)
  }
}

/// What happens to the operations of one queue, in the order of time; at the same moment ends come first, starts last.
///
/// Three lists of indexes, 4 bytes each, merged while they are read, because one queue may hold all operations of a
/// large trace.
private struct ChainSteps: Sequence, IteratorProtocol {
  enum Step { case end, enqueueing, start }

  private struct Lane {
    var step: Step
    var indexes: [Int32]
    var head = 0
    /// The time of the element at the head; nil: none is left.
    var time: Nanoseconds?
  }

  private let trace: Trace
  private var lanes: [Lane] = []

  /// O(m log m), or O(m) if the indexes are in the order of time.
  init(_ indexes: some Collection<Int>, of trace: Trace) {
    self.trace = trace
    lanes = [Step.end, .enqueueing, .start].map { step in
      var lane: [Int32] = []
      lane.reserveCapacity(indexes.count)
      for index in indexes where Self.time(of: step, index, trace) != nil { lane.append(Int32(clamping: index)) }
      lane.sort { Self.time(of: step, Int($0), trace) ?? 0 < Self.time(of: step, Int($1), trace) ?? 0 }
      return Lane(step: step, indexes: lane, time: lane.first.flatMap { Self.time(of: step, Int($0), trace) })
    }
  }

  /// The time of a step, but not before the enqueueing; nil: it did not happen.
  private static func time(of step: Step, _ index: Int, _ trace: Trace) -> Nanoseconds? {
    guard let enqueued = trace.operations[index].enqueued?.time else { return nil }
    switch step {
    case .end: return trace.operations[index].finished.map { Swift.max(enqueued, $0.time) }
    case .enqueueing: return enqueued
    case .start: return trace.operations[index].started.map { Swift.max(enqueued, $0.time) }
    }
  }

  mutating func next() -> (time: Nanoseconds, step: Step, index: Int)? {
    var first = 0
    for number in lanes.indices where lanes[number].time ?? .max < lanes[first].time ?? .max { first = number }
    guard let time = lanes[first].time else { return nil }
    let index = Int(lanes[first].indexes[lanes[first].head])
    let step = lanes[first].step
    lanes[first].head += 1
    let head = lanes[first].head
    lanes[first].time =
      head < lanes[first].indexes.count ? Self.time(of: step, Int(lanes[first].indexes[head]), trace) : nil
    return (time, step, index)
  }
}
