import OpTraceKernel
import OpTraceModel

extension TraceTable {
  static let operations = TraceTable(
    "operations", "one row for each operation", sortedBy: "id", of: { WorkRow.all($0, $0.trace.operations.indices) },
    [
      column("id", .integer, "its number in the trace") { TableValue($0.id) },
      column("name", .text, "its name; without one, the function that it runs, or its class") { .text($0.title) },
      column("class", .text, "its class, without the module") { .text($0.className) },
      column("function", .text, "the function that it runs, such as the closure of a block operation") {
        TableValue($0.function?.shortName)
      },
      column("file", .text, "the source file of its code") { TableValue($0.codeLocation.file) },
      column("line", .integer, "the line of its code") { TableValue($0.codeLocation.line) },
      column("queue", .integer, "queues.id: the queue it was added to") { TableValue($0.queue) },
      column("created", .integer, "when it was created") { TableValue($0.created) },
      column("enqueued", .integer, "when it was added to a queue") { TableValue($0.enqueued) },
      column("ready", .integer, "when it last became ready") { TableValue($0.ready) },
      column("started", .integer, "when start() was called") { TableValue($0.started) },
      column("began", .integer, "when its own code began") { TableValue($0.executionBegan) },
      column("ended", .integer, "when its own code returned") { TableValue($0.executionEnded) },
      column("finished", .integer, "when isFinished became true") { TableValue($0.finished) },
      column("cancelled", .integer, "when cancel() was first called") { TableValue($0.cancelRequested) },
      column("released", .integer, "when it was deallocated") { TableValue($0.released) },
      column("state", .text, "pending, ready, executing, finished, cancelled, failed, unknown") {
        .text($0.isOutcomeKnown ? $0.state.rawValue : "unknown")
      },
      column("thread", .integer, "threads.id: the thread on which its own code began") {
        TableValue($0.executionBegan?.thread)
      },
      column("enqueued_thread", .integer, "threads.id: the thread that added it to its queue") {
        TableValue($0.enqueued?.thread)
      },
      ColumnOf("held_by", .integer, "operations.id: the operation whose finish freed the slot that it got") {
        source, row in
        TableValue(holder(source, row))
      },
      ColumnOf("held_by_kind", .text, "operation, block, task; null if held_by is null") { source, row in
        TableValue(holder(source, row) == nil ? nil : "operation")
      },
      times("wait_dependencies", "how long it waited in its queue for dependencies and isReady") {
        $0.enqueued == nil ? nil : $1.waitingForDependencies
      },
      times("wait_slot", "how long it then waited for a slot of its queue") {
        $0.enqueued == nil ? nil : $1.waitingForSlot
      },
      times("running", "from the beginning of its own code to its finish") { $0.began == nil ? nil : $1.running },
      column("cpu", .integer, "processor time that its code used (record --cpu)") { TableValue($0.processorTime) },
      times("wait_thread", "how long it was ready and its queue had a free slot, but no thread ran it") {
        $0.enqueued == nil ? nil : $1.waitingForThread
      },
    ])

  private static func column(
    _ name: String, _ type: ColumnType, _ meaning: String,
    _ value: @escaping @Sendable (borrowing OperationRecord) -> TableValue
  ) -> ColumnOf<WorkRow> {
    ColumnOf(name, type, meaning) { source, row in value(source.trace.operations[row.index]) }
  }

  /// Null too where what became of it is not in the trace.
  private static func times(
    _ name: String, _ meaning: String,
    _ value: @escaping @Sendable (borrowing OperationRecord, OperationTimes) -> Nanoseconds?
  ) -> ColumnOf<WorkRow> {
    ColumnOf(name, .integer, meaning) { source, row in
      let times = row.waits.threadWaits.times(ofOperationAt: row.index, in: source.trace)
      return TableValue(time(of: source.trace.operations[row.index], times, value))
    }
  }

  /// Borrowed: a copy of a record counts references, a million times.
  private static func time(
    of operation: borrowing OperationRecord, _ times: OperationTimes,
    _ value: (borrowing OperationRecord, OperationTimes) -> Nanoseconds?
  ) -> Nanoseconds? {
    operation.isOutcomeKnown ? value(operation, times) : nil
  }

  private static func holder(_ source: TableSource, _ row: WorkRow) -> OperationID? {
    let holder = row.waits.holders.ofOperations[row.index]
    return holder < 0 ? nil : source.trace.operations[Int(holder)].id
  }
}

/// An edge, by the indexes of the operation and of its dependency.
struct DependencyRow {
  var operation: Int32
  var number: Int32

  static func all(_ trace: Trace) -> [DependencyRow] {
    var rows: [DependencyRow] = []
    for index in trace.operations.indices {
      for number in trace.operations[index].dependencies.indices {
        rows.append(DependencyRow(operation: Int32(clamping: index), number: Int32(clamping: number)))
      }
    }
    return rows
  }

  func edge(_ trace: Trace) -> Dependency { trace.operations[Int(operation)].dependencies[Int(number)] }
}

extension TraceTable {
  static let dependencies = TraceTable(
    "dependencies", "one row for each dependency, including removed ones", sortedBy: "operation",
    key: ["operation", "dependency", "added"], isNumbered: true,
    of: { DependencyRow.all($0.trace) },
    [
      ColumnOf("operation", .integer, "operations.id: the operation that waits") { source, row in
        TableValue(source.trace.operations[Int(row.operation)].id)
      },
      ColumnOf("dependency", .integer, "operations.id: the operation it waits for") { source, row in
        TableValue(row.edge(source.trace).on)
      },
      ColumnOf("added", .integer, "when the dependency was first recorded") { source, row in
        TableValue(row.edge(source.trace).added)
      },
      ColumnOf("removed", .integer, "when it was removed") { source, row in
        TableValue(row.edge(source.trace).removed)
      },
    ])
}
