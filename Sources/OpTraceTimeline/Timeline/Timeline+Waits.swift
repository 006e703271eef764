import OpTraceKernel
import OpTraceModel

extension Timeline {
  /// Finds the two sorts of waits of operations and blocks, as ``OperationTimes`` counts them. Waits that took no time
  /// are left out.
  mutating func collectWaits(_ trace: Trace) {
    // Room is reserved for as many as there can be: reserved room that is never written to does not take up memory yet,
    // while a table that grows exists twice for a while.
    waits.reserveCapacity(2 * (trace.operations.count + trace.blocks.count))
    trace.operations.withUnsafeBufferPointer { collectWaits(of: $0, .operation, trace) }
    trace.blocks.withUnsafeBufferPointer { collectWaits(of: $0, .block, trace) }
  }

  private mutating func collectWaits(of works: UnsafeBufferPointer<some Work>, _ kind: WorkKind, _ trace: Trace) {
    for (work, index) in zip(kind.indexes(in: trace), works.indices) {
      guard let submitted = works[index].submitted?.time else { continue }
      let times = OperationTimes(of: works[index], traceEnd: trace.end)
      guard times.waitingForDependencies > 0 || times.waitingForSlot > 0 else { continue }
      let runnable = submitted + times.waitingForDependencies
      let over = runnable + times.waitingForSlot
      let isOpen = works[index].over == nil && over >= trace.end
      let group = Int32(group(of: works[index].scheduler))
      func add(_ begin: Nanoseconds, _ end: Nanoseconds, _ kind: Wait.Kind, _ isOpen: Bool) {
        guard end > begin else { return }
        waits.append(
          Wait(
            work: WorkIndex(work), group: group, track: -1, begin: begin, end: end, kind: kind, isOpen: isOpen)
        )
      }
      add(submitted, runnable, .dependencies, isOpen && times.waitingForSlot == 0)
      add(runnable, over, .slot, isOpen)
    }
  }

  /// The lanes of waits, before the tracks have their numbers.
  struct WaitLanes {
    /// The lanes, by group, then by kind.
    var lanes: [[FlatLanes]]
    /// The lane of each wait, by index in ``Timeline/waits``. -1: none.
    var lane: [TrackIndex]

    init(_ timeline: Timeline, limit: Int, shortest: Nanoseconds) {
      lanes = [[FlatLanes]](repeating: [FlatLanes(), FlatLanes()], count: timeline.groups.count)
      lane = [TrackIndex](repeating: -1, count: timeline.waits.count)
      let limit = max(0, limit)
      for (index, wait) in timeline.waits.enumerated()
      where wait.track != Timeline.hidden && wait.group != timeline.tasksGroup {
        guard wait.isOpen || wait.end - wait.begin >= shortest else { continue }
        let most = wait.isOpen ? limit.multipliedReportingOverflow(by: 4) : (limit, false)
        let free = lanes[Int(wait.group)][Int(wait.kind.rawValue)].lane(
          from: wait.begin, to: wait.end, limit: most.1 ? .max : most.0)
        lane[index] = free.map { TrackIndex($0) } ?? -1
      }
    }
  }

  /// Turns the lanes of waits into tracks: `firstTracks` is by group, then by kind.
  mutating func placeWaits(_ lanes: WaitLanes, firstTracks: [[TrackIndex]]) {
    for index in waits.indices where lanes.lane[index] >= 0 {
      let kind = Int(waits[index].kind.rawValue)
      waits[index].track = firstTracks[Int(waits[index].group)][kind] + lanes.lane[index]
    }
  }
}
