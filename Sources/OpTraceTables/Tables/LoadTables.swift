import OpTraceKernel
import OpTraceModel

/// How many threads ran work, whenever that changed.
enum BusyThreads {
  struct Change {
    var time: Nanoseconds
    var until: Nanoseconds
    var threads: Int
  }

  /// A thread that runs several pieces of work at once, one inside of the other, counts once. O(n log n).
  static func changes(_ trace: Trace) -> [Change] {
    var moments: [(time: Nanoseconds, thread: UInt32, step: Int)] = []
    func add(_ work: some Work) {
      for run in work.runs {
        let ended = max(run.began, run.ended ?? trace.end)
        guard ended > run.began else { continue }
        moments.append((run.began, run.thread.rawValue, 1))
        moments.append((ended, run.thread.rawValue, -1))
      }
    }
    for index in trace.operations.indices { add(trace.operations[index]) }
    for index in trace.blocks.indices { add(trace.blocks[index]) }
    for index in trace.tasks.indices { add(trace.tasks[index]) }
    moments.sort { ($0.time, $0.step) < ($1.time, $1.step) }
    var depth: [UInt32: Int] = [:]
    var busy = 0
    var changes: [Change] = []
    for (number, moment) in moments.enumerated() {
      let before = depth[moment.thread, default: 0]
      depth[moment.thread] = before + moment.step
      if before == 0 { busy += 1 } else if before + moment.step == 0 { busy -= 1 }
      let isLastOfTime = number + 1 == moments.count || moments[number + 1].time > moment.time
      if isLastOfTime, changes.last?.threads ?? 0 != busy {
        if let last = changes.indices.last { changes[last].until = moment.time }
        changes.append(Change(time: moment.time, until: max(moment.time, trace.end), threads: busy))
      }
    }
    return changes
  }
}

/// How many operations were in a queue, whenever that changed.
enum QueueDepth {
  struct Change {
    var queue: QueueID
    var time: Nanoseconds
    var until: Nanoseconds = 0
    var pending: Int
    var ready: Int
    var executing: Int
  }

  /// What a moment changes; its number is the lowest bits of the moment's key.
  private enum Step: UInt64, CaseIterable {
    case enqueued, runnable, began
    case overExecuting, overReady, overPending

    var pending: Int { self == .enqueued ? 1 : self == .runnable || self == .overPending ? -1 : 0 }
    var ready: Int { self == .runnable ? 1 : self == .began || self == .overReady ? -1 : 0 }
    var executing: Int { self == .began ? 1 : self == .overExecuting ? -1 : 0 }

    /// Sorts by time.
    func key(_ time: Nanoseconds) -> UInt64 { UInt64(clamping: time) << 3 | rawValue }
  }

  /// The moments of a queue by kind: each kind is nearly sorted, and so is their concatenation.
  private struct Moments {
    var enqueued: [UInt64] = []
    var runnable: [UInt64] = []
    var began: [UInt64] = []
    var over: [UInt64] = []

    var sorted: [UInt64] { (enqueued + runnable + began + over).sorted() }

    /// Borrowed: a copy of a record counts references, a million times.
    mutating func add(_ operation: borrowing OperationRecord, enqueued: Nanoseconds, traceEnd: Nanoseconds) {
      let times = OperationTimes(of: operation, traceEnd: traceEnd)
      let isBegun = operation.began != nil
      let runnable = enqueued + times.waitingForDependencies
      let began = runnable + times.waitingForSlot
      let isRunnable = operation.runnable != nil || isBegun
      self.enqueued.append(Step.enqueued.key(enqueued))
      if isRunnable { self.runnable.append(Step.runnable.key(runnable)) }
      if isBegun { self.began.append(Step.began.key(began)) }
      if let over = operation.finished?.time {
        let last = isBegun ? Step.overExecuting : isRunnable ? .overReady : .overPending
        self.over.append(last.key(max(over, began)))
      }
    }
  }

  /// By queue, then by time. O(n log n).
  static func changes(_ trace: Trace) -> [Change] {
    var queues: [UInt32: Moments] = [:]
    for index in trace.operations.indices {
      guard trace.operations[index].isOutcomeKnown, let queue = trace.operations[index].queue?.rawValue,
        let enqueued = trace.operations[index].enqueued?.time
      else { continue }
      queues[queue, default: Moments()].add(trace.operations[index], enqueued: enqueued, traceEnd: trace.end)
    }
    return queues.sorted { $0.key < $1.key }.flatMap { changes(QueueID($0.key), $0.value.sorted, trace.end) }
  }

  private static func changes(_ queue: QueueID, _ moments: [UInt64], _ end: Nanoseconds) -> [Change] {
    var changes: [Change] = []
    var now = Change(queue: queue, time: 0, pending: 0, ready: 0, executing: 0)
    for (number, moment) in moments.enumerated() {
      guard let step = Step(rawValue: moment & 7) else { continue }
      now.time = Nanoseconds(moment >> 3)
      now.pending += step.pending
      now.ready += step.ready
      now.executing += step.executing
      let next = number + 1 < moments.count ? Nanoseconds(moments[number + 1] >> 3) : nil
      guard next != now.time else { continue }
      now.until = next ?? max(now.time, end)
      changes.append(now)
    }
    return changes
  }
}

extension TraceTable {
  static let busyThreads = TraceTable(
    "busy_threads", "one row for each change of the number of threads that run work", isCostly: true, sortedBy: "time",
    key: ["time"], of: { BusyThreads.changes($0.trace) },
    [
      ColumnOf("time", .integer, "when the row begins to hold") { _, row in TableValue(row.time) },
      ColumnOf("until", .integer, "when it no longer holds: the next row's time, or the trace's end") { _, row in
        TableValue(row.until)
      },
      ColumnOf("threads", .integer, "how many threads run an operation, block or task") { _, row in
        TableValue(row.threads)
      },
    ])

  static let queueDepth = TraceTable(
    "queue_depth", "one row for each change of the number of operations in a queue", isCostly: true, sortedBy: "queue",
    key: ["queue", "time"], of: { QueueDepth.changes($0.trace) },
    [
      ColumnOf("queue", .integer, "queues.id") { _, row in TableValue(row.queue) },
      ColumnOf("time", .integer, "when the row begins to hold") { _, row in TableValue(row.time) },
      ColumnOf("until", .integer, "when it no longer holds: the time of the queue's next row, or the trace's end") {
        _, row in
        TableValue(row.until)
      },
      ColumnOf("pending", .integer, "how many operations wait for dependencies") { _, row in TableValue(row.pending) },
      ColumnOf("ready", .integer, "how many wait for a slot or a thread") { _, row in TableValue(row.ready) },
      ColumnOf("executing", .integer, "how many run") { _, row in TableValue(row.executing) },
    ])
}
