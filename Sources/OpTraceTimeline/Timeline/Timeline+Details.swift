import OpTraceModel

extension Timeline {
  /// What went on inside and between executions, on lanes where slices nest: work in `start()`, blocks and completion
  /// blocks of operations, blocks of dispatch queues, runs of tasks, the program's own spans, waits of threads, and
  /// gaps where records were lost.
  struct DetailLanes {
    private var details: [ThreadDetail]
    private var lanes: [ThreadID: NestingLanes] = [:]
    /// The lanes of tests, which lie above the others. Nothing nests in them: what a test's first thread does while the
    /// test goes on elsewhere is not part of the test.
    private var testLanes: [ThreadID: FlatLanes] = [:]
    /// The number of details that the selection leaves out.
    let hidden: Int

    init(_ trace: Trace, _ selection: TimelineSelection) {
      var chosen = ChosenDetails(trace, selection)
      chosen.addAll()
      hidden = chosen.hidden
      details = chosen.details.sorted { ($0.detail.begin, $1.detail.end) < ($1.detail.begin, $0.detail.end) }
      // Tests first: the others lie below them.
      let isTest = details.map { Self.isTest($0.detail, trace) }
      for index in details.indices where isTest[index] { placeTest(at: index) }
      for index in details.indices where !isTest[index] { place(at: index) }
    }

    private static func isTest(_ detail: Detail, _ trace: Trace) -> Bool {
      guard !trace.within.isEmpty, case .span(let index) = detail.kind else { return false }
      return trace.spans[index].operation.flatMap(trace.operation) == nil
    }

    private mutating func placeTest(at index: Int) {
      let (detail, thread) = (details[index].detail, details[index].thread)
      let lane = testLanes[thread, default: FlatLanes()].lane(from: detail.begin, to: detail.end)
      details[index].detail.track = TrackIndex(lane ?? 0)
    }

    private mutating func place(at index: Int) {
      let (detail, thread) = (details[index].detail, details[index].thread)
      let lane = lanes[thread, default: NestingLanes()].lane(from: detail.begin, to: detail.end)
      details[index].detail.track = TrackIndex((testLanes[thread]?.count ?? 0) + lane)
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

  /// A detail, and the thread on whose lanes it lies.
  private struct ThreadDetail {
    var detail: Detail
    var thread: ThreadID
  }

  /// The details of a trace that a selection has.
  private struct ChosenDetails {
    private let trace: Trace
    private let selection: TimelineSelection
    private(set) var details: [ThreadDetail] = []
    private(set) var hidden = 0

    init(_ trace: Trace, _ selection: TimelineSelection) { (self.trace, self.selection) = (trace, selection) }

    mutating func addAll() {
      addOperations()
      addRuns(of: trace.blocks, .block)
      addRuns(of: trace.tasks, .task)
      for (index, span) in trace.spans.enumerated() {
        add(.span(index), span.operation, span.began.thread, span.began.time, span.ended?.time)
      }
      for (index, wait) in trace.waits.enumerated() {
        add(.wait(index), wait.inside, wait.thread, wait.began, wait.ended)
      }
      addGaps()
    }

    private mutating func addOperations() {
      // Not copied one by one: there may be a million.
      let all = trace.operations
      all.withUnsafeBufferPointer { operations in
        for index in operations.indices { add(operations[index], at: UInt32(index)) }
      }
    }

    private mutating func add(_ operation: OperationRecord, at index: UInt32) {
      if let work = operation.workInStart(traceEnd: trace.end) {
        add(.start(index), operation.id, work.thread, work.begin, work.end)
      }
      for block in operation.blocks {
        add(.block(index, block), operation.id, block.thread, block.began, block.ended)
      }
      if let completion = operation.completion, let began = completion.began {
        add(.completion(index), operation.id, began.thread, began.time, completion.ended?.time)
      }
    }

    private mutating func addRuns(of works: [some Work], _ kind: WorkKind) {
      for (index, work) in zip(kind.indexes(in: trace), works) {
        for run in work.runs { add(.run(WorkIndex(index)), work.id, run.thread, run.began, run.ended ?? work.over) }
      }
    }

    /// Gaps are shown whatever is selected.
    private mutating func addGaps() {
      for (index, gap) in trace.loss.gaps.enumerated() where selection.contains(gap.from, gap.to, isOpen: true) {
        let detail = Detail(kind: .gap(index), track: 0, begin: gap.from, end: gap.to, isOpen: false)
        details.append(ThreadDetail(detail: detail, thread: gap.thread))
      }
    }

    private mutating func add(
      _ kind: Detail.Kind, _ operation: OperationID?, _ thread: ThreadID, _ begin: Nanoseconds, _ end: Nanoseconds?
    ) {
      let last = max(begin, end ?? trace.end)
      let isKept = operation.map { selection.always.contains($0) } ?? false
      guard isKept || selection.contains(begin, last, isOpen: end == nil) && isChosen(operation) else {
        hidden += 1
        return
      }
      let detail = Detail(kind: kind, track: 0, begin: begin, end: last, isOpen: end == nil)
      details.append(ThreadDetail(detail: detail, thread: thread))
    }

    private func isChosen(_ operation: OperationID?) -> Bool {
      guard selection.queues != nil || selection.classes != nil else { return true }
      return operation.flatMap(trace.workIndex(of:)).map { selection.contains(workAt: $0, in: trace) } ?? false
    }
  }
}
