import OpTraceKernel
import OpTraceModel

extension Summary {
  static func queues(_ trace: Trace, _ activity: ClosedRange<Nanoseconds>?, _ threads: ThreadWaits) -> [Queue] {
    var result = trace.queues.map {
      Queue(
        id: $0.id, name: $0.name, title: $0.title, code: $0.codeLocation, limit: $0.limit, isSuspended: $0.isSuspended)
    }
    let members = QueueMembers(trace)
    for index in result.indices {
      let operations = members[result[index].id]
      result[index].operations = operations.count
      var executions = Openings(capacity: operations.count)
      for member in operations {
        let times = threads.times(ofOperationAt: member, in: trace)
        result[index].add(times)
        guard times.running > 0 else { continue }
        let end = trace.operations[member].finished?.time ?? trace.end
        executions.add(end - times.running, end)
      }
      result[index].peak = executions.peak()
      if let activity { result[index].capacity = capacity(trace.queues[index], result[index].peak, activity) }
    }
    return result
  }

  private static func capacity(_ queue: QueueRecord, _ peak: Int, _ activity: ClosedRange<Nanoseconds>) -> Double {
    var limit = queue.initialLimit
    var since = activity.lowerBound
    var sum = 0.0
    func advance(to time: Nanoseconds) {
      let until = min(max(time, since), activity.upperBound)
      sum += Double(until - since) * Double(limit < 0 ? peak : limit)
      since = until
    }
    for change in queue.changes {
      guard case .limit(let next) = change.kind else { continue }
      advance(to: change.time)
      limit = next
    }
    advance(to: activity.upperBound)
    return sum
  }

  /// Groups work by kind. Distributions are made one by one, so that only the values of one are in memory.
  ///
  /// - Parameter threads: of operations; nil: the waits of this kind of work are not told apart.
  static func classes<Kind: Work>(
    _ list: [Kind], traceEnd: Nanoseconds, threads: ThreadWaits? = nil,
    processorTime: @Sendable (borrowing Kind) -> Nanoseconds? = { _ in nil }
  ) -> [Class] {
    let (names, members) = kinds(list)
    return SideBySide.map(names.count) { number in
      func distribution(_ value: (borrowing Kind, Int) -> Nanoseconds?) -> Distribution {
        var values: [Nanoseconds] = []
        values.reserveCapacity(members[number].count)
        for index in members[number] { if let value = value(list[index], index) { values.append(value) } }
        return Distribution(values)
      }
      func waiting(_ time: KeyPath<OperationTimes, Nanoseconds>) -> Distribution {
        distribution { work, index in
          guard work.submitted != nil, work.isOutcomeKnown else { return nil }
          var times = OperationTimes(of: work, traceEnd: traceEnd)
          if let threads { times.tellApart(thread: threads[index]) }
          return times[keyPath: time]
        }
      }
      return Class(
        name: names[number], count: members[number].count, waitingForDependencies: waiting(\.waitingForDependencies),
        waitingForSlot: waiting(\.waitingForSlot),
        waitingForThread: threads == nil ? nil : waiting(\.waitingForThread),
        running: distribution { work, _ in
          work.began == nil ? nil : OperationTimes(of: work, traceEnd: traceEnd).running
        },
        computing: distribution { work, _ in processorTime(work) })
    }
    .sorted { ($1.running.total, $0.name) < ($0.running.total, $1.name) }
  }

  /// The kinds in order of appearance, and the indexes of each.
  private static func kinds<Kind: Work>(_ list: [Kind]) -> (names: [String], members: IndexesByGroup) {
    var names: [String] = []
    var numbers: [String: Int32] = [:]
    var ofPlaces: [Int32] = []
    ofPlaces.reserveCapacity(list.count)
    for index in list.indices {
      let kind = list[index].kind
      let number = numbers[kind] ?? Int32(clamping: names.count)
      if number == names.count {
        numbers[kind] = number
        names.append(kind)
      }
      ofPlaces.append(number)
    }
    return (names, IndexesByGroup(ofPlaces.lazy.map { Int($0) }, groups: names.count))
  }

  static func threads(_ trace: Trace) -> [Thread] {
    var executions: [ThreadID: Openings] = [:]
    var counts: [ThreadID: Int] = [:]
    func add(_ thread: ThreadID, _ began: Nanoseconds, _ ended: Nanoseconds, counted: Bool) {
      if counted { counts[thread, default: 0] += 1 }
      if began < ended { executions[thread, default: Openings()].add(began, ended) }
    }
    for index in trace.operations.indices {
      let began = trace.operations[index].executionBegan
      if let began {
        let end =
          trace.operations[index].executionEnded ?? trace.operations[index].startReturned
          ?? (trace.operations[index].isAsynchronous ? began : nil) ?? trace.operations[index].finished
        add(began.thread, began.time, end?.time ?? trace.end, counted: true)
      }
      for block in trace.operations[index].blocks {
        add(block.thread, block.began, block.ended ?? trace.end, counted: block.thread != began?.thread)
      }
    }
    var known: [ThreadID: ThreadRecord] = [:]
    for thread in trace.threads { known[thread.id] = thread }
    return counts.map { id, count in
      let name = known[id].map { $0.name.isEmpty && $0.isMain ? "main" : $0.name } ?? ""
      return Thread(
        id: id, systemID: known[id]?.systemID ?? 0, name: name, operations: count,
        busy: executions.removeValue(forKey: id)?.union().total ?? 0)
    }
    .sorted { ($1.busy, $0.id) < ($0.busy, $1.id) }
  }
}

extension Summary.Queue {
  fileprivate mutating func add(_ times: OperationTimes) {
    busy = busy.saturating(times.running)
    waitingForDependencies = waitingForDependencies.saturating(times.waitingForDependencies)
    waitingForSlot = waitingForSlot.saturating(times.waitingForSlot)
    waitingForThread = waitingForThread.saturating(times.waitingForThread)
  }
}
