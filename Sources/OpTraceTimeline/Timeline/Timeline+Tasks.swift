import OpTraceKernel
import OpTraceModel

/// Tasks: each has one row for its whole life, on which its runs, its suspensions and its waits for a turn follow one
/// another.
extension Timeline {
  /// Finds the runs and suspensions of tasks. O(runs + suspensions).
  mutating func collectTasks(_ trace: Trace) {
    guard let group = groupOfScheduler[.swift].map({ Int32($0) }) else { return }
    tasksGroup = group
    trace.tasks.withUnsafeBufferPointer { tasks in
      for (work, index) in zip(WorkKind.task.indexes(in: trace).lazy.map(WorkIndex.init), tasks.indices) {
        for piece in tasks[index].pieces(traceEnd: trace.end) {
          if piece.kind == .run {
            executions.append(
              Execution(work: work, group: group, track: 0, isOpen: piece.isOpen, begin: piece.begin, end: piece.end))
          } else {
            waits.append(
              Wait(
                work: work, group: group, track: -1, suspension: Int32(clamping: piece.index),
                isForActor: piece.isForActor, begin: piece.begin, end: piece.end,
                kind: piece.kind == .turn ? .slot : .suspended, isOpen: piece.isOpen))
          }
        }
        addSubmission(of: tasks[index], work, group, trace)
      }
    }
  }

  /// Returns the lane of each task that is shown, children below their parents, before the tracks have their numbers.
  func taskLanes(_ trace: Trace, limit: Int) -> TreeLanes {
    guard tasksGroup >= 0 else { return TreeLanes([], limit: limit) }
    var nodes = [TreeLanes.Node](
      repeating: TreeLanes.Node(begin: .max, end: .min, isShown: false), count: trace.tasks.count)
    func add(_ work: WorkIndex, _ begin: Nanoseconds, _ end: Nanoseconds) {
      guard let index = trace.taskRow(ofWorkAt: Int(work)) else { return }
      nodes[index].begin = min(nodes[index].begin, begin)
      // Nothing may begin where a slice of zero length is, as in `FlatLanes`.
      nodes[index].end = max(nodes[index].end, end, begin + 1)
      nodes[index].isShown = true
    }
    for one in executions where one.group == tasksGroup && one.kind == .run && one.track != Self.hidden {
      add(one.work, one.begin, one.end)
    }
    for one in waits where one.group == tasksGroup && one.track != Self.hidden { add(one.work, one.begin, one.end) }
    trace.tasks.withUnsafeBufferPointer { tasks in
      for index in tasks.indices where nodes[index].isShown {
        nodes[index].isOpen = tasks[index].over == nil
        if case .task(let row) = tasks[index].parent.flatMap(trace.workRow(of:)) {
          nodes[index].parent = Int32(clamping: row)
        }
      }
    }
    return TreeLanes(nodes, limit: limit)
  }

  /// Adds a track for each lane. It is named after what its tasks' names have in common, and indented by their depth.
  mutating func addTaskTracks(_ lanes: TreeLanes, _ trace: Trace) -> TrackIndex {
    var names = [String?](repeating: nil, count: lanes.count)
    var depths = [Int32](repeating: .max, count: lanes.count)
    for index in lanes.lane.indices where lanes.lane[index] >= 0 {
      let lane = Int(lanes.lane[index])
      depths[lane] = min(depths[lane], lanes.depth[index])
      let title = trace.tasks[index].title
      if let known = names[lane], known != title {
        let stem = NameStem.of(title)
        names[lane] = !stem.isEmpty && NameStem.of(known) == stem ? stem : "tasks"
      } else {
        names[lane] = title
      }
    }
    let first = TrackIndex(tracks.count)
    for lane in 0..<lanes.count {
      let depth = Int(min(depths[lane], 12))
      let indent = depth == 0 ? "" : String(repeating: "\u{2003}", count: depth - 1) + "↳ "
      tracks.append(Track(group: Int(tasksGroup), name: indent + (names[lane] ?? "tasks")))
    }
    return first
  }

  /// Turns the lanes of tasks into tracks. What is too short to be seen has none.
  mutating func placeTasks(_ lanes: TreeLanes, firstTrack: TrackIndex, _ trace: Trace) {
    guard tasksGroup >= 0 else { return }
    var isWithout = [Bool](repeating: false, count: trace.tasks.count)
    /// Returns the track of the task. -1: it has none.
    func track(_ work: WorkIndex) -> TrackIndex {
      guard let row = trace.taskRow(ofWorkAt: Int(work)) else { return -1 }
      let lane = lanes.lane[row]
      if lane < 0 { isWithout[row] = true }
      return lane < 0 ? -1 : firstTrack + lane
    }
    for index in executions.indices
    where executions[index].group == tasksGroup && executions[index].kind == .run
      && executions[index].track != Self.hidden
    {
      executions[index].track = track(executions[index].work)
    }
    for index in waits.indices where waits[index].group == tasksGroup && waits[index].track != Self.hidden {
      let isSeen = waits[index].isOpen || waits[index].end - waits[index].begin >= counts.shortestWait
      let track = track(waits[index].work)
      waits[index].track = isSeen ? track : -1
      if !isSeen, track >= 0 { counts.waitsWithoutLane += 1 }
    }
    counts.tasksWithoutLane = isWithout.count { $0 }
  }
}
