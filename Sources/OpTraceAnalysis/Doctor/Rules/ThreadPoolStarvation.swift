import OpTraceModel

extension DoctorRule {
  static let threadPoolStarvation = DoctorRule(
    "thread-pool-starvation", .error, .stuck,
    Guide(
      """
      Operations are ready, their queues have free slots, and they are not started: every thread of the pool is blocked \
      inside of an operation. On Linux the pool has as many threads as there are processors, and gets one more a second \
      while all of them block: operations that start one second apart show it.
      """,
      wrong: """
        queue.addOperation {
          let done = DispatchSemaphore(value: 0)
          fetch { done.signal() }             // needs a thread of the same pool
          done.wait()                         // … while this one is held
        }
        """,
      right: """
        final class Fetch: TracedAsyncOperation, @unchecked Sendable {
          override func execute() { fetch { self.finish() } }   // holds no thread
        }
        """)
  ) { context in
    // Told of with the cycle.
    if context.isEveryThreadHeldUp { return [] }
    let tasks = context.starvedTasks()
    if !tasks.isEmpty { return tasks }
    let stuck = context.suspects.filter { $0.kind == .notStarted }
    if context.isStalled, !stuck.isEmpty { return [context.starved(stuck)] }
    return context.starvedForAWhile()
  }
}

extension DoctorContext {
  /// Nothing moves, and some could start.
  fileprivate func starved(_ suspects: [Suspect]) -> Finding {
    let ready = suspects.map { trace.operations[$0.place] }
    let blocking = trace.waits.filter { $0.ended == nil && $0.inside != nil }
    let holders = trace.operations.filter { $0.finished == nil && $0.isStarted && $0.startReturned == nil }
    let waiting = Set(blocking.compactMap(\.inside))
    // Without a wait of theirs it is not known what the threads do. One thread is no pool, unless it waits for just these.
    let readyIDs = Set(ready.map(\.id))
    let waitsForThese = blocking.contains { wait in
      switch wait.target {
      case .operation(let id): readyIDs.contains(id)
      case .queue(let id): ready.contains { $0.queue == id }
      case .object: false
      }
    }
    let isProven =
      (holders.count > 1 || waitsForThese) && !holders.isEmpty && holders.allSatisfy { waiting.contains($0.id) }
    var finding = Finding(
      "thread-pool-starvation", isProven ? .error : .warning,
      title: "\(Self.count(ready.count, "operation")) could run, and no thread of the pool is free",
      explanation: "\(list(ready.map(\.id))) \(ready.count == 1 ? "is" : "are") ready, and the queues have free slots. "
        + (isProven
          ? "But every thread that runs operations is blocked inside of one: \(list(holders.map(\.id)))."
          : "But nothing was started for \(DurationText.text(silence)); what the threads of the pool do is not in the trace."),
      fix: fixOfBlocking(holders.first)
        + " Where the queue has an underlyingQueue, see that this is not serial, and not busy with something else.")
    finding.operations = ready.map(\.id) + holders.map(\.id)
    finding.queues = queues(of: ready + holders)
    for suspect in suspects.prefix(3) {
      finding.evidence.append(
        .init(
          at: trace.operations[suspect.place].ready,
          "\(name(suspect.place)) was ready, and has not been started \(since(suspect.since))"))
    }
    for wait in blocking.prefix(8) {
      guard let inside = wait.inside else { continue }
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(name(inside)) has been waiting for \(target(of: wait)) \(since(wait.began)), and holds its thread"
            + Self.phrase(place(of: wait))))
    }
    return proven(finding)
  }

  /// Starts that came one by one as the pool grew.
  fileprivate func starvedForAWhile() -> [Finding] {
    let gaps = StarvationGap.all(in: trace, activity)
    guard let first = gaps.first else { return [] }
    let waits = trace.waits.filter { $0.inside != nil }
    func isBlocked(_ place: Int, _ gap: StarvationGap) -> Bool {
      let id = trace.operations[place].id
      return waits.contains {
        $0.inside == id && $0.began <= gap.begin + Self.second / 10 && ($0.ended ?? end) >= gap.end
      }
    }
    // One gap alone may have another reason, unless the threads are known to have been blocked.
    guard gaps.count > 1 || first.holders.allSatisfy({ isBlocked($0, first) }) else { return [] }
    let lost = gaps.reduce(0) { $0 + ($1.end - $1.begin) }
    let late = gaps.map { trace.operations[$0.late].id }
    let holders = first.holders.map { trace.operations[$0].id }
    var finding = Finding(
      "thread-pool-starvation", .warning,
      title: "\(Self.count(late.count, "operation")) waited for a thread, about 1 s each",
      explanation:
        "They were ready, and their queues had free slots, but every thread of the pool was blocked inside of "
        + "an operation, such as \(list(holders)). The pool gets one more thread a second then: "
        + "\(DurationText.text(lost)) were lost in all.",
      fix: fixOfBlocking(first.holders.first.map { trace.operations[$0] })
        + " As a stopgap, limit the queue (maxConcurrentOperationCount) below the number of processors.")
    finding.operations = late + holders.filter { !late.contains($0) }
    finding.queues = queues(of: gaps.map { trace.operations[$0.late] })
    for gap in gaps.prefix(5) {
      finding.evidence.append(
        .init(
          at: trace.operations[gap.late].started,
          "\(name(gap.late)) started \(DurationText.text(gap.end - gap.begin)) after the last event of any operation, "
            + "while \(Self.count(gap.holders.count, "operation")) held a thread"))
    }
    return [proven(finding)]
  }

  private func fixOfBlocking(_ holder: OperationRecord?) -> String {
    "Do not block inside of operations: let what they wait for be a dependency"
      + (holder.map { "; or \(Self.asAsynchronous($0).lowercasedFirst): \(Self.whatAsynchronousMeans)." } ?? ".")
  }

  static let second: Nanoseconds = 1_000_000_000
}

