import Testing

@testable import OpTraceModel

/// The list of all work of a trace, in which an index stands for an operation, a block or a task.
@Suite struct WorkRowTests {
  /// Ids of the kinds are mixed, as in programs.
  private func trace(operations: Int, blocks: Int, tasks: Int) -> Trace {
    var trace = Trace(header: TraceHeader())
    var kinds: [WorkKind] = []
    for number in 0..<max(operations, blocks, tasks) {
      if number < operations { kinds.append(.operation) }
      if number < tasks { kinds.append(.task) }
      if number < blocks { kinds.append(.block) }
    }
    for (number, kind) in kinds.enumerated() {
      let id = WorkID(UInt32(number + 1))
      switch kind {
      case .operation: trace.operations.append(OperationRecord(id: id, className: "Load"))
      case .block: trace.blocks.append(BlockRecord(id: id))
      case .task: trace.tasks.append(TaskRecord(id: id))
      }
    }
    return trace
  }

  @Test(arguments: [(3, 2, 4), (0, 2, 1), (2, 0, 3), (2, 3, 0), (1, 0, 0), (0, 0, 2), (0, 0, 0)])
  func eachIndexStandsForOneRow(operations: Int, blocks: Int, tasks: Int) {
    let trace = self.trace(operations: operations, blocks: blocks, tasks: tasks)
    let rows =
      (0..<operations).map { WorkRow.operation($0) } + (0..<blocks).map { .block($0) } + (0..<tasks).map { .task($0) }
    #expect(trace.workCount == rows.count)
    for (index, row) in rows.enumerated() {
      #expect(trace.row(ofWorkAt: index) == row && row.index(in: trace) == index)
      #expect(trace.kind(ofWorkAt: index) == row.kind && row.kind.indexes(in: trace).contains(index))
      let id = trace.workID(at: index)
      #expect(trace.work(at: index).id == id && trace.workIndex(of: id) == index && trace.workRow(of: id) == row)
      if case .task(let number) = row {
        #expect(trace.taskRow(ofWorkAt: index) == number && trace.tasks[number].id == id)
      } else {
        #expect(trace.taskRow(ofWorkAt: index) == nil)
      }
    }
    #expect(WorkKind.allCases.flatMap { $0.indexes(in: trace) } == Array(rows.indices))
    #expect(Array(WorkKind.others(in: trace)) == Array(operations..<rows.count))
  }

  @Test func whatIsInNoListHasNoRow() {
    let trace = self.trace(operations: 1, blocks: 1, tasks: 1)
    #expect(trace.workRow(of: WorkID(99)) == nil && trace.workIndex(of: WorkID(99)) == nil)
    #expect(trace.taskRow(ofWorkAt: 3) == nil)
  }
}
