import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let blockingWait = Trouble("blocking-wait", .slow)
}

extension DoctorRule {
  /// Proof: a finished operation of the program waited inside its own code (for operations, queues, semaphores and so
  /// on) for at least half of its run and at least 0.1 ms. Overlapping waits count once. Sleeps and waits for disks do
  /// not count, since a dependency could not replace them. Reported if the waits of a class, a queue and a kind of wait
  /// add up to 10 ms.
  ///
  /// A warning if other operations of the queue were ready meanwhile, because then the wait cost time; otherwise a
  /// note.
  static let blockingWait = DoctorRule(
    .blockingWait, .warning,
    Guide(
      """
      An operation was blocked for most of its run. It held a queue slot and a thread without using them, while \
      operations that were ready had to wait. An operation that waits for a dependency holds no slot, and an \
      asynchronous operation holds no thread.
      """,
      wrong: """
        images.addOperation {
          download.waitUntilFinished()    // holds a slot of images
          makeThumbnail(download.photo)
        }
        """,
      right: """
        let thumbnail = BlockOperation { makeThumbnail(download.photo) }
        thumbnail.addDependency(download)
        images.addOperation(thumbnail)
        """)
  ) { context in
    let blocked = context.blockedOperations()
    guard !blocked.isEmpty else { return [] }
    return DoctorContext.groups(blocked, by: \.key).map { $0.sorted { $0.waited > $1.waited } }
      .filter { group in group.reduce(0) { $0.saturating($1.waited) } >= BlockedOperation.least }
      .map(context.blockingWait)
  }
}

private struct BlockedOperation {
  enum Target: Hashable {
    case operation, queue
    case object(WaitedObject?)
  }

  struct Key: Hashable {
    var pattern: DoctorContext.Pattern
    var target: Target
  }

  static let least: Nanoseconds = 10_000_000
  static let leastOfOne: Nanoseconds = 100_000

  var operation: OperationRecord
  var run: Nanoseconds
  var waits: Intervals
  /// Its longest wait.
  var wait: WaitRecord
  var target: Target

  var waited: Nanoseconds { waits.total }
  var key: Key { Key(pattern: .init(operation), target: target) }
}

extension DoctorContext {
  /// Operations that waited for at least half of their run. O(operations + waits · log waits).
  fileprivate func blockedOperations() -> [BlockedOperation] {
    // The waits inside each operation. Sums overestimate where waits overlap, but they rule out most operations.
    var sums: [Int: Nanoseconds] = [:]
    for wait in trace.waits where !trace.endsByItself(wait) {
      guard let ended = wait.ended, let index = wait.inside.flatMap(trace.index) else { continue }
      sums[index] = (sums[index] ?? 0).saturating(max(0, ended - wait.began))
    }
    let suspects = sums.filter { index, sum in
      guard sum >= BlockedOperation.leastOfOne else { return false }
      return run(of: index).map { sum >= ($0.end - $0.begin) / 2 } ?? false
    }
    guard suspects.values.reduce(0, { $0.saturating($1) }) >= BlockedOperation.least else { return [] }
    var waits: [Int: [WaitRecord]] = [:]
    for wait in trace.waits where wait.ended != nil && !trace.endsByItself(wait) {
      if let index = wait.inside.flatMap(trace.index), suspects[index] != nil { waits[index, default: []].append(wait) }
    }
    return waits.keys.sorted().compactMap { blocked(at: $0, waits[$0] ?? []) }.filter { isOwn($0.operation) }
  }

  /// When its own code ran; nil if it is not finished.
  private func run(of index: Int) -> (begin: Nanoseconds, end: Nanoseconds)? {
    guard let began = trace.operations[index].executionBegan?.time,
      let finished = trace.operations[index].finished?.time,
      finished > began
    else { return nil }
    return (began, finished)
  }

