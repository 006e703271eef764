import OpTraceModel

extension Timeline {
  /// What went on inside executions and between them, on lanes where slices nest: blocks, the program's own spans,
  /// waits of threads, gaps where records were lost.
  struct DetailLanes {
    private var details: [(detail: Detail, thread: ThreadID)] = []
    private var lanes: [ThreadID: NestingLanes] = [:]

    init(_ trace: Trace) {
      func add(_ kind: Detail.Kind, _ thread: ThreadID, _ begin: Nanoseconds, _ end: Nanoseconds?) {
        let detail = Detail(
          kind: kind, track: 0, begin: begin, end: max(begin, end ?? trace.end), isOpen: end == nil)
        details.append((detail, thread))
      }
      trace.operations.withUnsafeBufferPointer { operations in
        for index in operations.indices where !operations[index].blocks.isEmpty {
          for block in operations[index].blocks {
            add(.block(UInt32(index), block), block.thread, block.began, block.ended)
          }
        }
      }
      for (index, span) in trace.spans.enumerated() {
        add(.span(index), span.began.thread, span.began.time, span.ended?.time)
      }
      for (index, wait) in trace.waits.enumerated() { add(.wait(index), wait.thread, wait.began, wait.ended) }
      for (index, gap) in trace.loss.gaps.enumerated() { add(.gap(index), gap.thread, gap.from, gap.to) }
      details.sort { ($0.detail.begin, $1.detail.end) < ($1.detail.begin, $0.detail.end) }
      for place in details.indices {
        let (detail, thread) = details[place]
        let lane = lanes[thread, default: NestingLanes()].lane(from: detail.begin, to: detail.end)
        details[place].detail.track = TrackIndex(lane)
      }
    }

    var threads: some Collection<ThreadID> { lanes.keys }

    func count(on thread: ThreadID) -> Int { lanes[thread]?.count ?? 0 }

    /// With tracks: `firstTracks` by thread.
    func placed(_ firstTracks: [ThreadID: TrackIndex]) -> [Detail] {
      details.map { entry in
        var detail = entry.detail
        detail.track += firstTracks[entry.thread] ?? 0
        return detail
      }
    }
  }
}
