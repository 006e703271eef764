import OpTraceModel

extension Timeline {
  /// Finds what is drawn as an execution, in the order of time.
  mutating func collectExecutions(_ trace: Trace) {
    executions.reserveCapacity(trace.operations.count)
    var lacksQueue = false
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        guard let (begin, end, isOpen) = operations[index].execution(traceEnd: trace.end) else { continue }
        executions.append(
          Execution(operation: UInt32(index), track: 0, begin: begin, end: end, isOpen: isOpen))
        if operations[index].queue == nil, operations[index].leavesThread { lacksQueue = true }
      }
    }
    if lacksQueue {
      groupWithoutQueue = groups.count
      groups.append(Group(name: "no queue", queue: nil))
    }
    executions.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
  }

  /// The lanes of executions, before the tracks have their numbers.
  struct ExecutionLanes {
    var ofThread: [ThreadID: FlatLanes] = [:]
    var ofGroup: [FlatLanes]
    /// By place in ``Timeline/executions``: the lane on its thread or in its group.
    var lane: [TrackIndex]

    init(_ timeline: Timeline, _ trace: Trace) {
      ofGroup = [FlatLanes](repeating: FlatLanes(), count: timeline.groups.count)
      lane = [TrackIndex](repeating: 0, count: timeline.executions.count)
      trace.operations.withUnsafeBufferPointer { operations in
        for (place, execution) in timeline.executions.enumerated() where execution.track != Timeline.hidden {
          let index = Int(execution.operation)
          let free: Int?
          if let thread = operations[index].executionThread {
            free = ofThread[thread, default: FlatLanes()].lane(from: execution.begin, to: execution.end)
          } else {
            let group = timeline.group(of: operations[index].queue)
            free = ofGroup[group].lane(from: execution.begin, to: execution.end)
          }
          lane[place] = TrackIndex(free ?? 0)
        }
      }
    }
  }

  /// Turns the lanes of executions into tracks. `groupTracks` holds the first track of every group's executions.
  mutating func placeExecutions(_ trace: Trace, _ lanes: ExecutionLanes, groupTracks: [TrackIndex]) {
    trace.operations.withUnsafeBufferPointer { operations in
      for place in executions.indices where executions[place].track != Self.hidden {
        let index = Int(executions[place].operation)
        let ofThread = operations[index].executionThread.flatMap { threadTracks[$0] }
        let first = ofThread ?? groupTracks[group(of: operations[index].queue)]
        executions[place].track = first + lanes.lane[place]
      }
    }
  }

  /// The main thread first, then in the order of first sight. Threads of which nothing is drawn get no track.
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

  /// Lanes of one sort; gives the first one's place. They have no numbers: viewers add the track's own.
  mutating func addTracks(_ name: String, _ count: Int, group: Int) -> TrackIndex {
    let first = TrackIndex(tracks.count)
    for _ in 0..<count { tracks.append(Track(group: group, name: name)) }
    return first
  }
}

extension OperationRecord {
  /// The thread that its execution is drawn on; nil for one that leaves its thread.
  var executionThread: ThreadID? {
    leavesThread ? nil : (executionBegan ?? started)?.thread
  }
}

extension OperationRecord {
  /// What an operation that leaves its thread did there, as the summary counts it: from the beginning of its code to the
  /// return of `start()`. Nil where it is drawn on its thread anyway, and where it took no time. `end` is nil while it goes on.
  func workInStart(traceEnd: Nanoseconds) -> (thread: ThreadID, begin: Nanoseconds, end: Nanoseconds?)? {
    guard leavesThread, let began = executionBegan else { return nil }
    let end = (executionEnded ?? startReturned)?.time
    // Still inside of `start()`; without a word of its return it may as well be over.
    if end == nil, !isInsideStart { return nil }
    return (end ?? traceEnd) > began.time ? (began.thread, began.time, end) : nil
  }

  private var isInsideStart: Bool { startReturned == nil && finished == nil && coverage == .full }
}

extension ThreadRecord {
  /// The system's id goes into the name: viewers sort by the id that they are given. The main thread is called that: the
  /// system calls it by the program, and cuts that after 15 bytes.
  var timelineName: String {
    let system = systemID == 0 ? "" : " · \(systemID)"
    if isMain { return "main thread" + system }
    return (name.isEmpty ? id.description : name) + system
  }
}
