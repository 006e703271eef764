import OpTraceTimeline
import OpTraceKernel
import OpTraceFormat
import OpTraceModel

extension ReportTables {
  /// Adds runs, waits for a turn and suspensions, by `kind` (see ``ReportPieceKind``), and their sums.
  mutating func addPieces(_ trace: Trace) {
    for (row, task) in zip(WorkKind.task.indexes(in: trace), trace.tasks) {
      let times = task.times(traceEnd: trace.end)
      taskTimes.append(
        [Int(times.waitingForDependencies), Int(times.waitingForSlot), Int(times.running)], key: key(ofWork: row))
      for piece in task.pieces(traceEnd: trace.end) {
        let suspension = piece.kind == .run || piece.index < 0 ? nil : task.suspensions[piece.index]
        let isTurn = piece.kind == .turn || piece.isForActor
        let kind = ReportPieceKind(of: piece, task).rawValue
        let thread = piece.kind == .run ? task.runs[piece.index].thread : isTurn ? suspension?.enqueued?.thread : nil
        let awaited = isTurn ? nil : suspension?.awaited.flatMap(trace.workIndex(of:))
        let resumer = isTurn ? suspension?.resumer.flatMap(trace.workIndex(of:)) : nil
        let stack = isTurn ? nil : self.row(of: suspension?.at, trace.stacks)
        let values: [Int?] = [
          row, kind, Int(piece.begin), Int(piece.end), piece.isOpen ? 1 : 0, thread.map { names.row(of: $0) }, awaited,
          resumer, stack, task.actor(of: piece).map { names.index(of: $0.title) },
        ]
        pieces.append(values, key: RowKey(key(ofWork: row).first, Int(piece.begin)))
      }
    }
  }

  /// Adds dependencies in the order of the operations that have them. Most lead to a near operation. An operation that
  /// is not in the trace has no row.
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
          Int(one.time), names.index(of: facts.name), facts.operation.flatMap { trace.workIndex(of: $0) },
          facts.queue.flatMap { names.queueRows[.queue($0)] },
        ], key: RowKey(Int(one.time)))
    }
  }

  mutating func addPath(_ path: CriticalPath, _ trace: Trace) {
    for step in path.steps {
      steps.append([
        trace.workIndex(of: step.work), ReportStepCause(step.cause).rawValue,
        step.cause.work.flatMap { trace.workIndex(of: $0) }, Int(step.began), Int(step.ended),
        Int(step.waitingForDependencies), Int(step.waitingForSlot), Int(step.running),
        Int(step.waitingForThread),
      ])
    }
    for id in path.remaining { remaining.append([trace.index(of: id)]) }
  }

  mutating func addDetails(_ trace: Trace, _ timeline: Timeline) {
    for detail in timeline.details.sorted(by: { ($0.track, $0.begin, $1.end) < ($1.track, $1.begin, $0.end) }) {
      let facts = DetailFacts(detail, timeline, trace)
      details.append(
        [
          Int(detail.track), Int(detail.begin), Int(detail.end), facts.kind.rawValue, detail.isOpen ? 1 : 0,
          names.index(of: facts.name), facts.operation, names.row(of: facts.thread), facts.signal,
          row(of: facts.stack, trace.stacks),
        ], key: RowKey(Int(detail.track), Int(detail.begin)))
    }
  }
}

/// What the page shows of a detail of the timeline.
private struct DetailFacts {
  var kind: ReportDetailKind
  var name: String
  var operation: Int?
  var thread: ThreadID
  /// The operation that sent the signal that ended the wait.
  var signal: Int?
  /// The stack of the thread at that time.
  var stack: FrameID?

  init(_ detail: Timeline.Detail, _ timeline: Timeline, _ trace: Trace) {
    switch detail.kind {
    case .block(let row, let block):
      kind = .block
      name = "block \(block.index + 1)"
      operation = Int(row)
      thread = block.thread
    case .span(let index):
      let span = trace.spans[index]
      kind = .span
      name = span.name
      operation = span.operation.flatMap { trace.workIndex(of: $0) }
      thread = span.began.thread
    case .wait(let index):
      let wait = trace.waits[index]
      kind = .wait
      name = "waits for " + timeline.name(of: wait.target, in: trace)
      operation = wait.inside.flatMap { trace.workIndex(of: $0) }
      thread = wait.thread
      signal = (wait.endSignal ?? wait.lastSignal)?.operation.flatMap { trace.workIndex(of: $0) }
      stack = wait.at
    case .gap(let index):
      let gap = trace.loss.gaps[index]
      kind = .loss
      name = "\(gap.count) records lost: \(gap.reason.explanation)"
      thread = gap.thread
    case .run(let row):
      let work = trace.work(at: Int(row))
      kind = .run
      name = work.title
      operation = Int(row)
      thread = work.run(at: detail.begin)?.thread ?? ThreadID(0)
    case .start(let row):
      kind = .start
      name = "start()"
      operation = Int(row)
      thread = trace.operations[Int(row)].executionBegan?.thread ?? ThreadID(0)
    case .completion(let row):
      kind = .completion
      name = "completion block"
      operation = Int(row)
      thread = trace.operations[Int(row)].completion?.began?.thread ?? ThreadID(0)
    }
  }
}
