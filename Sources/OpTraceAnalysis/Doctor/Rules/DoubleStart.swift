import OpTraceModel

extension DoctorRule {
  /// Proofs, each of which holds alone: enqueued twice; started before it was enqueued; its code began in its first
  /// start, and another start came (for an asynchronous class, which may call its own `start()` again on another
  /// thread: only when the first was on the main thread and the queue is another); started on the main thread, which is
  /// not the queue's, while others held every slot that the queue had.
  ///
  /// One that is in no queue and was started twice is a warning: Foundation ignores a start after the finish.
  static let doubleStart = DoctorRule(
    "double-start", .error, .misuse,
    Guide(
      """
      An operation runs once, and one owner starts it: the queue that it was given to, or who calls `start()`. Given to \
      two queues, or started by hand while a queue has it, it crashes on Linux (\"something is trying to start the \
      receiver simultaneously\") and throws an exception on Apple platforms; a class with states of its own runs twice.
      """,
      wrong: """
        queue.addOperation(upload)
        if isUrgent { upload.start() }    // the queue will start it too
        """,
      right: """
        if isUrgent { upload.queuePriority = .veryHigh }
        queue.addOperation(upload)
        """)
  ) { context in
    let found = context.startedTwice()
    return DoctorContext.groups(found, by: { DoublyStarted.Key($0) }).map(context.doubleStart)
  }
}

private struct DoublyStarted {
  enum Way { case enqueuedTwice, beforeItsQueue, pastItsQueue, startedTwice }

  struct Key: Hashable {
    var way: Way
    var pattern: DoctorContext.Pattern

    init(_ one: DoublyStarted) {
      way = one.way
      pattern = .init(one.operation)
    }
  }

  var operation: OperationRecord
  var way: Way
  /// Who held the slots.
  var holders: [OperationID] = []
}

extension DoctorContext {
  fileprivate func startedTwice() -> [DoublyStarted] {
    // On the main thread, though they belong to another queue: by queue.
    var strangers: [QueueID: [Int]] = [:]
    let found: [DoublyStarted] = trace.operations.indices.compactMap { place in
      guard mayBeDouble(place) else { return nil }
      let operation = trace.operations[place]
      if operation.enqueueCount > 1 { return DoublyStarted(operation: operation, way: .enqueuedTwice) }
      guard operation.coverage == .full, !operation.isBarrier, let started = operation.started else { return nil }
      if let enqueued = operation.enqueued, Self.isBefore(started, enqueued), started.time < enqueued.time {
        return DoublyStarted(operation: operation, way: .beforeItsQueue)
      }
      let isOnForeignMain = isOnForeignMain(operation, started)
      if operation.startCount > 1 {
        let ranAtOnce = operation.executionBegan?.thread == started.thread
        return (operation.isAsynchronous ? isOnForeignMain : ranAtOnce)
          ? DoublyStarted(operation: operation, way: .startedTwice) : nil
      }
      if isOnForeignMain, let queue = operation.queue { strangers[queue, default: []].append(place) }
      return nil
    }
    return found + pastTheirQueues(strangers)
  }

  /// Whether it is worth a closer look. Most operations are not.
  private func mayBeDouble(_ place: Int) -> Bool {
    if trace.operations[place].enqueueCount > 1 || trace.operations[place].startCount > 1 { return true }
    guard let started = trace.operations[place].started, let enqueued = trace.operations[place].enqueued else {
      return false
    }
    return started.time < enqueued.time || thread(started.thread)?.isMain == true
  }

  /// Its queue does not run on the main thread, as far as it tells.
  private func isOnForeignMain(_ operation: OperationRecord, _ started: Stamp) -> Bool {
    guard let queue = operation.queue.flatMap(queue), thread(started.thread)?.isMain == true else { return false }
    return !queue.isMain
  }

