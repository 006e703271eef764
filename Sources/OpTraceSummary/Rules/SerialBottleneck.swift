import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let serialBottleneck = Trouble("serial-bottleneck", .slow)
}

extension DoctorRule {
  /// Proof: for at least a fifth of the wall time, all slots of a queue with a limit of 4 or less were taken while
  /// others were ready. Its operations that waited for a slot are also a fifth of the critical path, so that more slots
  /// would have ended the run sooner. At least three must have waited, for 1 ms or more each. Time counts up to the
  /// last moment at which anything moved.
  static let serialBottleneck = DoctorRule(
    .serialBottleneck, .note,
    Guide(
      """
      Operations that were ready waited one after the other for the few slots of their queue, and the run took longer \
      because of it. Often a limit of 1 only replaces a dependency or a lock that two of the operations need.
      """,
      wrong: """
        // Photos have nothing to do with each other.
        decode.maxConcurrentOperationCount = 1
        """,
      right: """
        let process = ProcessInfo.processInfo
        decode.maxConcurrentOperationCount = process.activeProcessorCount
        """)
  ) { context in
    let wall = context.wall
    let crowded = context.crowdedQueues(wall / 5).filter { $0.count >= CrowdedQueue.leastCount && $0.full >= wall / 5 }
    guard wall > 0, !crowded.isEmpty else { return [] }
    let path = context.timeBySlot()
    return crowded.compactMap { queue in
      guard let part = path[queue.record.id], part >= wall / 5 else { return nil }
      return context.serialBottleneck(queue, onPath: part, wall: wall)
    }
  }
}

private struct CrowdedQueue {
  static let largestLimit = 4
  static let leastCount = 3

  var record: QueueRecord
  /// How long all slots were taken while others were ready.
  var full: Nanoseconds = 0
  /// The sum of the waits in that time.
  var waited: Nanoseconds = 0
  var limit = 1
  /// How many waited, and the longest wait.
  var count = 0
  var worst: (id: OperationID, wait: Nanoseconds)?
}

extension DoctorContext {
  /// O(n log n) for queues whose operations waited for at least `least` in total, which is rare; else O(n).
  fileprivate func crowdedQueues(_ least: Nanoseconds) -> [CrowdedQueue] {
    let narrow = trace.queues.filter { queue in
      let limits = queue.changes.map { if case .limit(let value) = $0.kind { value } else { 0 } }
      return queue.isMain || ([queue.initialLimit] + limits).contains { (1...CrowdedQueue.largestLimit) ~= $0 }
    }
    guard !narrow.isEmpty else { return [] }
    var waited = Dictionary(narrow.map { ($0.id, Nanoseconds(0)) }, uniquingKeysWith: { first, _ in first })
    for index in trace.operations.indices {
      if let queue = trace.operations[index].queue, let wait = trace.operations[index].waitForSlot {
        waited[queue] = waited[queue].map { $0.saturating(wait) }
      }
    }
    let suspects = narrow.filter { (waited[$0.id] ?? 0) >= max(1, least) }
    guard !suspects.isEmpty else { return [] }
    return suspects.compactMap { crowd($0) }
  }

  /// Sorted by time; steps of the same moment are in this order.
  private enum Step: Int64 { case waits, starts, ends }

  /// O(m log m) for the m operations of the queue, and 24 bytes for each.
  private func crowd(_ queue: QueueRecord) -> CrowdedQueue? {
    let members = members[queue.id]
    // Time and step packed into one number: times leave room for two bits.
    var steps: [Int64] = []
    steps.reserveCapacity(members.count * 3)
    func note(_ time: Nanoseconds, _ step: Step) { steps.append(time << 2 | step.rawValue) }
    var result = CrowdedQueue(record: queue)
    for index in members {
      guard let started = trace.operations[index].started?.time else { continue }
      let finished = max(started, trace.operations[index].finished?.time ?? lastSign)
      let wait = trace.operations[index].waitForSlot ?? 0
      note(started - wait, .waits)
      note(started, .starts)
      note(finished, .ends)
      if wait >= 1_000_000 {
        result.count += 1
        if wait > result.worst?.wait ?? 0 { result.worst = (trace.operations[index].id, wait) }
      }
    }
    guard !steps.isEmpty else { return nil }
    steps.sort()
    var changes = queue.changes[...]
    var waiting = 0
    var running = 0
    var limit = queue.isMain ? 1 : queue.initialLimit
    var isSuspended = queue.initiallySuspended
    var last = steps[0] >> 2
    func pass(until time: Nanoseconds) {
      if waiting > 0, !isSuspended, (1...CrowdedQueue.largestLimit) ~= limit, running >= limit {
        result.full = result.full.saturating(time - last)
        let (sum, overflow) = (time - last).multipliedReportingOverflow(by: Nanoseconds(waiting))
        result.waited = overflow ? .max : result.waited.saturating(sum)
        result.limit = limit
      }
      last = time
    }
    for code in steps {
      while let change = changes.first, change.time <= code >> 2 {
        pass(until: max(last, change.time))
        switch change.kind {
        // The main queue has one thread, whatever its limit is.
        case .limit(let value): limit = queue.isMain ? 1 : value
        case .suspended: isSuspended = true
        case .resumed: isSuspended = false
        case .cancelledAll: break
        }
        changes.removeFirst()
      }
      pass(until: code >> 2)
      switch Step(rawValue: code & 3) {
      case .waits: waiting += 1
      case .starts:
        waiting -= 1
        running += 1
      case .ends, nil: running -= 1
      }
    }
    return result
  }

