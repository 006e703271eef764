import OpTracePageParts
import OpTraceDoctor
import OpTraceText
import OpTraceKernel
import OpTraceModel

extension ReportTables {
  mutating func addOperations(_ trace: Trace, _ tracks: PageLanes.WorkTracks, _ stuck: StuckPart) {
    let barriers = BarrierWaits(in: trace)
    var stacks: [OperationID: FrameID] = [:]
    for thread in ThreadStatuses(of: trace).threads {
      if let operation = thread.operation, let stack = thread.stack { stacks[operation] = stack }
    }
    let facts = OperationFacts(
      trace: trace, tracks: tracks, stuck: stuck, barriers: barriers, threadWaits: ThreadWaits(trace), stacks: stacks)
    var lately = SharedFacts()
    trace.operations.withUnsafeBufferPointer { records in
      // All rows use the same memory.
      var values: [Int?] = []
      for row in records.indices {
        if living?.isSettled(row) == true, operations.keepsUnseen(key(ofWork: row)) { continue }
        values.removeAll(keepingCapacity: true)
        // This is one call, because accesses from here would each copy the record.
        addFacts(of: records[row], at: row, facts, &lately, to: &values)
        operations.append(values, key: key(ofWork: row))
      }
    }
    addWork(trace.blocks, .block, trace, tracks, stacks)
    addWork(trace.tasks, .task, trace, tracks, stacks)
  }

  /// What the rows of operations are made from.
  private struct OperationFacts {
    let trace: Trace
    let tracks: PageLanes.WorkTracks
    let stuck: StuckPart
    let barriers: BarrierWaits
    let threadWaits: ThreadWaits
    /// The stacks of the threads that run operations.
    let stacks: [OperationID: FrameID]
  }

  private mutating func addFacts(
    of operation: borrowing OperationRecord, at row: Int, _ facts: borrowing OperationFacts,
    _ lately: inout SharedFacts, to values: inout [Int?]
  ) {
    let state = ReportState(of: operation, at: row, facts.stuck)
    let flags = ReportFlags(of: operation, facts.barriers.parts(of: operation))
    addTexts(of: operation, &lately, to: &values)
    values.append(state.rawValue)
    values.append(flags.rawValue)
    addSourceAndError(of: operation, &lately, to: &values)
    values.append(Self.track(facts.tracks.execution[row]))
    values.append(Self.track(facts.tracks.dependencies[row]))
    values.append(Self.track(facts.tracks.slot[row]))
    addOrigin(of: operation, facts.trace, facts.stacks, &lately, to: &values)
    let threadWait = facts.threadWaits[row]
    values.append(threadWait > 0 ? Int(threadWait) : nil)
  }

  private static func track(_ index: Int32) -> Int? { index < 0 ? nil : Int(index) }

  /// Facts that many operations have in common, cached from earlier operations. Texts are looked up once for all
  /// operations of a kind.
  private struct SharedFacts {
    struct Kind {
      /// The title of the function.
      var title: Int?
      var className: Int
      /// The function's source location. Nil: nobody has asked for it yet.
      var line: Int??
    }

    var kinds: [ObjectIdentifier: Kind] = [:]
    var source = Last<String, Int>()
    var queue = Last<SchedulerID, Int?>()
    var added = Last<FrameID, Int?>()
  }

  /// Remembers the answer to the last question, because usually the same one is asked again.
  private struct Last<Question: Equatable, Answer> {
    private var last: (question: Question, answer: Answer)?

    mutating func answer(_ question: Question, _ find: (Question) -> Answer) -> Answer {
      if let last, last.question == question { return last.answer }
      let answer = find(question)
      last = (question, answer)
      return answer
    }
  }

