import OpTraceFormat
import OpTraceModel

extension DoctorRule {
  /// Proof: inside of its own code an operation of the program's that has finished waited (for operations, queues, semaphores and the
  /// like; overlaps count once) for at least half of its run, and 0.1 ms. Said from 10 ms on, in all for a class,
  /// a queue and a kind of wait.
  ///
  /// A warning when others were ready and waited for a start in the same queue meanwhile: then it cost something. Else
  /// a note.
  static let blockingWait = DoctorRule(
    "blocking-wait", .warning, .slow,
    Guide(
      """
      An operation spent most of its run blocked. It held a slot of its queue and a thread, and did nothing with them; \
      others, ready to run, had to wait. A dependency costs no slot while it waits, and neither does an asynchronous \
      operation.
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
  /// The longest.
  var wait: WaitRecord
  var target: Target

  var waited: Nanoseconds { waits.total }
  var key: Key { Key(pattern: .init(operation), target: target) }
}

extension DoctorContext {
  /// Those that waited for at least half of their run. O(operations + waits · log waits).
  fileprivate func blockedOperations() -> [BlockedOperation] {
    // By operation, the waits inside of it; sums are too large where waits overlap, and leave most operations out.
    var sums: [Int: Nanoseconds] = [:]
    for wait in trace.waits {
      guard let ended = wait.ended, let place = wait.inside.flatMap(trace.index) else { continue }
      sums[place] = (sums[place] ?? 0).saturating(max(0, ended - wait.began))
    }
    let suspects = sums.filter { place, sum in
      guard sum >= BlockedOperation.leastOfOne else { return false }
      return run(of: place).map { sum >= ($0.end - $0.begin) / 2 } ?? false
    }
    guard suspects.values.reduce(0, { $0.saturating($1) }) >= BlockedOperation.least else { return [] }
    var waits: [Int: [WaitRecord]] = [:]
    for wait in trace.waits where wait.ended != nil {
      if let place = wait.inside.flatMap(trace.index), suspects[place] != nil { waits[place, default: []].append(wait) }
    }
    return waits.keys.sorted().compactMap { blocked(at: $0, waits[$0] ?? []) }.filter { isOwn($0.operation) }
  }

  /// The time in which its own code ran, of one that is over.
  private func run(of place: Int) -> (begin: Nanoseconds, end: Nanoseconds)? {
    guard let began = trace.operations[place].executionBegan?.time,
      let finished = trace.operations[place].finished?.time,
      finished > began
    else { return nil }
    return (began, finished)
  }

  private func blocked(at place: Int, _ waits: [WaitRecord]) -> BlockedOperation? {
    guard let run = run(of: place) else { return nil }
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
      operation: trace.operations[place], run: run.end - run.begin, waits: union, wait: waits[longest], target: target)
  }

  /// Which operations of the queue were ready and not started while one of these waits lasted. Each may be one of these.
  private func heldUp(by blocked: [BlockedOperation]) -> [OperationID] {
    guard let queue = blocked[0].operation.queue else { return [] }
    var parts: [(begin: Nanoseconds, end: Nanoseconds)] = []
    for one in blocked { one.waits.forEach { parts.append(($0, $1)) } }
    let waiting = Intervals(parts)
    return trace.operations.lazy.filter { operation in
      guard operation.queue == queue, operation.cancelRequested == nil, let runnable = operation.runnable,
        let started = operation.started?.time
      else { return false }
      // It was let in by the end of a wait, or later: a moment between being ready and the start is none.
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
      ? "Nobody else was ready in its queue meanwhile, so it cost a thread alone."
      : "Meanwhile \(Self.count(heldUp.count, "operation")) of the same queue, ready to run, waited for a start."
    let fix: String
    switch blocked[0].target {
    case .operation:
      fix = "Let \(it) depend on what it waits for (addDependency) and take the call of waitUntilFinished() out of it."
    case .queue:
      fix = "Put what \(it) does after the wait into an operation that depends on those of the queue it waits for."
    case .object(.queue):
      fix =
        "Hand the work over with async instead of sync, and do what follows in its block; or make it an operation that "
        + "\(it) depends on."
    case .object:
      fix =
        "Let what \(it) waits for be an operation, and a dependency. Where it is none: "
        + Self.asAsynchronous(operations[0]).lowercasedFirst + ": \(Self.whatAsynchronousMeans)."
    }
    var finding = Finding(
      "blocking-wait", heldUp.isEmpty ? .note : .warning,
      title:
        "\(those(operations)) spent \(DurationText.text(total)) of \(DurationText.text(run)) waiting, each in a slot "
        + "of its queue",
      explanation: "Who waits inside of an operation holds a slot and a thread. " + cost, fix: fix)
    if blocked.count == 1 {
      finding.title =
        "\(those(operations)) spent \(DurationText.text(total)) of \(DurationText.text(run)) waiting, in a slot of its queue"
    }
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    finding.behind = Set(heldUp).subtracting(finding.operations).count
    for one in blocked.prefix(5) {
      finding.evidence.append(
        .init(
          at: Stamp(one.wait.began, one.wait.thread),
          "\(name(one.operation.id)) waited \(DurationText.text(one.waited)) of its \(DurationText.text(one.run)), the "
            + "longest time for \(target(of: one.wait))\(Self.phrase(place(of: one.wait)))"))
    }
    return proven(finding)
  }
}
