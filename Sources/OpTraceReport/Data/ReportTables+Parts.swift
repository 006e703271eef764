import OpTraceTimeline
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel

extension ReportTables {
  /// Runs, waits for a turn and suspensions, by `kind`: see ``pieceKinds``.
  mutating func addPieces(_ trace: Trace) {
    let first = WorkKind.task.first(in: trace)
    for (place, task) in trace.tasks.enumerated() {
      for piece in task.pieces(traceEnd: trace.end) {
        let suspension = piece.kind == .run || piece.index < 0 ? nil : task.suspensions[piece.index]
        let thread = piece.kind == .run ? task.runs[piece.index].thread : nil
        let isTurn = piece.kind == .turn
        let kind: Int
        switch piece.kind {
        case .run: kind = 0
        case .turn: kind = 1
        case .suspended: kind = suspension.map { 3 + Int($0.reason.rawValue) } ?? 2
        }
        let row = first + place
        pieces.append(
          [
            row, kind, Int(piece.begin), Int(piece.end), piece.isOpen ? 1 : 0,
            (thread ?? (isTurn ? suspension?.enqueued?.thread : nil)).map { names.row(of: $0) },
            isTurn ? nil : suspension?.awaited.flatMap(trace.workIndex(of:)),
            isTurn ? suspension?.resumer.flatMap(trace.workIndex(of:)) : nil,
            isTurn ? nil : self.row(of: suspension?.at, trace.stacks),
          ], key: RowKey(key(ofWork: row).first, Int(piece.begin)))
      }
    }
  }

  /// What the kinds of pieces are called, by their numbers: the three of ``TaskPiece``, then the reasons.
  static let pieceKinds = ["run", "turn", "suspended"] + TaskRecord.Reason.allCases.map { "\($0)" }

  /// In the order of the operations that have them; mostly on a near one. What is not in the trace has no row.
  mutating func addDependencies(_ trace: Trace) {
    trace.operations.withUnsafeBufferPointer { records in
      for row in records.indices where !records[row].dependencies.isEmpty {
        for dependency in records[row].dependencies {
          dependencies.append(
            [row, trace.index(of: dependency.on), dependency.removed.map { Int($0) }], key: RowKey(row))
        }
      }
    }
  }

  mutating func addInstants(_ trace: Trace) {
    for one in TraceInstant.all(of: trace).sorted(by: { $0.time < $1.time }) {
      let facts = one.instant.facts(in: trace)
      instants.append(
        [
          Int(one.time), names.place(of: facts.name), facts.operation.flatMap { trace.workIndex(of: $0) },
          facts.queue.flatMap { names.queueRows[.queue($0)] },
        ], key: RowKey(Int(one.time)))
    }
  }

  mutating func addPath(_ path: CriticalPath, _ trace: Trace) {
    for step in path.steps {
      let cause =
        switch step.cause {
        case .start: 0
        case .dependency: 1
        case .slot: 2
        case .submission: 3
        case .signal: 4
        }
      steps.append([
        trace.workIndex(of: step.work), cause, step.cause.work.flatMap { trace.workIndex(of: $0) }, Int(step.began),
        Int(step.ended), Int(step.waitingForDependencies), Int(step.waitingForSlot), Int(step.running),
      ])
    }
    for id in path.remaining { remaining.append([trace.index(of: id)]) }
  }

  mutating func addDetails(_ trace: Trace, _ timeline: Timeline) {
    for detail in timeline.details.sorted(by: { ($0.track, $0.begin, $1.end) < ($1.track, $1.begin, $0.end) }) {
      let facts = DetailFacts(detail, timeline, trace)
      details.append(
        [
          Int(detail.track), Int(detail.begin), Int(detail.end), facts.kind, detail.isOpen ? 1 : 0,
          names.place(of: facts.name), facts.operation, names.row(of: facts.thread), facts.signal,
          row(of: facts.stack, trace.stacks),
        ], key: RowKey(Int(detail.track), Int(detail.begin)))
    }
  }
}

/// What the page shows of a detail of the timeline.
private struct DetailFacts {
  var kind: Int
  var name: String
  var operation: Int?
  var thread: ThreadID
  /// The operation whose signal ended the wait.
  var signal: Int?
  /// Where the thread stood.
  var stack: FrameID?

  init(_ detail: Timeline.Detail, _ timeline: Timeline, _ trace: Trace) {
    switch detail.kind {
    case .block(let row, let block):
      kind = 0
      name = "block \(block.index + 1)"
      operation = Int(row)
      thread = block.thread
    case .span(let place):
      let span = trace.spans[place]
      kind = 1
      name = span.name
      operation = span.operation.flatMap { trace.workIndex(of: $0) }
      thread = span.began.thread
    case .wait(let place):
      let wait = trace.waits[place]
      kind = 2
      name = "waits for " + timeline.name(of: wait.target, in: trace)
      operation = wait.inside.flatMap { trace.workIndex(of: $0) }
      thread = wait.thread
      signal = (wait.endSignal ?? wait.lastSignal)?.operation.flatMap { trace.workIndex(of: $0) }
      stack = wait.at
    case .gap(let place):
      let gap = trace.loss.gaps[place]
      kind = 3
      name = "\(gap.count) records lost: \(gap.reason.explanation)"
      thread = gap.thread
    case .run(let row):
      let work = trace.work(at: Int(row))
      kind = 5
      name = work.title
      operation = Int(row)
      thread = work.run(at: detail.begin)?.thread ?? ThreadID(0)
    case .start(let row):
      kind = 4
      name = "start()"
      operation = Int(row)
      thread = trace.operations[Int(row)].executionBegan?.thread ?? ThreadID(0)
    case .completion(let row):
      kind = 6
      name = "completion block"
      operation = Int(row)
      thread = trace.operations[Int(row)].completion?.began?.thread ?? ThreadID(0)
    }
  }
}
