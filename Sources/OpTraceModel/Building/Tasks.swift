import OpTraceFormat

/// Assembles tasks from their records. Values that are missing stay nil.
struct Tasks {
  private(set) var all: [TaskRecord] = []
  private var rows: IndexTable

  init(expectedEvents: Int) { rows = IndexTable(denseLimit: expectedEvents * 2 + 1024) }

  /// The row of a task; nil: no record has mentioned it.
  func row(of id: UInt32) -> Int? { rows[id] }

  func id(at row: Int) -> WorkID { all[row].id }

  func isOver(_ row: Int) -> Bool { all[row].over != nil }

  /// Applies a record; returns the row of its task.
  mutating func add(_ kind: EventKind, _ event: TraceEvent, _ at: Stamp) -> Int {
    let row = known(event.subject)
    switch kind {
    case .taskCreated: create(row, event, at)
    case .taskEnqueued:
      let fields = EventFields.TaskEnqueued(event)
      enqueue(row, at, by: fields.by, isForMain: fields.main)
    case .taskResumed: resume(row, event, at)
    case .taskRun:
      if let last = all[row].suspensions.indices.last, all[row].suspensions[last].to == nil {
        all[row].suspensions[last].to = at.time
        // Its continuation was resumed before it began to wait.
        if let early = all[row].resumedEarly { all[row].suspensions[last].resume(early) }
      }
      all[row].resumedEarly = nil
      all[row].runs.append(WorkRun(thread: at.thread, began: at.time, ended: nil))
    case .taskSuspended:
      endRun(row, at)
      let fields = EventFields.TaskSuspended(event)
      all[row].suspensions.append(
        .init(
          reason: .init(rawValue: fields.reason) ?? .unknown, from: at,
          awaited: fields.for == 0 ? nil : WorkID(fields.for)))
    case .taskCompleted:
      endRun(row, at)
      if all[row].completed == nil { all[row].completed = at.time }
    default: break
    }
    return row
  }

  mutating func cancelled(_ row: Int, _ at: Stamp) {
    if all[row].cancelRequested == nil { all[row].cancelRequested = at.time }
  }

  mutating func named(_ row: Int, _ name: String) { all[row].name = name }

  /// Sets the stack of the task's last suspension.
  mutating func noteStack(at frame: FrameID, _ id: UInt32) {
    guard let row = rows[id], let last = all[row].suspensions.indices.last else { return }
    all[row].suspensions[last].at = frame
  }

  /// Ends the run before: if a task runs again on another thread, that run has ended, even if its record comes later.
  private mutating func endRun(_ row: Int, _ at: Stamp) {
    guard let run = all[row].runs.lastIndex(where: { $0.thread == at.thread && $0.ended == nil }) else { return }
    all[row].runs[run].ended = at.time
  }

  /// Notes that the task was enqueued on an actor of this class.
  mutating func queue(_ row: Int, _ fields: EventFields.TaskQueued, _ at: Stamp, class name: String) {
    enqueue(
      row, at, by: fields.by, isForMain: false, actor: TaskRecord.WaitedActor(number: fields.actor, className: name))
  }

  private mutating func resume(_ row: Int, _ event: TraceEvent, _ at: Stamp) {
    let fields = EventFields.TaskResumed(event)
    let resumption = EarlyResumption(
      at: at, by: fields.by == 0 ? nil : WorkID(fields.by), how: .init(rawValue: fields.how))
    if let last = all[row].suspensions.indices.last, all[row].suspensions[last].to == nil {
      all[row].suspensions[last].resume(resumption)
    } else {
      all[row].resumedEarly = resumption
    }
  }

  private mutating func enqueue(
    _ row: Int, _ at: Stamp, by: UInt32, isForMain: Bool, actor: TaskRecord.WaitedActor? = nil
  ) {
    if let last = all[row].suspensions.indices.last {
      guard all[row].suspensions[last].to == nil, all[row].suspensions[last].enqueued == nil else { return }
      all[row].suspensions[last].enqueued = at
      all[row].suspensions[last].isForMain = isForMain
      all[row].suspensions[last].actor = actor
      if all[row].suspensions[last].resumed == nil { all[row].suspensions[last].resumer = by == 0 ? nil : WorkID(by) }
    } else if all[row].runs.isEmpty {
      all[row].enqueued = at
      all[row].isForMain = isForMain
      all[row].actor = actor
    }
  }

  private mutating func create(_ row: Int, _ event: TraceEvent, _ at: Stamp) {
    guard all[row].submitted == nil else { return }
    let fields = EventFields.TaskCreated(event)
    all[row].submitted = at
    // An actor may run a task before this record is written.
    if let began = all[row].runs.first?.began, began < at.time { all[row].submitted?.time = began }
    all[row].submitter = fields.by == 0 ? nil : WorkID(fields.by)
    all[row].way = TaskRecord.Way(rawValue: fields.how) ?? .unstructured
    all[row].priority = fields.priority
    if fields.enqueued { (all[row].enqueued, all[row].isForMain) = (at, fields.main) }
    all[row].code = FrameID(orNone: fields.code)
    all[row].submittedAt = FrameID(orNone: fields.at)
  }

  private mutating func known(_ id: UInt32) -> Int {
    if let row = rows[id] { return row }
    rows[id] = all.count
    all.append(TaskRecord(id: WorkID(id)))
    return all.count - 1
  }

  /// Forgets tasks that were over before `time`, with exceptions; of the others, forgets the runs and suspensions that
  /// were over, except for the last `pieces`. Returns the new rows by the old ones, and the numbers of the forgotten
  /// tasks.
  mutating func forget(
    before time: Nanoseconds, except kept: Set<WorkID>, keeping pieces: Int
  ) -> (rows: [Int?], gone: [UInt32]) {
    let moved = all.forget { task in
      guard let over = task.over else { return false }
      return over < time && !kept.contains(task.id)
    }
    for id in moved.gone { rows[id] = nil }
    for row in all.indices {
      rows[all[row].id.rawValue] = row
      all[row].forgetPieces(before: time, keeping: pieces)
    }
    return moved
  }

  /// The tasks, sorted by id. A run that is followed by another one is over; if its end is missing, its length is not
  /// known.
  mutating func finish() -> [TaskRecord] {
    for row in all.indices {
      for run in all[row].runs.indices.dropLast() where all[row].runs[run].ended == nil {
        all[row].runs[run].ended = all[row].runs[run].began
      }
    }
    return all.sorted(by: \.id)
  }
}

extension TaskRecord.Suspension {
  /// Notes a resumption. Only continuations are resumed, including those of sleeps and unknown runtimes; the first
  /// resumption counts.
  fileprivate mutating func resume(_ resumption: EarlyResumption) {
    guard resumed == nil, reason == .continuation || reason == .sleep || reason == .unknown else { return }
    resumed = resumption.at
    self.resumption = resumption.how
    resumer = resumption.by
  }
}

extension TaskRecord {
  /// Forgets pieces from before `time`, except for the last `pieces` of them: work that goes on at that time began with
  /// one of them, unless it has gone on for long.
  fileprivate mutating func forgetPieces(before time: Nanoseconds, keeping pieces: Int) {
    guard runs.count > pieces || suspensions.count > pieces else { return }
    let pastRuns = max(0, runs.prefix { $0.ended ?? $0.began < time }.count - pieces)
    let pastSuspensions = max(0, suspensions.prefix { $0.to ?? $0.from.time < time }.count - pieces)
    guard pastRuns > 0 || pastSuspensions > 0 else { return }
    runs.removeFirst(pastRuns)
    suspensions.removeFirst(pastSuspensions)
    isCut = true
  }
}
