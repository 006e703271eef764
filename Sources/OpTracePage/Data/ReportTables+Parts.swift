import OpTracePageParts
import OpTraceKernel
import OpTraceFormat
import OpTraceModel

extension ReportTables {
  /// Adds runs, waits for a turn and suspensions, by `kind` (see ``ReportPieceKind``), and their sums.
  mutating func addPieces(_ trace: Trace) {
    for (row, task) in zip(WorkKind.task.indexes(in: trace), trace.tasks) {
      let times = TaskTimes(of: task, traceEnd: trace.end)
      taskTimes.append(
        [Int(times.sums.waitingForDependencies), Int(times.sums.waitingForSlot), Int(times.sums.running)],
        key: key(ofWork: row))
      for (kind, time) in ReportPieceKind.suspensions(times) {
        suspensions.append([row, kind.rawValue, Int(time)], key: RowKey(key(ofWork: row).first, kind.rawValue))
      }
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

  mutating func addInstants(_ trace: Trace, _ lanes: PageLanes) {
    for one in lanes.instants {
      instants.append(
        [
          Int(one.time), names.index(of: one.name), one.work.flatMap { trace.workIndex(of: $0) },
          one.queue.flatMap { names.queueRows[.queue($0)] },
        ], key: RowKey(Int(one.time)))
    }
  }

  mutating func addDetails(_ trace: Trace, _ lanes: PageLanes) {
    for index in 0..<lanes.detailCount {
      guard let detail = lanes.detail(index, trace) else { continue }
      details.append(
        [
          Int(detail.track), Int(detail.begin), Int(detail.end), detail.kind, detail.isOpen ? 1 : 0,
          names.index(of: detail.name), detail.work, names.row(of: detail.thread), detail.signal,
          row(of: detail.stack, trace.stacks),
        ], key: RowKey(Int(detail.track), Int(detail.begin)))
    }
  }
}
