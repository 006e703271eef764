import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let threadPoolStarvation = Trouble("thread-pool-starvation", .stuck, reason: .silence)
}

extension DoctorRule {
  static let threadPoolStarvation = DoctorRule(
    .threadPoolStarvation, .error,
    Guide(
      """
      Operations are ready and their queues have free slots, but they do not start: every thread of the pool is \
      blocked inside an operation. On Linux the pool has one thread per processor, and gets one more per second while \
      all of them are blocked: operations that start one second apart are the sign. Or Foundation on Linux lost the \
      start of an operation that became ready on one thread while another added it to its queue.
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
    // Then the rule about the cycle reports it.
    if context.isEveryThreadHeldUp { return [] }
    let tasks = context.starvedTasks() + context.starvedBarriers()
    if !tasks.isEmpty { return tasks }
    let stuck = context.suspects.filter { $0.kind == .notStarted }
    if context.isStalled, !stuck.isEmpty { return [context.lostStart(stuck) ?? context.starved(stuck)] }
    return context.starvedForAWhile()
  }
}

extension Finding.Ending {
  /// For threads of the pool that wait.
  static let threadGivenBack = Self.sentence("Only the end of one of these waits gives a thread back.")
}

extension DoctorContext {
  /// The finding if nothing moves although some operations could start.
  fileprivate func starved(_ suspects: [Suspect]) -> Finding {
    let ready = suspects.map { trace.operations[$0.index] }
    let blocking = trace.waits.filter { $0.ended == nil && $0.inside != nil }
    let holders = trace.operations.filter { $0.holdsThread }
    let waiting = Set(blocking.filter { !trace.endsByItself($0) }.compactMap(\.inside))
    // Without recorded waits it is not known what the threads do. A single thread proves nothing, unless it waits for
    // these very operations.
    let readyIDs = Set(ready.map(\.id))
    func isEndless(_ wait: WaitRecord) -> Bool {
      switch wait.target {
      case .operation(let id): readyIDs.contains(id)
      case .queue(let id): ready.contains { $0.queue == id }
      case .object: false
      }
    }
    let isExplained =
      (holders.count > 1 || blocking.contains(where: isEndless)) && !holders.isEmpty
      && holders.allSatisfy { waiting.contains($0.id) }
    // Blocks and tasks that were not recorded may hold the threads, or a dispatch queue below may be suspended.
    let isUnexplained = holders.isEmpty
    let (are, them) = ready.count == 1 ? ("is", "it") : ("are", "them")
    let why: String
    if isExplained {
      why = "But every thread that runs operations is blocked inside one: \(list(holders.map(\.id)))."
    } else {
      why =
        "But nothing was started for \(DurationText.text(silence)). "
        + (isUnexplained ? "No operation holds a thread." : "The trace does not show what the pool's threads do.")
    }
    var finding = Finding(
      .threadPoolStarvation, isExplained ? .error : .warning, ending: isUnexplained ? .unknown : .threadGivenBack,
      title: "\(Self.count(ready.count, "operation")) \(are) ready, but "
        + (isUnexplained ? "nothing starts \(them)" : "no thread of the pool is free"),
      explanation: "\(list(ready.map(\.id))) \(are) ready, and the queues have free slots. \(why)",
      fix: isUnexplained
        ? "If the queue has an underlyingQueue, check that it is not suspended, and not busy with other work."
          + (trace.blocks.isEmpty || trace.tasks.isEmpty ? " To see what blocks and tasks do, use 'record --all'." : "")
        : fixOfBlocking(holders.first)
          + " If the queue has an underlyingQueue, check that it is not serial and not busy with other work.")
    finding.operations = ready.map(\.id) + holders.map(\.id)
    finding.queues = queues(of: ready + holders)
    for suspect in suspects.prefix(3) {
      finding.evidence.append(
        .init(
          at: trace.operations[suspect.index].ready,
          "\(name(suspect.index)) has been ready \(since(suspect.since)) and has not started"))
    }
    for wait in blocking.prefix(8) {
      guard let inside = wait.inside else { continue }
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(name(inside)) has been waiting for \(target(of: wait)) \(since(wait.began)), and holds its thread"
            + Self.phrase(location(of: wait))))
    }
    // Waits for these very operations end only with them. Whoever is left may end any other.
    let areEndless = isExplained && blocking.allSatisfy { isEndless($0) || trace.endsByItself($0) }
    let door: Door
    switch left {
    case .nobody, .unknown: return proven(finding)
    case _ where areEndless: return proven(finding)
    case .itself(let found): return unproven(finding, because: found.text)
    case .somebody(let found): door = found
    }
    finding = noted(finding, because: "\(door.text), and that may wake a thread of the pool")
    guard isExplained else { return finding }
    finding.severity = .warning
    finding.isPassing = true
    return finding
  }

  /// The finding for operations that started one by one while the pool grew.
  fileprivate func starvedForAWhile() -> [Finding] {
    let gaps = StarvationGap.all(in: trace, activity)
    guard let first = gaps.first else { return [] }
    let waits = trace.waits.filter { $0.inside != nil }
    func isBlocked(_ index: Int, _ gap: StarvationGap) -> Bool {
      let id = trace.operations[index].id
      return waits.contains {
        $0.inside == id && $0.began <= gap.begin + Self.second / 10 && ($0.ended ?? end) >= gap.end
      }
    }
    // A single gap may have another reason, unless the threads are known to have been blocked.
    guard gaps.count > 1 || first.holders.allSatisfy({ isBlocked($0, first) }) else { return [] }
    let lost = gaps.reduce(0) { $0 + ($1.end - $1.begin) }
    let late = gaps.map { trace.operations[$0.late].id }
    let holders = first.holders.map { trace.operations[$0].id }
    var finding = Finding(
      .threadPoolStarvation, .warning, ending: .threadGivenBack,
      title: "\(Self.count(late.count, "operation")) waited for a thread, about 1 s each",
      explanation:
        "They were ready and their queues had free slots, but every thread of the pool was blocked inside an operation, "
        + "such as \(list(holders)). The pool then gets only one more thread per second: \(DurationText.text(lost)) were "
        + "lost in total.",
      fix: fixOfBlocking(first.holders.first.map { trace.operations[$0] })
        + " As a stopgap, limit the queue (maxConcurrentOperationCount) to fewer than the number of processors.")
    finding.operations = late + holders.filter { !late.contains($0) }
    finding.queues = queues(of: gaps.map { trace.operations[$0.late] })
    for gap in gaps.prefix(5) {
      finding.evidence.append(
        .init(
          at: trace.operations[gap.late].started,
          "\(name(gap.late)) started \(DurationText.text(gap.end - gap.begin)) after the last event of any operation, "
            + "while \(Self.count(gap.holders.count, "operation")) held a thread"))
    }
    finding.isPassing = true
    return [proven(finding)]
  }

  private func fixOfBlocking(_ holder: OperationRecord?) -> String {
    "Do not block inside operations: make what they wait for a dependency"
      + (holder.map { "; or \(Self.asAsynchronous($0).lowercasedFirst): \(Self.whatAsynchronousMeans)." } ?? ".")
  }

}

/// About a second in which no operation started or finished, though one could have; then the pool got another thread.
struct StarvationGap {
  var begin: Nanoseconds
  var end: Nanoseconds
  /// Indexes of the operation that started at the end, and of those that held a thread all the time.
  var late: Int
  var holders: [Int]

  /// The first hundred gaps. O(operations) for each, and once more for all.
  static func all(in trace: Trace, _ activity: ClosedRange<Nanoseconds>?) -> [StarvationGap] {
    silences(in: trace, activity).compactMap { begin, end, late in
      let operation = trace.operations[late]
      guard let runnable = operation.runnable, runnable <= begin + DoctorContext.second / 20,
        let queue = operation.queue.flatMap({ trace.queue($0) }), !queue.isMain, queue.hasNoChange(begin, end)
      else { return nil }
      var holders: [Int] = []
      var inQueue = 0
      for (index, other) in trace.operations.enumerated() {
        guard let started = other.started?.time, started <= begin, (other.finished?.time ?? .max) >= end else {
          continue
        }
        if other.queue == queue.id { inQueue += 1 }
        if (other.startReturned?.time ?? .max) >= end { holders.append(index) }
      }
      let limit = queue.limit(at: begin)
      guard !holders.isEmpty, limit < 0 || inQueue < limit else { return nil }
      return StarvationGap(begin: begin, end: end, late: late, holders: holders)
    }
  }

  /// Times of 0.9 to 1.2 s in which nothing started or ended, each followed by a start.
  private static func silences(
    in trace: Trace, _ activity: ClosedRange<Nanoseconds>?
  ) -> [(Nanoseconds, Nanoseconds, Int)] {
    guard let activity else { return [] }
    // A coarse pass first: which tenths of a second had an event. A set, because a trace may claim to be of any length.
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
    for index in trace.operations.indices {
      noteUse(trace.operations[index].started?.time)
      noteUse(trace.operations[index].finished?.time)
    }
    var indexes: [Int: Int] = [:]
    var runs: [(before: Int, after: Int)] = []
    var last = 0
    for current in used.sorted() where current > 0 {
      if (8...13).contains(current - last), runs.count < 100 {
        indexes[last] = runs.count
        indexes[current] = indexes[current] ?? runs.count
        runs.append((last, current))
      }
      last = current
    }
    guard !runs.isEmpty else { return [] }
    // Then the exact times, only for these.
    var latest: [Int: Nanoseconds] = [:]
    var earliest: [Int: (time: Nanoseconds, start: Int?)] = [:]
    func note(_ time: Nanoseconds, _ start: Int?) {
      let current = number(time)
      guard indexes[current] != nil else { return }
      latest[current] = max(latest[current] ?? .min, time)
      if time < earliest[current]?.time ?? .max { earliest[current] = (time, start) }
    }
    for index in trace.operations.indices {
      if let time = trace.operations[index].started?.time { note(time, index) }
      if let time = trace.operations[index].finished?.time { note(time, nil) }
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

  /// Whether the queue was neither suspended nor changed in this time.
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

/// Swift's pool has one thread per processor and gets no more: tasks that block their threads keep all others waiting.
extension DoctorContext {
  /// Tasks that are ready while every task that has a thread blocks it. Empty if one of these may continue.
  func starvedTasks() -> [Finding] {
    let running = trace.tasks.filter { task in task.over == nil && task.runs.last.map { $0.ended == nil } ?? false }
    let ready = trace.tasks.filter { task in
      guard task.over == nil, let since = turn(of: task) else { return false }
      return end - since > Self.second
    }
    guard !running.isEmpty, !ready.isEmpty else { return [] }
    var blocking: [(task: TaskRecord, thread: ThreadID, text: String)] = []
    for task in running {
      guard let thread = task.runs.last?.thread, let text = block(of: task, thread) else { return [] }
      blocking.append((task, thread, text))
    }
    // Tasks of the main actor run on the main thread, which is not in the pool.
    guard blocking.contains(where: { self.thread($0.thread)?.isMain != true }) else { return [] }
    let isProven = isClosedWorld
    var finding = Finding(
      .threadPoolStarvation, isProven ? .error : .warning, ending: .threadGivenBack,
      title:
        "\(Self.count(ready.count, "task")) \(ready.count == 1 ? "is" : "are") ready, but \(Self.count(blocking.count, "task")) "
        + "\(blocking.count == 1 ? "blocks" : "block") the threads of Swift's pool: \(name(blocking[0].task.id)) \(blocking[0].text)",
      explanation:
        "The pool has one thread per processor and gets no more. Each of them is blocked inside a task, so "
        + "\(name(ready[0].id)) has waited for a thread \(since(turn(of: ready[0]) ?? end)).",
      fix:
        "Do not block inside a task\(Self.phrase(location(of: blocking[0].thread))): await instead (a continuation, an "
        + "AsyncStream), or do the blocking work on its own dispatch queue.")
    for (task, thread, text) in blocking.prefix(Self.mostEvidence) {
      finding.evidence.append(.init(at: Stamp(task.lastSign ?? end, thread), "\(name(task.id)) \(text)"))
    }
    finding.evidence.append(.init(time: turn(of: ready[0]), "\(name(ready[0].id)) waits for a thread"))
    finding.location = location(of: blocking[0].thread) ?? location(of: blocking[0].task)
    if case .somebody = left { finding.isPassing = true }
    return [isProven ? proven(finding) : finding]
  }

  /// Since when a task has waited for its turn; nil: it does not.
  private func turn(of task: TaskRecord) -> Nanoseconds? {
    if task.runs.isEmpty { return task.actor == nil ? task.enqueued?.time : nil }
    guard let last = task.suspensions.last, last.to == nil, last.actor == nil else { return nil }
    return last.enqueued?.time
  }

  /// What blocks the thread of a running task; nil: nothing that is known.
  private func block(of task: TaskRecord, _ thread: ThreadID) -> String? {
    if let wait = trace.waits.last(where: { $0.thread == thread && $0.ended == nil && $0.inside == task.id }) {
      // Even if others move, this thread has not for a second.
      guard end - wait.began > Self.second, !trace.endsByItself(wait) else { return nil }
      return "waits for \(target(of: wait))\(Self.phrase(location(of: wait)))"
    }
    guard let seen = seenThreads[thread], seen.isAsleep, !seen.isTimed, seen.reason == .futex || seen.reason.isLock
    else {
      return nil
    }
    return "waits for \(seen.reason.text)\(Self.phrase(location(of: thread)))"
  }
}
