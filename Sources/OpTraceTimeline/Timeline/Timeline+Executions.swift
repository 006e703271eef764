import OpTraceKernel
import OpTraceModel
import OpTraceText

extension Timeline {
  /// Finds the groups. A queue that never had anything gets none: it would be an empty row.
  mutating func collectGroups(_ trace: Trace) {
    var used = Set(trace.operations.lazy.compactMap(\.scheduler))
    used.formUnion(trace.blocks.lazy.compactMap(\.scheduler))
    if !trace.tasks.isEmpty { used.insert(.swift) }
    func add(_ scheduler: SchedulerID, _ group: Group) {
      guard used.contains(scheduler) else { return }
      groupOfScheduler[scheduler] = groups.count
      groups.append(group)
    }
    for queue in trace.queues { add(.queue(queue.id), Group(name: queue.title, owner: .queue(queue))) }
    for queue in trace.dispatchQueues {
      add(.dispatchQueue(queue.id), Group(name: queue.title, owner: .dispatchQueue(queue)))
    }
    add(.swift, Group(name: TaskRecord.groupTitle, owner: .tasks))
    let lacksQueue =
      trace.operations.contains { $0.queue == nil && $0.leavesThread && ($0.executionBegan ?? $0.started) != nil }
      || trace.blocks.contains { $0.scheduler == nil }
    guard lacksQueue else { return }
    groupWithoutQueue = groups.count
    groups.append(Group(name: "no queue", owner: .nobody))
  }

  /// Finds what is drawn as an execution.
  mutating func collectExecutions(_ trace: Trace) {
    executions.reserveCapacity(trace.workCount)
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        guard let (begin, end, isOpen) = operations[index].execution(traceEnd: trace.end) else { continue }
        executions.append(
          Execution(
            work: UInt32(index), group: Int32(group(of: operations[index].scheduler)), track: 0,
            thread: operations[index].executionThread, isOpen: isOpen, begin: begin, end: end))
      }
    }
    collectRuns(of: trace.blocks, .block, trace)
  }

  /// Adds each run of work that takes any thread of its scheduler.
  private mutating func collectRuns(of works: [some Work], _ kind: WorkKind, _ trace: Trace) {
    for (index, work) in zip(kind.indexes(in: trace), works) {
      let group = Int32(group(of: work.scheduler))
      for run in work.runs {
        let isOpen = run.ended == nil && work.over == nil
        executions.append(
          Execution(
            work: WorkIndex(index), group: group, track: 0, isOpen: isOpen, begin: run.began,
            end: max(run.began, run.ended ?? work.over ?? trace.end)))
      }
      addSubmission(of: work, WorkIndex(index), group, trace)
    }
  }

  /// Adds the submission of work that ran, if no other work's code submitted it.
  mutating func addSubmission(of work: some Work, _ index: WorkIndex, _ group: Int32, _ trace: Trace) {
    let isInside = work.submitter.flatMap(trace.workIndex(of:)) != nil
    guard !isInside, let submitted = work.submitted, work.began != nil else { return }
    executions.append(
      Execution(
        work: index, group: group, track: 0, thread: submitted.thread, kind: .submission, isOpen: false,
        begin: submitted.time, end: submitted.time))
  }

  /// The lanes of executions, before the tracks have their numbers.
  struct ExecutionLanes {
    var ofThread: [ThreadID: FlatLanes] = [:]
    var ofGroup: [FlatLanes]
    /// The lane of each execution on its thread or in its group, by index in ``Timeline/executions``.
    var lane: [TrackIndex]

    init(_ timeline: Timeline) {
      ofGroup = [FlatLanes](repeating: FlatLanes(), count: timeline.groups.count)
      lane = [TrackIndex](repeating: 0, count: timeline.executions.count)
      for (index, execution) in timeline.executions.enumerated() where execution.track != Timeline.hidden {
        let free: Int?
        if execution.thread == nil, execution.group == timeline.tasksGroup { continue }
        if let thread = execution.thread {
          free = ofThread[thread, default: FlatLanes()].lane(from: execution.begin, to: execution.end)
        } else {
          free = ofGroup[Int(execution.group)].lane(from: execution.begin, to: execution.end)
        }
        lane[index] = TrackIndex(free ?? 0)
      }
    }
  }

  /// Turns the lanes of executions into tracks. `groupTracks` holds the first track of every group's executions.
  mutating func placeExecutions(_ lanes: ExecutionLanes, groupTracks: [TrackIndex]) {
    for index in executions.indices where executions[index].track != Self.hidden {
      if executions[index].thread == nil, executions[index].group == tasksGroup { continue }
      let ofThread = executions[index].thread.flatMap { threadTracks[$0] }
      executions[index].track = (ofThread ?? groupTracks[Int(executions[index].group)]) + lanes.lane[index]
    }
  }

  /// Adds the tracks of threads: the main thread first, then in the order of first occurrence. Threads on which nothing
  /// is drawn get no track.
  mutating func addThreadTracks(_ trace: Trace, _ lanes: ExecutionLanes, _ detailLanes: DetailLanes) {
    var records = trace.threads
    let known = Set(records.map(\.id))
    for id in Set(lanes.ofThread.keys).union(detailLanes.threads).subtracting(known).sorted() {
      records.append(ThreadRecord(id: id, systemID: 0, name: "", isMain: false))
    }
    records.sort { ($0.isMain ? 0 : 1, $0.id.rawValue) < ($1.isMain ? 0 : 1, $1.id.rawValue) }
    var detailTracks: [ThreadID: TrackIndex] = [:]
    for thread in records {
      let count = lanes.ofThread[thread.id]?.count ?? 0
      let inside = detailLanes.count(on: thread.id)
      guard count + inside > 0 else { continue }
      let name = thread.timelineName
      threadTracks[thread.id] = TrackIndex(tracks.count)
      for lane in 0..<count {
        tracks.append(Track(group: 0, name: lane == 0 ? name : "\(name) · nested"))
      }
      detailTracks[thread.id] = TrackIndex(tracks.count)
      for lane in 0..<inside {
        let isOnly = count == 0 && lane == 0
        tracks.append(Track(group: 0, name: isOnly ? name : "\(name) · inside"))
      }
    }
    details = detailLanes.placed(detailTracks)
  }

  /// Adds lanes of one sort, and returns the index of the first one. They have no numbers, because viewers add the
  /// track's own.
  mutating func addTracks(_ name: String, _ count: Int, group: Int) -> TrackIndex {
    let first = TrackIndex(tracks.count)
    for _ in 0..<count { tracks.append(Track(group: group, name: name)) }
    return first
  }
}

extension OperationRecord {
  /// The thread that its execution is drawn on. Nil: it leaves its thread.
  var executionThread: ThreadID? {
    leavesThread ? nil : (executionBegan ?? started)?.thread
  }
}

extension OperationRecord {
  /// Returns what an operation that leaves its thread did on it, as the summary counts it: from the beginning of its
  /// code to the return of `start()`. Nil if it is drawn on its thread anyway, or if it took no time. `end` is nil
  /// while it goes on.
  func workInStart(traceEnd: Nanoseconds) -> (thread: ThreadID, begin: Nanoseconds, end: Nanoseconds?)? {
    guard leavesThread, let began = executionBegan else { return nil }
    let end = (executionEnded ?? startReturned)?.time
    // It is still inside `start()`. Without a record of the return, it may just as well be over.
    if end == nil, !isInsideStart { return nil }
    return (end ?? traceEnd) > began.time ? (began.thread, began.time, end) : nil
  }

  private var isInsideStart: Bool { startReturned == nil && finished == nil && coverage == .full }
}
