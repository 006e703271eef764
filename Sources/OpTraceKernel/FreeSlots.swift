package import OpTraceModel

/// When one queue had a free slot, by the rules of ``ThreadWaits``.
package struct FreeSlots: Sendable {
  /// When each stretch with a free slot begins, in the order of time.
  private var begins: [Nanoseconds] = []
  /// The free time before each stretch, and after the last one the sum of all.
  private var sums: [Nanoseconds] = [0]
  /// Both are empty if the queue has no barriers.
  private var all: [Member] = []
  private var barriers: [Member] = []

  /// When operations were added, and when everything up to there was over.
  private struct Member {
    var enqueued: Nanoseconds
    /// `.max`: something never was.
    var over: Nanoseconds
  }

  /// Whether the trace has all records: else an operation may have executed, and a limit may have been set, unseen.
  static func areKnown(in trace: Trace) -> Bool {
    trace.loss.lostCount == 0 && !trace.loss.isDamaged && trace.loss.overwrittenBytes == 0
  }

  /// Nil: nothing is claimed of this queue. O(m log m) for m operations of the queue.
  init?(_ indexes: some Collection<Int>, of trace: Trace, queue: QueueRecord?) {
    guard let queue, queue.isDescribed, !queue.isMain else { return nil }
    // The first half and the second half are nearly sorted, which sorts fast. Time and step are packed into one number.
    var steps: [Int64] = []
    steps.reserveCapacity(2 * indexes.count)
    for index in indexes { if let began = Self.begin(trace.operations[index]) { steps.append(began << 1) } }
    for index in indexes {
      guard let began = Self.begin(trace.operations[index]), let finished = trace.operations[index].finished?.time
      else { continue }
      steps.append(max(began, finished) << 1 | 1)
    }
    steps.sort()
    collect(steps, queue, until: trace.end)
    guard indexes.contains(where: { trace.operations[$0].isBarrier }) else { return }
    all = Self.members(indexes, of: trace)
    barriers = Self.members(indexes.filter { trace.operations[$0].isBarrier }, of: trace)
  }

  /// When it began to hold a slot; nil: it never did.
  private static func begin(_ operation: borrowing OperationRecord) -> Nanoseconds? {
    if let began = (operation.started ?? operation.executionBegan)?.time { return began }
    // It may have been under way when the recorder met it, or its start was not heard.
    if operation.coverage != .full { return operation.enqueued?.time ?? 0 }
    return operation.finished != nil && operation.cancelRequested == nil
      ? operation.runnable ?? operation.enqueued?.time : nil
  }

  private mutating func collect(_ steps: [Int64], _ queue: QueueRecord, until end: Nanoseconds) {
    var changes = queue.changes[...]
    var limit = queue.initialLimit
    var isSuspended = queue.initiallySuspended
    var running = 0
    var since: Nanoseconds?
    func note(_ time: Nanoseconds) {
      let isFree = !isSuspended && (limit < 0 || running < limit)
      if isFree, since == nil { since = time }
      guard !isFree, let from = since else { return }
      add(from, time)
      since = nil
    }
    func change(upTo time: Nanoseconds) {
      while let change = changes.first, change.time <= time {
        switch change.kind {
        case .limit(let value): limit = value
        case .suspended: isSuspended = true
        case .resumed: isSuspended = false
        case .cancelledAll: break
        }
        note(change.time)
        changes.removeFirst()
      }
    }
    note(0)
    for step in steps {
      change(upTo: step >> 1)
      running += step & 1 == 0 ? 1 : -1
      note(step >> 1)
    }
    change(upTo: .max)
    if let since { add(since, max(since, end)) }
  }

  private mutating func add(_ from: Nanoseconds, _ to: Nanoseconds) {
    guard to > from else { return }
    begins.append(from)
    sums.append(sums[sums.count - 1] + to - from)
  }

  private static func members(_ indexes: some Collection<Int>, of trace: Trace) -> [Member] {
    var members = indexes.compactMap { index in
      trace.operations[index].enqueued.map {
        Member(enqueued: $0.time, over: trace.operations[index].finished?.time ?? .max)
      }
    }
    members.sort { $0.enqueued < $1.enqueued }
    var over = Nanoseconds.min
    for index in members.indices {
      over = max(over, members[index].over)
      members[index].over = over
    }
    return members
  }

  /// Where the last answer was found: operations that follow one another wait at about the same time.
  struct Hint {
    fileprivate var open = 0
    fileprivate var start = 0
  }

  /// How much of this part of an operation's wait was one for a thread. O(log m).
  package func freeTime(
    for operation: borrowing OperationRecord, from: Nanoseconds, to: Nanoseconds
  ) -> Nanoseconds {
    var hint = Hint()
    return freeTime(for: operation, from: from, to: to, near: &hint)
  }

  /// The same. O(log d), if the answer is d stretches from the last one.
  func freeTime(
    for operation: borrowing OperationRecord, from: Nanoseconds, to: Nanoseconds, near hint: inout Hint
  ) -> Nanoseconds {
    let start = min(max(from, operation.started?.time ?? to), to)
    let open = max(from, gate(of: operation))
    guard open < start else { return max(0, to - start) }
    return max(0, to - start) + free(until: start, near: &hint.start) - free(until: open, near: &hint.open)
  }

  /// When that was, in the order of time. O(log m + result).
  package func stretches(
    for operation: borrowing OperationRecord, from: Nanoseconds, to: Nanoseconds
  ) -> [Range<Nanoseconds>] {
    let start = min(max(from, operation.started?.time ?? to), to)
    let open = max(from, gate(of: operation))
    var result: [Range<Nanoseconds>] = []
    func add(_ from: Nanoseconds, _ to: Nanoseconds) {
      if to > from { result.append(from..<to) }
    }
    var place = max(0, begins.firstSorted { $0 > open } - 1)
    while place < begins.count, begins[place] < start {
      add(max(open, begins[place]), min(start, begins[place] + sums[place + 1] - sums[place]))
      place += 1
    }
    add(start, to)
    return result
  }

  /// When the barriers before it, or all that is before a barrier, were over.
  private func gate(of operation: borrowing OperationRecord) -> Nanoseconds {
    guard !barriers.isEmpty, let enqueued = operation.enqueued?.time else { return .min }
    let members = operation.isBarrier ? all : barriers
    let place = members.firstSorted { $0.enqueued >= enqueued }
    return place > 0 ? members[place - 1].over : .min
  }

  private func free(until time: Nanoseconds, near hint: inout Int) -> Nanoseconds {
    let place = place(of: time, near: hint)
    hint = place
    guard place > 0 else { return 0 }
    return min(sums[place], sums[place - 1] + time - begins[place - 1])
  }

  /// The first stretch that begins at this time or later: in ever longer steps away from the hint, then between the
  /// last two of them.
  private func place(of time: Nanoseconds, near hint: Int) -> Int {
    var (low, high) = (hint, hint)
    var step = 1
    while low > 0, begins[low - 1] >= time {
      high = low - 1
      low = max(0, low - step)
      step *= 2
    }
    while high < begins.count, begins[high] < time {
      low = high + 1
      high = min(begins.count, high + step)
      step *= 2
    }
    while low < high {
      let middle = (low + high) / 2
      if begins[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
