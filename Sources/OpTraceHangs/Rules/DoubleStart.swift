import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let doubleStart = Trouble("double-start", .misuse)
}

extension DoctorRule {
  /// Each of these is proof:
  /// - enqueued twice;
  /// - started before it was enqueued;
  /// - started again after its code began in the first start. An asynchronous class may call its own `start()` again on
  ///   another thread, so for it the first start must have been on the main thread, and its queue another one than the
  ///   main queue;
  /// - started on the main thread, which is not its queue's, while others held every slot of the queue.
  ///
  /// A warning for an operation that is in no queue, because Foundation ignores a start after the finish.
  static let doubleStart = DoctorRule(
    .doubleStart, .error,
    Guide(
      """
      An operation runs once and has one owner that starts it: the queue it was added to, or the caller of `start()`. \
      If it is added to two queues, or started by hand while a queue owns it, it crashes on Linux (\"something is \
      trying to start the receiver simultaneously\") and throws an exception on Apple platforms. A class with its own \
      state runs twice.
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
    // Operations that started on the main thread although they belong to another queue, by queue.
    var strangers: [QueueID: [Int]] = [:]
    let found: [DoublyStarted] = trace.operations.indices.compactMap { index in
      guard mayBeDouble(index) else { return nil }
      let operation = trace.operations[index]
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
      if isOnForeignMain, let queue = operation.queue { strangers[queue, default: []].append(index) }
      return nil
    }
    return found + pastTheirQueues(strangers)
  }

  /// Whether it needs a closer check. Most operations do not.
  private func mayBeDouble(_ index: Int) -> Bool {
    if trace.operations[index].enqueueCount > 1 || trace.operations[index].startCount > 1 { return true }
    guard let started = trace.operations[index].started, let enqueued = trace.operations[index].enqueued else {
      return false
    }
    return started.time < enqueued.time || thread(started.thread)?.isMain == true
  }

  /// Whether it started on the main thread although its queue is not known to run there.
  private func isOnForeignMain(_ operation: OperationRecord, _ started: Stamp) -> Bool {
    guard let queue = operation.queue.flatMap(queue), thread(started.thread)?.isMain == true else { return false }
    return !queue.isMain
  }

  /// Operations that started while others held all slots of their queue. One pass over the starts of each queue in
  /// order: O(n log n), plus as many steps for each stranger as its queue has slots.
  private func pastTheirQueues(_ strangers: [QueueID: [Int]]) -> [DoublyStarted] {
    guard !strangers.isEmpty else { return [] }
    func start(_ index: Int) -> Stamp { trace.operations[index].started ?? Stamp(.max, ThreadID(0)) }
    var members = strangers.mapValues { _ in [Int]() }
    for index in trace.operations.indices where trace.operations[index].executionBegan != nil {
      guard let queue = trace.operations[index].queue, trace.operations[index].started != nil else { continue }
      if !trace.operations[index].isBarrier { members[queue]?.append(index) }
    }
    var result: [DoublyStarted] = []
    for (id, indexes) in strangers.sorted(by: { $0.key < $1.key }) {
      guard let queue = queue(id) else { continue }
      let starts = (members[id] ?? []).sorted { start($0).time < start($1).time }
      var head = 0
      var working: [Int] = []
      for index in indexes.sorted(by: { start($0).time < start($1).time }) {
        let started = start(index)
        while head < starts.count, Self.isBefore(start(starts[head]), started) {
          working.append(starts[head])
          head += 1
        }
        working.removeAll { !works(trace.operations[$0], after: started.time) }
        guard let enqueued = trace.operations[index].enqueued,
          let limit = queue.largestLimit(from: enqueued.time, to: started.time)
        else { continue }
        let holders = working.lazy.filter { $0 != index }.prefix(limit).map { trace.operations[$0].id }
        guard holders.count >= limit else { continue }
        result.append(
          DoublyStarted(operation: trace.operations[index], way: .pastItsQueue, holders: Array(holders)))
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
    case .enqueuedTwice: title = "\(those) \(were) added to a queue more than once"
    case .beforeItsQueue: title = "\(those) \(were) started by hand and then added to a queue"
    case .pastItsQueue: title = "\(those) \(were) started by hand while a queue owns \(it)"
    case .startedTwice: title = "\(those) \(were) started more than once"
    }
    let className = operations[0].className
    let isOwned = operations[0].queue != nil
    var finding = Finding(
      .doubleStart, isOwned ? .error : .warning, ending: .itWorks, title: title,
      explanation:
        "An operation has one owner, which starts it once. Foundation on Linux ends the process at the second "
        + "start; a class with its own state runs twice."
        + (isOwned ? "" : " After the finish, another start does nothing."),
      fix: cases[0].way == .enqueuedTwice
        ? "Add each \(className) to one queue only, and create a new one for the second use."
        : isOwned
          ? "Do not call start() of a \(className) that is in a queue; to run it sooner, set its queuePriority."
          : "Create a new \(className) for each run.")
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
      let count = operation.enqueueCount > 1 ? ", \(operation.enqueueCount) times in total" : ""
      lines.append(.init(at: enqueued, "\(name) was enqueued in \(queue)\(count)"))
    }
    switch one.way {
    case .enqueuedTwice: break
    case .beforeItsQueue: lines.insert(.init(at: operation.started, "\(name) was started"), at: 0)
    case .startedTwice:
      lines.append(.init(at: operation.started, "\(name) was started, \(operation.startCount) times in total"))
    case .pastItsQueue:
      lines.append(
        .init(at: operation.started, "\(name) was started on the main thread, which is not a thread of \(queue)"))
      lines.append(
        .init(
          time: operation.started?.time,
          "\(queue) had no free slot: \(list(one.holders)) ran"))
    }
    return lines
  }
}

extension QueueRecord {
  /// The largest limit in force between two times; nil: at some time there was no limit.
  fileprivate func largestLimit(from begin: Nanoseconds, to end: Nanoseconds) -> Int? {
    if isMain { return 1 }
    var largest = 0
    var current = initialLimit
    for change in changes {
      guard change.time <= end, case .limit(let value) = change.kind else { continue }
      // `current` was in force until this change.
      if change.time >= begin {
        if current < 0 { return nil }
        largest = max(largest, current)
      }
      current = value
    }
    return current < 0 ? nil : max(largest, current)
  }
}
