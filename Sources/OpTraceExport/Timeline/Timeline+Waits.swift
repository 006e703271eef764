import OpTraceAnalysis
import OpTraceModel

extension Timeline {
  /// The two sorts of waiting of every operation, as ``OperationTimes`` counts them; what took no time is left out.
  mutating func collectWaits(_ trace: Trace) {
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        guard let enqueued = operations[index].enqueued?.time else { continue }
        let times = OperationTimes(of: operations[index], traceEnd: trace.end)
        let runnable = enqueued + times.waitingForDependencies
        let over = runnable + times.waitingForSlot
        let isOpen = operations[index].finished == nil && over >= trace.end
        if times.waitingForDependencies > 0 {
          waits.append(
            Wait(
              operation: UInt32(index), track: -1, begin: enqueued, end: runnable, kind: .dependencies,
              isOpen: isOpen && times.waitingForSlot == 0))
        }
        if times.waitingForSlot > 0 {
          waits.append(
            Wait(operation: UInt32(index), track: -1, begin: runnable, end: over, kind: .slot, isOpen: isOpen))
        }
      }
    }
    waits.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
  }

  /// The lanes of waits, before the tracks have their numbers.
  struct WaitLanes {
    /// By group, then by kind.
    var lanes: [[FlatLanes]]
    /// By place in ``Timeline/waits``; -1: none.
    var lane: [TrackIndex]
    var group: [Int32]

    init(_ timeline: Timeline, _ trace: Trace, limit: Int, shortest: Nanoseconds) {
      lanes = [[FlatLanes]](repeating: [FlatLanes(), FlatLanes()], count: timeline.groups.count)
      lane = [TrackIndex](repeating: -1, count: timeline.waits.count)
      group = [Int32](repeating: 0, count: timeline.waits.count)
      let limit = max(0, limit)
      trace.operations.withUnsafeBufferPointer { operations in
        for (place, wait) in timeline.waits.enumerated() where wait.track != Timeline.hidden {
          guard wait.isOpen || wait.end - wait.begin >= shortest else { continue }
          let group = timeline.group(of: operations[Int(wait.operation)].queue)
          let most = wait.isOpen ? limit.multipliedReportingOverflow(by: 4) : (limit, false)
          let free = lanes[group][Int(wait.kind.rawValue)].lane(
            from: wait.begin, to: wait.end, limit: most.1 ? .max : most.0)
          lane[place] = free.map { TrackIndex($0) } ?? -1
          self.group[place] = Int32(group)
        }
      }
    }
  }

  /// Turns the lanes of waits into tracks: `firstTracks` by group, then by kind.
  mutating func placeWaits(_ lanes: WaitLanes, firstTracks: [[TrackIndex]]) {
    for place in waits.indices where lanes.lane[place] >= 0 {
      let kind = Int(waits[place].kind.rawValue)
      waits[place].track = firstTracks[Int(lanes.group[place])][kind] + lanes.lane[place]
    }
  }
}
