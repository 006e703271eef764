import OpTraceModel

extension Timeline {
  /// What went on inside and between executions, on lanes where slices nest: work in `start()`, blocks and completion
  /// blocks of operations, blocks of dispatch queues, runs of tasks, the program's own spans, waits of threads, and
  /// gaps where records were lost.
  struct DetailLanes {
    private var details: [(detail: Detail, thread: ThreadID)] = []
    private var lanes: [ThreadID: NestingLanes] = [:]
    /// The lanes of tests, which lie above the others. Nothing nests in them: what a test's first thread does while the
    /// test goes on elsewhere is not part of the test.
    private var testLanes: [ThreadID: FlatLanes] = [:]
    /// The number of details that the selection leaves out.
    private(set) var hidden = 0

    init(_ trace: Trace, _ selection: TimelineSelection) {
      var hidden = 0
      let choosesOperations = selection.queues != nil || selection.classes != nil
      func isChosen(_ operation: OperationID?) -> Bool {
        guard choosesOperations else { return true }
        return operation.flatMap(trace.workIndex(of:)).map { selection.contains(workAt: $0, in: trace) } ?? false
      }
      func add(
        _ kind: Detail.Kind, _ operation: OperationID?, _ thread: ThreadID, _ begin: Nanoseconds, _ end: Nanoseconds?
      ) {
        let isKept = operation.map { selection.always.contains($0) } ?? false
        guard
          isKept
            || selection.contains(begin, max(begin, end ?? trace.end), isOpen: end == nil) && isChosen(operation)
        else {
          hidden += 1
          return
        }
        let detail = Detail(
          kind: kind, track: 0, begin: begin, end: max(begin, end ?? trace.end), isOpen: end == nil)
        details.append((detail, thread))
      }
      trace.operations.withUnsafeBufferPointer { operations in
        for index in operations.indices {
          if let work = operations[index].workInStart(traceEnd: trace.end) {
            add(.start(UInt32(index)), operations[index].id, work.thread, work.begin, work.end)
          }
          for block in operations[index].blocks {
            add(.block(UInt32(index), block), operations[index].id, block.thread, block.began, block.ended)
          }
          if let completion = operations[index].completion, let began = completion.began {
            add(.completion(UInt32(index)), operations[index].id, began.thread, began.time, completion.ended?.time)
          }
        }
      }
      func addRuns(of works: [some Work], _ kind: WorkKind) {
        for (index, work) in zip(kind.indexes(in: trace), works) {
          for run in work.runs {
            add(.run(WorkIndex(index)), work.id, run.thread, run.began, run.ended ?? work.over)
          }
        }
      }
      addRuns(of: trace.blocks, .block)
      addRuns(of: trace.tasks, .task)
      for (index, span) in trace.spans.enumerated() {
        add(.span(index), span.operation, span.began.thread, span.began.time, span.ended?.time)
      }
      for (index, wait) in trace.waits.enumerated() {
        add(.wait(index), wait.inside, wait.thread, wait.began, wait.ended)
      }
      // Gaps are shown whatever is selected.
      for (index, gap) in trace.loss.gaps.enumerated() where selection.contains(gap.from, gap.to, isOpen: true) {
        details.append((Detail(kind: .gap(index), track: 0, begin: gap.from, end: gap.to, isOpen: false), gap.thread))
      }
      self.hidden = hidden
      details.sort { ($0.detail.begin, $1.detail.end) < ($1.detail.begin, $0.detail.end) }
      func isTest(_ detail: Detail) -> Bool {
        guard !trace.within.isEmpty, case .span(let index) = detail.kind else { return false }
        return trace.spans[index].operation.flatMap(trace.operation) == nil
      }
      for index in details.indices where isTest(details[index].detail) {
        let (detail, thread) = details[index]
        let lane = testLanes[thread, default: FlatLanes()].lane(from: detail.begin, to: detail.end)
        details[index].detail.track = TrackIndex(lane ?? 0)
      }
      for index in details.indices where !isTest(details[index].detail) {
        let (detail, thread) = details[index]
        let lane = lanes[thread, default: NestingLanes()].lane(from: detail.begin, to: detail.end)
        details[index].detail.track = TrackIndex((testLanes[thread]?.count ?? 0) + lane)
      }
    }

    var threads: some Collection<ThreadID> { Set(lanes.keys).union(testLanes.keys) }

    func count(on thread: ThreadID) -> Int { (testLanes[thread]?.count ?? 0) + (lanes[thread]?.count ?? 0) }

    /// Returns the details with their tracks: `firstTracks` is by thread.
    func placed(_ firstTracks: [ThreadID: TrackIndex]) -> [Detail] {
      details.map { entry in
        var detail = entry.detail
        detail.track += firstTracks[entry.thread] ?? 0
        return detail
      }
    }
  }
}