  private func blocked(at index: Int, _ waits: [WaitRecord]) -> BlockedOperation? {
    guard let run = run(of: index) else { return nil }
    let parts = waits.map { (begin: max($0.began, run.begin), end: min($0.ended ?? run.end, run.end)) }
    let union = Intervals(parts)
    guard union.total > 0, union.total >= (run.end - run.begin) / 2,
      let longest = waits.indices.max(by: { parts[$0].end - parts[$0].begin < parts[$1].end - parts[$1].begin })
    else { return nil }
    let target: BlockedOperation.Target =
      switch waits[longest].target {
      case .operation: .operation
      case .queue: .queue
      case .object(let id): .object(trace.object(id)?.kind)
      }
    return BlockedOperation(
      operation: trace.operations[index], run: run.end - run.begin, waits: union, wait: waits[longest], target: target)
  }

  /// The operations of the queue that were ready but not started during one of these waits. Some may be blocked ones
  /// themselves.
  private func heldUp(by blocked: [BlockedOperation]) -> [OperationID] {
    guard let queue = blocked[0].operation.queue else { return [] }
    var parts: [(begin: Nanoseconds, end: Nanoseconds)] = []
    for one in blocked { one.waits.forEach { parts.append(($0, $1)) } }
    let waiting = Intervals(parts)
    return trace.operations.lazy.filter { operation in
      guard operation.queue == queue, operation.cancelRequested == nil, let runnable = operation.runnable,
        let started = operation.started?.time
      else { return false }
      // It started when a wait ended, or later. Less than 1 ms between being ready and the start is no delay.
      return started - runnable >= 1_000_000 && waiting.touches(runnable, started)
    }
    .map(\.id)
  }

  fileprivate func blockingWait(_ blocked: [BlockedOperation]) -> Finding {
    let operations = blocked.map(\.operation)
    let total: Nanoseconds = blocked.reduce(0) { $0.saturating($1.waited) }
    let run: Nanoseconds = blocked.reduce(0) { $0.saturating($1.run) }
    let heldUp = heldUp(by: blocked)
    let it = blocked.count == 1 ? name(operations[0].id) : "each \(operations[0].className)"
    let cost =
      heldUp.isEmpty
      ? "No other operation of its queue was ready meanwhile, so it only cost a thread."
      : "Meanwhile \(Self.count(heldUp.count, "ready operation")) of the same queue waited for a slot."
    let fix: String
    switch blocked[0].target {
    case .operation:
      fix =
        "Make \(it) depend on the operation it waits for (addDependency), and remove the call of waitUntilFinished()."
    case .queue:
      fix = "Move what \(it) does after the wait into an operation that depends on the operations of that queue."
    case .object(.queue):
      fix =
        "Use async instead of sync, and do what follows in the same block; or make the block an operation that \(it) "
        + "depends on."
    case .object:
      fix =
        "Make what \(it) waits for an operation, and depend on it. If that is not possible, "
        + Self.asAsynchronous(operations[0]).lowercasedFirst + ": \(Self.whatAsynchronousMeans)."
    }
    var finding = Finding(
      .blockingWait, heldUp.isEmpty ? .note : .warning, ending: .itWorks,
      title:
        "\(those(operations)) spent \(DurationText.text(total)) of \(DurationText.text(run)) waiting, each holding a slot of its queue",
      explanation: "A wait inside an operation holds a slot and a thread. " + cost, fix: fix)
    if blocked.count == 1 {
      finding.title =
        "\(those(operations)) spent \(DurationText.text(total)) of \(DurationText.text(run)) waiting, holding a slot of its queue"
    }
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    finding.behind = Set(heldUp).subtracting(finding.operations).count
    for one in blocked.prefix(5) {
      finding.evidence.append(
        .init(
          at: Stamp(one.wait.began, one.wait.thread),
          "\(name(one.operation.id)) waited for \(DurationText.text(one.waited)) of its \(DurationText.text(one.run)), "
            + "longest for \(target(of: one.wait))\(Self.phrase(location(of: one.wait)))"))
    }
    return proven(finding)
  }
}