  /// Adds the columns from `id` to `queue`.
  private mutating func addTexts(
    of operation: borrowing OperationRecord, _ lately: inout SharedFacts, to values: inout [Int?]
  ) {
    values.append(Int(operation.id.rawValue))
    let name = operation.name.map { names.index(of: $0) }
    let kind: SharedFacts.Kind
    if let known = lately.kinds[operation.kindKey] {
      kind = known
    } else {
      let function = operation.function?.shortName
      // Texts are numbered in the order of the columns; if the name is missing, the function's name takes its place.
      if name == nil, let function { _ = names.index(of: function) }
      let className = names.index(of: operation.className)
      kind = .init(title: function.map { names.index(of: $0) }, className: className)
      lately.kinds[operation.kindKey] = kind
    }
    values.append(name ?? kind.title)
    values.append(kind.className)
    values.append(kind.title)
    values.append(operation.scheduler.flatMap { lately.queue.answer($0) { names.queueRows[$0] } })
  }

  /// Adds the columns from `priority` to `error`.
  private mutating func addSourceAndError(
    of operation: borrowing OperationRecord, _ lately: inout SharedFacts, to values: inout [Int?]
  ) {
    values.append(Int(operation.priority))
    if let source = operation.source {
      values.append(lately.source.answer(source) { names.index(of: $0) })
    } else if let known = lately.kinds[operation.kindKey]?.line {
      values.append(known)
    } else {
      let line = operation.function?.lineText.map { names.index(of: $0) }
      lately.kinds[operation.kindKey]?.line = .some(line)
      values.append(line)
    }
    values.append(operation.error.map { names.index(of: $0) })
  }

  /// Adds the columns from `created` to `within`.
  private mutating func addOrigin(
    of operation: borrowing OperationRecord, _ trace: Trace, _ stacks: [OperationID: FrameID],
    _ lately: inout SharedFacts, to values: inout [Int?]
  ) {
    let id = operation.id
    values.append(operation.created.map { Int($0) })
    if let added = operation.addedAt {
      values.append(lately.added.answer(added) { row(of: $0, trace.stacks) })
    } else {
      values.append(nil)
    }
    let isMadeElsewhere = operation.madeAt != nil && trace.stacks.creationSite(of: operation) != nil
    values.append(isMadeElsewhere ? row(of: operation.madeAt, trace.stacks) : nil)
    values.append(stacks.isEmpty ? nil : row(of: stacks[id], trace.stacks))
    // The submitter, and the way of submission, are known for other work only.
    values.append(nil)
    values.append(nil)
    values.append(operation.processorTime.map { Int($0) })
    values.append(trace.within.isEmpty ? nil : trace.span(around: id).map { names.index(of: $0.name) })
  }

  /// Adds work other than operations. Its three times, its track and its submitter are written in the same way.
  private mutating func addWork(
    _ works: [some Work], _ kind: WorkKind, _ trace: Trace, _ tracks: PageLanes.WorkTracks, _ stacks: [WorkID: FrameID]
  ) {
    for (row, work) in zip(kind.indexes(in: trace), works) {
      var flags: ReportFlags = work.isOutcomeKnown ? [.leavesThread] : [.leavesThread, .unknown]
      let function = work.function
      let task = work as? TaskRecord
      if task?.parent != nil { flags.insert(.child) }
      let way = (work as? BlockRecord).flatMap { $0.way.words(isInGroup: $0.isInGroup) } ?? task?.way.words
      operations.append(
        [
          Int(work.id.rawValue), names.index(of: work.title), names.index(of: work.kind),
          function.map { names.index(of: $0.shortName) }, work.scheduler.flatMap { names.queueRows[$0] },
          ReportState(work.finalState).rawValue, flags.rawValue, Int(task?.priority ?? 0),
          function?.lineText.map { names.index(of: $0) }, nil,
          Self.track(tracks.execution[row]), Self.track(tracks.dependencies[row]), Self.track(tracks.slot[row]), nil,
          self.row(of: work.submittedAt, trace.stacks), nil, self.row(of: stacks[work.id], trace.stacks),
          work.submitter.flatMap(trace.workIndex(of:)), way.map { names.index(of: $0) }, nil,
          trace.span(around: work.id).map { names.index(of: $0.name) }, nil,
        ], key: key(ofWork: row))
    }
  }

