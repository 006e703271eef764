import OpTraceAnalysis
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
    for place in trace.operations.indices { add(trace.operations[place]) }
    for place in trace.blocks.indices { add(trace.blocks[place]) }
    for place in trace.tasks.indices { add(trace.tasks[place]) }
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

/// How much stood in a queue, whenever that changed.
enum QueueDepth {
  struct Change {
    var queue: QueueID
    var time: Nanoseconds
    var until: Nanoseconds = 0
    var pending: Int
    var ready: Int
    var executing: Int
  }

  /// By queue, then by time. O(n log n).
  static func changes(_ trace: Trace) -> [Change] {
    var moments: [(queue: UInt32, time: Nanoseconds, pending: Int8, ready: Int8, executing: Int8)] = []
    for place in trace.operations.indices {
      guard trace.operations[place].isOutcomeKnown, let queue = trace.operations[place].queue?.rawValue,
        let enqueued = trace.operations[place].enqueued?.time
      else { continue }
      let times = OperationTimes(of: trace.operations[place], traceEnd: trace.end)
      let isBegun = trace.operations[place].began != nil
      let runnable = enqueued + times.waitingForDependencies
      let began = runnable + times.waitingForSlot
      let isRunnable = trace.operations[place].runnable != nil || isBegun
      let over = trace.operations[place].finished?.time
      moments.append((queue, enqueued, 1, 0, 0))
      if isRunnable { moments.append((queue, runnable, -1, 1, 0)) }
      if isBegun { moments.append((queue, began, 0, -1, 1)) }
      if let over {
        let last: (Int8, Int8, Int8) = isBegun ? (0, 0, -1) : isRunnable ? (0, -1, 0) : (-1, 0, 0)
        moments.append((queue, max(over, began), last.0, last.1, last.2))
      }
    }
    moments.sort { ($0.queue, $0.time) < ($1.queue, $1.time) }
    var changes: [Change] = []
    var now = Change(queue: QueueID(0), time: 0, pending: 0, ready: 0, executing: 0)
    for (number, moment) in moments.enumerated() {
      if number == 0 || moment.queue != now.queue.rawValue {
        now = Change(queue: QueueID(moment.queue), time: moment.time, pending: 0, ready: 0, executing: 0)
      }
      now.time = moment.time
      now.pending += Int(moment.pending)
      now.ready += Int(moment.ready)
      now.executing += Int(moment.executing)
      let next = number + 1 < moments.count ? moments[number + 1] : nil
      guard next?.queue != moment.queue || next?.time != moment.time else { continue }
      now.until = next.flatMap { $0.queue == moment.queue ? $0.time : nil } ?? max(moment.time, trace.end)
      changes.append(now)
    }
    return changes
  }
}

extension TraceTable {
  static let busyThreads = TraceTable(
    "busy_threads", "one row whenever the number of threads that run work changed", isCostly: true, sortedBy: "time",
    of: { $0.busyThreads },
    [
      ColumnOf("time", .integer, "from here") { _, row in TableValue(row.time) },
      ColumnOf("until", .integer, "to here: the next row's time, or the trace's end") { _, row in TableValue(row.until)
      },
      ColumnOf("threads", .integer, "that run an operation, block or task") { _, row in TableValue(row.threads) },
    ])

  static let queueDepth = TraceTable(
    "queue_depth", "one row whenever it changed how much stands in a queue", isCostly: true, sortedBy: "queue",
    of: { $0.queueDepths },
    [
      ColumnOf("queue", .integer, "queues.id") { _, row in TableValue(row.queue) },
      ColumnOf("time", .integer, "from here") { _, row in TableValue(row.time) },
      ColumnOf("until", .integer, "to here: the time of the queue's next row, or the trace's end") { _, row in
        TableValue(row.until)
      },
      ColumnOf("pending", .integer, "wait for dependencies") { _, row in TableValue(row.pending) },
      ColumnOf("ready", .integer, "wait for a slot") { _, row in TableValue(row.ready) },
      ColumnOf("executing", .integer, "run") { _, row in TableValue(row.executing) },
    ])
}
