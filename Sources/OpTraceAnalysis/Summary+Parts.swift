import OpTraceModel

extension Summary {
  static func queues(_ trace: Trace, _ times: [OperationTimes], _ activity: ClosedRange<Nanoseconds>?) -> [Queue] {
    var result = trace.queues.map {
      Queue(
        id: $0.id, name: $0.name, title: $0.title, code: $0.codePlace, limit: $0.limit, isSuspended: $0.isSuspended)
    }
    var place: [QueueID: Int] = [:]
    for (index, queue) in trace.queues.enumerated() { place[queue.id] = index }
    var slots = [[(begin: Nanoseconds, end: Nanoseconds)]](repeating: [], count: result.count)
    for (index, operation) in trace.operations.enumerated() {
      guard let queue = operation.queue.flatMap({ place[$0] }) else { continue }
      result[queue].operations += 1
      result[queue].busy = result[queue].busy.saturating(times[index].running)
      result[queue].waitingForDependencies = result[queue].waitingForDependencies.saturating(
        times[index].waitingForDependencies)
      result[queue].waitingForSlot = result[queue].waitingForSlot.saturating(times[index].waitingForSlot)
      if times[index].running > 0 {
        let end = operation.finished?.time ?? trace.end
        slots[queue].append((end - times[index].running, end))
      }
    }
    for index in result.indices {
      result[index].peak = peak(slots[index])
      if let activity { result[index].capacity = capacity(trace.queues[index], result[index].peak, activity) }
    }
    return result
  }

  /// The most intervals at one time; one that ends where another begins is not at the same time.
  static func peak(_ intervals: [(begin: Nanoseconds, end: Nanoseconds)]) -> Int {
    let begins = intervals.map(\.begin).sorted()
    let ends = intervals.map(\.end).sorted()
    var ended = 0
    var most = 0
    for (index, begin) in begins.enumerated() {
      while ended < ends.count, ends[ended] <= begin { ended += 1 }
      most = max(most, index + 1 - ended)
    }
    return most
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

  private struct ClassTimes {
    let name: String
    var count = 0
    var dependencies: [Nanoseconds] = []
    var slot: [Nanoseconds] = []
    var running: [Nanoseconds] = []
    var computing: [Nanoseconds] = []
  }

  /// Work by what it is grouped by, with the times of each at its place.
  static func classes<Kind: Work>(_ list: [Kind], _ times: [OperationTimes]) -> [Class] {
    var classes: [ClassTimes] = []
    var places: [String: Int] = [:]
    for index in list.indices {
      let kind = list[index].kind
      let place = places[kind] ?? classes.count
      if place == classes.count {
        places[kind] = place
        classes.append(ClassTimes(name: kind))
      }
      classes[place].count += 1
      if list[index].submitted != nil, list[index].isOutcomeKnown {
        classes[place].dependencies.append(times[index].waitingForDependencies)
        classes[place].slot.append(times[index].waitingForSlot)
      }
      if list[index].began != nil { classes[place].running.append(times[index].running) }
      if let used = (list[index] as? OperationRecord)?.processorTime { classes[place].computing.append(used) }
    }
    let kinds = classes
    return SideBySide.map(kinds.count) { place in
      let kind = kinds[place]
      return Class(
        name: kind.name, count: kind.count, waitingForDependencies: Distribution(kind.dependencies),
        waitingForSlot: Distribution(kind.slot), running: Distribution(kind.running),
        computing: Distribution(kind.computing))
    }
    .sorted { ($1.running.total, $0.name) < ($0.running.total, $1.name) }
  }

  static func threads(_ trace: Trace) -> [Thread] {
    var intervals: [ThreadID: [(begin: Nanoseconds, end: Nanoseconds)]] = [:]
    var counts: [ThreadID: Int] = [:]
    for operation in trace.operations {
      if let began = operation.executionBegan {
        let end = operation.executionEnded ?? operation.startReturned ?? (operation.isAsynchronous ? began : nil)
        intervals[began.thread, default: []].append(
          (began.time, max(began.time, end?.time ?? operation.finished?.time ?? trace.end)))
        counts[began.thread, default: 0] += 1
      }
      for block in operation.blocks {
        intervals[block.thread, default: []].append((block.began, max(block.began, block.ended ?? trace.end)))
        if block.thread != operation.executionBegan?.thread { counts[block.thread, default: 0] += 1 }
      }
    }
    var known: [ThreadID: ThreadRecord] = [:]
    for thread in trace.threads { known[thread.id] = thread }
    return intervals.map { id, list in
      let name = known[id].map { $0.name.isEmpty && $0.isMain ? "main" : $0.name } ?? ""
      return Thread(
        id: id, systemID: known[id]?.systemID ?? 0, name: name, operations: counts[id] ?? 0, busy: covered(list))
    }
    .sorted { ($1.busy, $0.id) < ($0.busy, $1.id) }
  }

  /// The length of the union.
  private static func covered(_ intervals: [(begin: Nanoseconds, end: Nanoseconds)]) -> Nanoseconds {
    var sum: Nanoseconds = 0
    var reached = Nanoseconds.min
    for interval in intervals.sorted(by: { $0.begin < $1.begin }) where interval.end > reached {
      sum += interval.end - max(interval.begin, reached)
      reached = interval.end
    }
    return sum
  }
}