  /// The moments, each with its thread. Each is relative to a moment that is usually near and often the same.
  private static let momentKinds: [(name: String, base: String?)] = [
    ("enqueued", nil), ("ready", "turned"), ("started", "began"), ("executing", "began"), ("executionEnded", "ended"),
    ("startReturned", "ended"), ("finished", "over"), ("cancelRequested", nil), ("released", "finished"),
    ("completionBegan", "finished"), ("completionEnded", "completionBegan"),
  ]

  static let momentColumns =
    WorkPhases.columns
    + momentKinds.flatMap { [ColumnEncoder($0.name, base: $0.base, .time), ColumnEncoder($0.name + "Thread")] }

  mutating func addMoments(_ trace: Trace) {
    trace.operations.withUnsafeBufferPointer { records in
      var values: [Int?] = []
      for row in records.indices {
        if living?.isSettled(row) == true, moments.keepsUnseen(key(ofWork: row)) { continue }
        values.removeAll(keepingCapacity: true)
        WorkPhases(of: records[row], records[row].execution(traceEnd: trace.end), traceEnd: trace.end).add(to: &values)
        addStamps(of: records[row], to: &values)
        moments.append(values, key: key(ofWork: row))
      }
    }
    addMoments(of: trace.blocks, .block, trace)
    addMoments(of: trace.tasks, .task, trace)
  }

  /// Adds the moments in the order of ``momentKinds``.
  private mutating func addStamps(of operation: borrowing OperationRecord, to values: inout [Int?]) {
    addStamp(operation.enqueued, to: &values)
    addStamp(operation.ready, to: &values)
    addStamp(operation.started, to: &values)
    addStamp(operation.executionBegan, to: &values)
    addStamp(operation.executionEnded, to: &values)
    addStamp(operation.startReturned, to: &values)
    addStamp(operation.finished, to: &values)
    addStamp(operation.cancelRequested, to: &values)
    addStamp(operation.released, to: &values)
    let completion = operation.completion
    addStamp(completion?.began, to: &values)
    addStamp(completion?.ended, to: &values)
  }

  @inline(__always)
  private mutating func addStamp(_ stamp: Stamp?, to values: inout [Int?]) {
    values.append(stamp.map { Int($0.time) })
    values.append(stamp.map { names.row(of: $0.thread) })
  }

  private mutating func addMoments(of works: [some Work], _ kind: WorkKind, _ trace: Trace) {
    var columns: [String: Int] = [:]
    for (index, column) in Self.momentColumns.enumerated() { columns[column.name] = index }
    let (enqueued, ready, executing) = (columns["enqueued"], columns["ready"], columns["executing"])
    let (finished, cancelRequested) = (columns["finished"], columns["cancelRequested"])
    var values: [Int?] = []
    for (row, work) in zip(kind.indexes(in: trace), works) {
      values.removeAll(keepingCapacity: true)
      let execution = work.began.map { began in
        (begin: began.time, end: max(began.time, work.over ?? trace.end), isOpen: work.over == nil)
      }
      WorkPhases(of: work, execution, traceEnd: trace.end).add(to: &values)
      values.append(contentsOf: repeatElement(nil, count: 2 * Self.momentKinds.count))
      func set(_ column: Int?, _ time: Nanoseconds?, _ thread: ThreadID? = nil) {
        guard let column, let time else { return }
        values[column] = Int(time)
        if let thread { values[column + 1] = names.row(of: thread) }
      }
      set(enqueued, work.submitted?.time, work.submitted?.thread)
      set(ready, work.runnable)
      set(executing, work.began?.time, work.began?.thread)
      // The work ended on the thread where it ran last. If it was passed over, there is no thread.
      set(finished, work.over, work.runs.last?.thread)
      set(cancelRequested, (work as? BlockRecord)?.cancelRequested ?? (work as? TaskRecord)?.cancelRequested)
      moments.append(values, key: key(ofWork: row))
    }
  }
}
