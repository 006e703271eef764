import OpTraceKernel
package import OpTraceModel

/// What a program's queues do at one moment: what `optrace top` shows.
package struct LiveStatus: Sendable, Equatable {
  /// One operation queue.
  package struct Queue: Sendable, Equatable {
    /// Its number in the trace.
    package var id: QueueID
    /// The displayed name.
    package var title: String
    /// How many operations it may run at once; nil: as many as the system allows.
    package var limit: Int?
    /// Whether it is suspended, and starts nothing.
    package var isSuspended: Bool
    /// Operations that have begun and are not over.
    package var executing = 0
    /// Operations that only wait for a slot.
    package var ready = 0
    /// Operations that wait for dependencies, or for their own `isReady`.
    package var pending = 0
    /// How long the oldest of the ready ones has been ready; nil: there is none.
    package var oldestReady: Nanoseconds?
    /// Operations that finished per second, over the last ten seconds or the part of them that the trace covers in
    /// full.
    package var finishedPerSecond = 0.0
    /// The median wait for a slot of operations that began in these seconds; nil: none began. Within 2 %.
    var slotWaitP50: Nanoseconds?
    /// The 99th percentile of the same.
    var slotWaitP99: Nanoseconds?
  }

  /// An operation that has begun and is not over.
  package struct Execution: Sendable, Equatable {
    /// Its number in the trace.
    package var id: WorkID
    /// The displayed name.
    package var title: String
    /// The queue's number; nil: it was run by hand.
    package var queue: QueueID?
    /// The displayed name of the queue.
    var queueTitle: String?
    /// How long it has been executing.
    package var time: Nanoseconds
    /// The thread that its code is on; nil: on none, like an asynchronous one whose `start()` has returned, or not
    /// known.
    package var thread: ThreadID?
    /// The system's id of the thread; nil: not known.
    package var systemThread: UInt32?
    /// The line at which it waits, or where it was seen last; else what it runs.
    package var location: CodeLocation
    /// Whether its thread waits.
    package var isWaiting = false
    /// What it waits for, in words; nil: nothing, or not known.
    package var waitsFor: String?
    /// The operation, block or task that holds what it waits for; nil: none, or not known.
    package var heldBy: WorkID?
  }

  /// One dispatch queue with something in it.
  package struct Dispatch: Sendable, Equatable {
    /// The displayed name.
    package var title: String
    /// How many blocks it runs at once; nil: as many as the system allows, or not known.
    package var width: Int?
    /// Blocks that run.
    package var running = 0
    /// Blocks that wait for their turn.
    package var waiting = 0
    /// How long the oldest of these has waited; nil: there is none.
    package var oldest: Nanoseconds?
  }

  /// Swift tasks that run one function.
  package struct Tasks: Sendable, Equatable {
    /// The function.
    package var title: String
    /// The number of tasks that run.
    package var running = 0
    /// The number of tasks that wait for their turn.
    package var waiting = 0
    /// The number of tasks that are suspended.
    package var suspended = 0
    /// The age of the oldest of all.
    package var oldest: Nanoseconds
  }

  /// A thread outside of operations that waits.
  package struct Waiting: Sendable, Equatable {
    /// Its number in the trace.
    package var thread: ThreadID
    /// The displayed name: its name, else the system's id.
    package var title: String
    /// What it waits for, in words.
    package var waitsFor: String
    /// How long it has waited; nil: not known.
    package var time: Nanoseconds?
    /// The line at which it waits.
    package var location: CodeLocation?
  }

  /// The present, in nanoseconds since the trace's start.
  package var now: Nanoseconds
  /// Sorted by number.
  package var queues: [Queue] = []
  /// Those that have been executing longest come first.
  package var executing: [Execution] = []
  /// Dispatch queues that are not idle, the longest wait first.
  package var dispatch: [Dispatch] = []
  /// By function, the most tasks first.
  package var tasks: [Tasks] = []
  /// Threads outside of operations that wait for something in the program, the longest waits first.
  package var waiting: [Waiting] = []
  /// How many threads run the program's code.
  package var threads = 0
  /// How many of these threads wait.
  package var waitingThreads = 0
  /// Operations that may be over: the ring has overwritten too much to know.
  var uncertain = 0
  /// The time until which records may be missing; nil: none are.
  package var incompleteUntil: Nanoseconds?
}

extension LiveStatus {
  /// The status at the end of a trace, or at its present, if no records are missing. O(size of the trace).
  package init(of trace: Trace, now: Nanoseconds? = nil) {
    var certainty = LiveCertainty()
    certainty.incompleteUntil = trace.loss.gaps.lazy.map(\.to).max()
    let now = now ?? trace.end
    self.init(of: trace, now: now, knownUntil: now, windows: [:], certainty)
  }