  /// Those that started while others held all slots of their queue. One pass over the starts of each queue in their
  /// order: O(n log n), and as many steps more for each stranger as its queue has slots.
  private func pastTheirQueues(_ strangers: [QueueID: [Int]]) -> [DoublyStarted] {
    guard !strangers.isEmpty else { return [] }
    func start(_ place: Int) -> Stamp { trace.operations[place].started ?? Stamp(.max, ThreadID(0)) }
    var members = strangers.mapValues { _ in [Int]() }
    for place in trace.operations.indices where trace.operations[place].executionBegan != nil {
      guard let queue = trace.operations[place].queue, trace.operations[place].started != nil else { continue }
      if !trace.operations[place].isBarrier { members[queue]?.append(place) }
    }
    var result: [DoublyStarted] = []
    for (id, places) in strangers.sorted(by: { $0.key < $1.key }) {
      guard let queue = queue(id) else { continue }
      let starts = (members[id] ?? []).sorted { start($0).time < start($1).time }
      var head = 0
      var working: [Int] = []
      for place in places.sorted(by: { start($0).time < start($1).time }) {
        let started = start(place)
        while head < starts.count, Self.isBefore(start(starts[head]), started) {
          working.append(starts[head])
          head += 1
        }
        working.removeAll { !works(trace.operations[$0], after: started.time) }
        guard let enqueued = trace.operations[place].enqueued,
          let limit = queue.largestLimit(from: enqueued.time, to: started.time)
        else { continue }
        let holders = working.lazy.filter { $0 != place }.prefix(limit).map { trace.operations[$0].id }
        guard holders.count >= limit else { continue }
        result.append(
          DoublyStarted(operation: trace.operations[place], way: .pastItsQueue, holders: Array(holders)))
      }
    }
    return result
  }

  fileprivate func doubleStart(_ cases: [DoublyStarted]) -> Finding {
    let operations = cases.map(\.operation)
    let those = those(operations)
    let were = cases.count == 1 ? "was" : "were"
    let it = cases.count == 1 ? "it" : "them"
    let title: String
    switch cases[0].way {
    case .enqueuedTwice: title = "\(those) \(were) given to a queue more than once"
    case .beforeItsQueue: title = "\(those) \(were) started by hand, and then given to a queue"
    case .pastItsQueue: title = "\(those) \(were) started by hand while the queue owns \(it)"
    case .startedTwice: title = "\(those) \(were) started more than once"
    }
    let className = operations[0].className
    let isOwned = operations[0].queue != nil
    var finding = Finding(
      "double-start", isOwned ? .error : .warning, title: title,
      explanation: "An operation has one owner, who starts it once. Foundation on Linux ends the process when a second "
        + "one tries; a class with states of its own runs twice."
        + (isOwned ? "" : " Once it is finished, another start does nothing."),
      fix: cases[0].way == .enqueuedTwice
        ? "Give each \(className) to one queue only, and make a new one for the second use."
        : isOwned
          ? "Do not call start() of a \(className) that a queue was given; to have it sooner, set its queuePriority."
          : "Make a new \(className) for each run.")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    finding.evidence = Array(cases.prefix(3).flatMap(evidence).prefix(Self.mostEvidence))
    return proven(finding)
  }

  private func evidence(_ one: DoublyStarted) -> [Finding.Evidence] {
    let operation = one.operation
    let name = name(operation.id)
    let queue = operation.queue.map(self.name) ?? "a queue"
    var lines: [Finding.Evidence] = []
    if let enqueued = operation.enqueued {
      let count = operation.enqueueCount > 1 ? ", and that happened \(operation.enqueueCount) times" : ""
      lines.append(.init(at: enqueued, "\(name) was enqueued in \(queue)\(count)"))
    }
    switch one.way {
    case .enqueuedTwice: break
    case .beforeItsQueue: lines.insert(.init(at: operation.started, "\(name) was started"), at: 0)
    case .startedTwice:
      lines.append(.init(at: operation.started, "\(name) was started, \(operation.startCount) times in all"))
    case .pastItsQueue:
      lines.append(
        .init(at: operation.started, "\(name) was started on the main thread, which is not that of \(queue)"))
      lines.append(
        .init(
          time: operation.started?.time,
          "\(queue) had no slot left: \(list(one.holders)) ran"))
    }
    return lines
  }
}

extension QueueRecord {
  /// The largest number of slots in force at any moment between the two; nil: no limit at some of them.
  fileprivate func largestLimit(from begin: Nanoseconds, to end: Nanoseconds) -> Int? {
    if isMain { return 1 }
    var largest = 0
    var current = initialLimit
    for change in changes {
      guard change.time <= end, case .limit(let value) = change.kind else { continue }
      // In force up to here.
      if change.time >= begin {
        if current < 0 { return nil }
        largest = max(largest, current)
      }
      current = value
    }
    return current < 0 ? nil : max(largest, current)
  }
}