  /// The running time on the critical path of operations that waited for a slot of their queue.
  fileprivate func timeBySlot() -> [QueueID: Nanoseconds] {
    var result: [QueueID: Nanoseconds] = [:]
    for step in CriticalPath(of: trace).steps {
      guard case .slot = step.cause, let queue = operation(step.work)?.queue else { continue }
      result[queue] = (result[queue] ?? 0).saturating(step.running)
    }
    return result
  }

  /// The advice if the operations of a queue mostly wait for others, each holding a thread: more slots would take all
  /// pool threads, and what they wait for would find none. Nil: they do not. O(waits + operations of the queue).
  private func blocking(_ queue: QueueID) -> String? {
    var waited: Nanoseconds = 0
    for wait in trace.waits {
      guard case .object(let id) = wait.target, trace.object(id)?.kind != .adding, !trace.endsByItself(wait),
        let inside = wait.inside,
        operation(inside)?.queue == queue
      else { continue }
      waited = waited.saturating(max(0, (wait.ended ?? lastSign) - wait.began))
    }
    var ran: Nanoseconds = 0
    for index in members[queue] {
      guard let began = trace.operations[index].started?.time else { continue }
      ran = ran.saturating(max(0, (trace.operations[index].finished?.time ?? lastSign) - began))
    }
    guard ran > 0, waited >= ran / 5 else { return nil }
    return
      "Do not raise its limit: its operations wait for others in \(Self.percent(waited, of: ran)) of their time, each with "
      + "a thread, and more of them leave no thread for what they wait for. Make them asynchronous, or depend on what they "
      + "wait for; then raise it."
  }

  fileprivate func serialBottleneck(_ queue: CrowdedQueue, onPath: Nanoseconds, wall: Nanoseconds) -> Finding {
    let name = name(queue.record.id)
    let slots = Self.limit(queue.limit)
    var finding = Finding(
      .serialBottleneck, .note, ending: .itWorks,
      title:
        "\(name) (\(slots)) was full for \(DurationText.text(queue.full)) of \(DurationText.text(wall)) while others "
        + "were ready",
      explanation: "\(Self.count(queue.count, "operation")) waited for a slot of \(name), "
        + "\(DurationText.text(queue.waited)) in total. \(DurationText.text(onPath)) of the critical path "
        + "(\(Self.percent(onPath, of: wall)) of the run) are operations of \(name) that ran one after the other.",
      fix: queue.record.isMain
        ? "Do less on the main thread: move work that does not need it to another queue."
        : blocking(queue.record.id)
          ?? "Raise maxConcurrentOperationCount of \(name) if its operations may run at the same time. Otherwise make them "
          + "shorter: move out of them what does not have to be exclusive.")
    finding.queues = [queue.record.id]
    if let worst = queue.worst, let operation = operation(worst.id) {
      finding.operations = [worst.id]
      finding.evidence.append(
        .init(
          time: operation.runnable,
          "\(self.name(worst.id)) was ready; it began \(DurationText.text(worst.wait)) later, the longest wait"))
    }
    finding.evidence.append(
      .init(
        "\(name) was full while others were ready for \(DurationText.text(queue.full)), "
          + "\(Self.percent(queue.full, of: wall)) of the run"))
    return proven(finding)
  }
}

extension OperationRecord {
  /// From being runnable to the start.
  fileprivate var waitForSlot: Nanoseconds? {
    guard cancelRequested == nil, let started = started?.time, let runnable, runnable < started else { return nil }
    return started - runnable
  }
}