  /// - Parameters:
  ///   - knownUntil: the end of the seconds that rates are computed over, because what happened later is not read yet.
  ///   - windows: figures of the last seconds from forgotten operations.
  ///   - gone: figures of forgotten queues.
  ///   - certainty: what is certain although records are missing.
  init(
    of trace: Trace, now: Nanoseconds, knownUntil: Nanoseconds, windows: [QueueID: LiveWindow],
    gone: GoneQueues = GoneQueues(), _ certainty: LiveCertainty
  ) {
    self.now = now
    incompleteUntil = certainty.incompleteUntil
    let isCertain = certainty.certain(of: trace)
    var windows = windows
    let begin = now - LiveWindow.length
    var found: [QueueID: Queue] = [:]
    for queue in trace.queues {
      found[queue.id] = Queue(
        id: queue.id, title: queue.title, limit: queue.limit < 0 ? nil : queue.limit, isSuspended: queue.isSuspended)
    }
    var executing: [Int] = []
    for index in trace.operations.indices {
      let operation = trace.operations[index]
      if let id = operation.queue { windows[id, default: LiveWindow()].note(operation, since: begin) }
      guard operation.finished == nil, operation.coverage != .external else { continue }
      guard operation.released == nil || operation.isStarted else { continue }
      guard isCertain[index] else {
        if operation.isStarted || operation.enqueued != nil { uncertain += 1 }
        continue
      }
      if operation.isStarted { executing.append(index) }
      if let id = operation.queue { found[id]?.count(operation, now) }
    }
    var gone = gone
    for queue in trace.queues where queue.released != nil && found[queue.id]?.hasWork == false {
      found[queue.id] = nil
      if let window = windows[queue.id] { gone.add(queue, window) }
    }
    // A queue that replaces ones that are gone continues in their row.
    for (title, rows) in Dictionary(grouping: found.values, by: \.title) where rows.count == 1 {
      if let window = gone.take(named: title) { windows[rows[0].id, default: LiveWindow()].add(window) }
    }
    for (id, window) in windows {
      found[id]?.take(window.figures(now: knownUntil, since: certainty.incompleteUntil))
    }
    queues = (found.values + gone.rows(now: knownUntil, since: certainty.incompleteUntil)).sorted { $0.id < $1.id }
    let locations = LiveLocations(trace)
    self.executing = executing.map { locations.execution(trace.operations[$0], now) }
      .sorted { ($1.time, $0.id) < ($0.time, $1.id) }
    waiting = locations.waiting(now)
    noteDispatch(trace)
    noteTasks(trace)
    let waits = Set(self.executing.lazy.filter(\.isWaiting).compactMap(\.thread) + waiting.map(\.thread))
    waitingThreads = waits.count
    let running = trace.tasks.compactMap { $0.runs.last.flatMap { $0.ended == nil ? $0.thread : nil } }
    threads = waits.union(self.executing.compactMap(\.thread)).union(running).count
  }

  private mutating func noteDispatch(_ trace: Trace) {
    var rows: [DispatchQueueID: Dispatch] = [:]
    for block in trace.blocks where block.over == nil {
      guard let id = block.queue else { continue }
      var row =
        rows[id]
        ?? Dispatch(title: trace.dispatchQueue(id)?.title ?? id.description, width: trace.dispatchQueue(id)?.width)
      if block.began != nil {
        row.running += 1
      } else if let runnable = block.runnable {
        row.waiting += 1
        row.oldest = max(row.oldest ?? 0, now - runnable)
      }
      rows[id] = row
    }
    dispatch = rows.values.sorted { ($1.oldest ?? -1, $0.title) < ($0.oldest ?? -1, $1.title) }
  }

  private mutating func noteTasks(_ trace: Trace) {
    var rows: [String: Tasks] = [:]
    for task in trace.tasks where task.over == nil {
      let title = task.code == nil ? task.title : task.kind
      var row = rows[title] ?? Tasks(title: title, oldest: 0)
      if let run = task.runs.last, run.ended == nil {
        row.running += 1
      } else if let last = task.suspensions.last, last.enqueued == nil || last.actor != nil {
        row.suspended += 1
      } else {
        row.waiting += 1
      }
      if let since = task.submitted?.time { row.oldest = max(row.oldest, now - since) }
      rows[title] = row
    }
    tasks = rows.values.sorted {
      ($1.running + $1.waiting + $1.suspended, $0.title) < ($0.running + $0.waiting + $0.suspended, $1.title)
    }
  }
}

extension LiveStatus.Queue {
  fileprivate var hasWork: Bool { executing + ready + pending > 0 }
  var isBusy: Bool { hasWork || finishedPerSecond > 0 || slotWaitP50 != nil }

  mutating func take(_ figures: LiveWindow.Figures) {
    finishedPerSecond = figures.finishedPerSecond
    slotWaitP50 = figures.slotWaitP50
    slotWaitP99 = figures.slotWaitP99
  }

  fileprivate mutating func count(_ operation: borrowing OperationRecord, _ now: Nanoseconds) {
    if operation.isStarted {
      executing += 1
    } else if let runnable = operation.runnable {
      ready += 1
      oldestReady = max(oldestReady ?? 0, now - runnable)
    } else {
      pending += 1
    }
  }
}

extension LiveWindow {
  /// Notes when an operation began and finished, if that was in the last seconds.
  mutating func note(_ operation: borrowing OperationRecord, since begin: Nanoseconds) {
    if let time = operation.finished?.time, time > begin { finished(at: time) }
    if let time = (operation.executionBegan ?? operation.started)?.time, time > begin, let runnable = operation.runnable
    {
      began(at: time, after: time - runnable)
    }
  }
}