/// About a second in which no operation started or finished, though one could: then the pool got another thread.
struct StarvationGap {
  var begin: Nanoseconds
  var end: Nanoseconds
  /// Places: the one that started at the end, and those that held a thread all the time.
  var late: Int
  var holders: [Int]

  /// The first hundred. O(operations) for each, and once more for all.
  static func all(in trace: Trace, _ activity: ClosedRange<Nanoseconds>?) -> [StarvationGap] {
    silences(in: trace, activity).compactMap { begin, end, late in
      let operation = trace.operations[late]
      guard let runnable = operation.runnable, runnable <= begin + DoctorContext.second / 20,
        let queue = operation.queue.flatMap({ trace.queue($0) }), !queue.isMain, queue.hasNoChange(begin, end)
      else { return nil }
      var holders: [Int] = []
      var inQueue = 0
      for (place, other) in trace.operations.enumerated() {
        guard let started = other.started?.time, started <= begin, (other.finished?.time ?? .max) >= end else {
          continue
        }
        if other.queue == queue.id { inQueue += 1 }
        if (other.startReturned?.time ?? .max) >= end { holders.append(place) }
      }
      let limit = queue.limit(at: begin)
      guard !holders.isEmpty, limit < 0 || inQueue < limit else { return nil }
      return StarvationGap(begin: begin, end: end, late: late, holders: holders)
    }
  }

  /// Times of 0.9 to 1.2 s in which nothing started or ended, and which a start ended.
  private static func silences(
    in trace: Trace, _ activity: ClosedRange<Nanoseconds>?
  ) -> [(Nanoseconds, Nanoseconds, Int)] {
    guard let activity else { return [] }
    // Coarse first: which tenths of a second had an event. A set, for a trace may claim to be as long as it likes.
    let bin = DoctorContext.second / 10
    let origin = activity.lowerBound
    let count = (activity.upperBound - origin) / bin + 1
    guard count > 8 else { return [] }
    var used: Set<Int> = []
    var lastNoted = -1
    func number(_ time: Nanoseconds) -> Int { Int(min(max(0, (time - origin) / bin), count - 1)) }
    func noteUse(_ time: Nanoseconds?) {
      guard let current = time.map(number), current != lastNoted else { return }
      used.insert(current)
      lastNoted = current
    }
    for place in trace.operations.indices {
      noteUse(trace.operations[place].started?.time)
      noteUse(trace.operations[place].finished?.time)
    }
    var places: [Int: Int] = [:]
    var runs: [(before: Int, after: Int)] = []
    var last = 0
    for current in used.sorted() where current > 0 {
      if (8...13).contains(current - last), runs.count < 100 {
        places[last] = runs.count
        places[current] = places[current] ?? runs.count
        runs.append((last, current))
      }
      last = current
    }
    guard !runs.isEmpty else { return [] }
    // Then exactly, for these.
    var latest: [Int: Nanoseconds] = [:]
    var earliest: [Int: (time: Nanoseconds, start: Int?)] = [:]
    func note(_ time: Nanoseconds, _ start: Int?) {
      let current = number(time)
      guard places[current] != nil else { return }
      latest[current] = max(latest[current] ?? .min, time)
      if time < earliest[current]?.time ?? .max { earliest[current] = (time, start) }
    }
    for place in trace.operations.indices {
      if let time = trace.operations[place].started?.time { note(time, place) }
      if let time = trace.operations[place].finished?.time { note(time, nil) }
    }
    return runs.compactMap { before, after in
      guard let begin = latest[before], let next = earliest[after], let late = next.start else { return nil }
      let length = next.time - begin
      guard length >= bin * 9, length <= bin * 12 else { return nil }
      return (begin, next.time, late)
    }
  }
}

extension QueueRecord {
  fileprivate func limit(at time: Nanoseconds) -> Int {
    var limit = initialLimit
    for change in changes where change.time <= time {
      if case .limit(let value) = change.kind { limit = value }
    }
    return limit
  }

  /// Neither suspended nor changed in this time.
  fileprivate func hasNoChange(_ begin: Nanoseconds, _ end: Nanoseconds) -> Bool {
    var isSuspended = initiallySuspended
    for change in changes {
      if change.time > begin, change.time <= end { return false }
      if change.time > end { break }
      if change.kind == .suspended { isSuspended = true }
      if change.kind == .resumed { isSuspended = false }
    }
    return !isSuspended
  }
}
