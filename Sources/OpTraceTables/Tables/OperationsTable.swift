import OpTraceKernel
import OpTraceModel

extension TraceTable {
  static let operations = TraceTable(
    "operations", "one row for each operation", sortedBy: "id", of: { $0.trace.operations.indices },
    [
      column("id", .integer, "its number in the trace") { TableValue($0.id) },
      column("name", .text, "its name, else the function that it runs, else its class") { .text($0.title) },
      column("class", .text, "its class, without the module") { .text($0.className) },
      column("function", .text, "the function that it runs, where that is not its class's own") {
        TableValue($0.function?.shortName)
      },
      column("file", .text, "where its code is") { TableValue($0.codeLocation.file) },
      column("line", .integer, "where its code is") { TableValue($0.codeLocation.line) },
      column("queue", .integer, "queues.id") { TableValue($0.queue) },
      column("created", .integer, "when the object was made") { TableValue($0.created) },
      column("enqueued", .integer, "when it was given to a queue") { TableValue($0.enqueued) },
      column("ready", .integer, "when it last turned ready") { TableValue($0.ready) },
      column("started", .integer, "when its start() was entered") { TableValue($0.started) },
      column("began", .integer, "when its own code began") { TableValue($0.executionBegan) },
      column("ended", .integer, "when its own code was over") { TableValue($0.executionEnded) },
      column("finished", .integer, "when isFinished turned true") { TableValue($0.finished) },
      column("cancelled", .integer, "when cancelling was first asked for") { TableValue($0.cancelRequested) },
      column("released", .integer, "when the object was gone") { TableValue($0.released) },
      column("state", .text, "pending, ready, executing, finished, cancelled, failed, unknown") {
        .text($0.isOutcomeKnown ? $0.state.rawValue : "unknown")
      },
      column("thread", .integer, "threads.id: where its own code began") { TableValue($0.executionBegan?.thread) },
      column("enqueued_thread", .integer, "threads.id: who gave it to its queue") { TableValue($0.enqueued?.thread) },
      ColumnOf("held_by", .integer, "whose end gave it its slot") { source, row in
        TableValue(holder(source, row))
      },
      ColumnOf("held_by_kind", .text, "operation, block, task; null where held_by is") { source, row in
        TableValue(holder(source, row) == nil ? nil : "operation")
      },
      times("wait_dependencies", "from the enqueueing until it only needed a slot and a thread") {
        $0.enqueued == nil ? nil : $1.waitingForDependencies
      },
      times("wait_slot", "from then until its own code began, without wait_thread") {
        $0.enqueued == nil ? nil : $1.waitingForSlot
      },
      times("running", "from then until it was finished") { $0.began == nil ? nil : $1.running },
      column("cpu", .integer, "processor time of its code (record --cpu)") { TableValue($0.processorTime) },
      times("wait_thread", "how long it was ready and its queue had a free slot, but no thread ran it") {
        $0.enqueued == nil ? nil : $1.waitingForThread
      },
    ])

  private static func column(
    _ name: String, _ type: ColumnType, _ meaning: String,
    _ value: @escaping @Sendable (borrowing OperationRecord) -> TableValue
  ) -> ColumnOf<Int> {
    ColumnOf(name, type, meaning) { source, row in value(source.trace.operations[row]) }
  }

  /// Null too where what became of it is not in the trace.
  private static func times(
    _ name: String, _ meaning: String,
    _ value: @escaping @Sendable (borrowing OperationRecord, OperationTimes) -> Nanoseconds?
  ) -> ColumnOf<Int> {
    ColumnOf(name, .integer, meaning) { source, row in
      let times = source.threadWaits.times(ofOperationAt: row, in: source.trace)
      return TableValue(time(of: source.trace.operations[row], times, value))
    }
  }

  /// Borrowed: a copy of a record counts references, a million times.
  private static func time(
    of operation: borrowing OperationRecord, _ times: OperationTimes,
    _ value: (borrowing OperationRecord, OperationTimes) -> Nanoseconds?
  ) -> Nanoseconds? {
    operation.isOutcomeKnown ? value(operation, times) : nil
  }

  private static func holder(_ source: TableSource, _ row: Int) -> OperationID? {
    let holder = source.holders.ofOperations[row]
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
    "dependencies", "one row for each dependency, also those taken away again", sortedBy: "operation",
    key: ["operation", "dependency", "added"], isNumbered: true, of: { $0.dependencies },
    [
      ColumnOf("operation", .integer, "operations.id: who waits") { source, row in
        TableValue(source.trace.operations[Int(row.operation)].id)
      },
      ColumnOf("dependency", .integer, "operations.id: what it waits for") { source, row in
        TableValue(row.edge(source.trace).on)
      },
      ColumnOf("added", .integer, "when it was seen first") { source, row in TableValue(row.edge(source.trace).added) },
      ColumnOf("removed", .integer, "when it was taken away") { source, row in
        TableValue(row.edge(source.trace).removed)
      },
    ])
}
