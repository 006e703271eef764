import OpTraceKernel
import OpTraceModel

/// Whose end let work begin, and how long work was without a thread. Found when a cell first shows it.
final class WorkWaits {
  static let facts = TableFacts { WorkWaits($0.trace) }

  private let trace: Trace
  private(set) lazy var holders = SlotHolders(trace)
  private(set) lazy var threadWaits = ThreadWaits(trace)

  private init(_ trace: Trace) { self.trace = trace }
}

/// An operation or block by its index.
struct WorkRow {
  let waits: WorkWaits
  let index: Int

  static func all(_ source: TableSource, _ indices: Range<Int>) -> LazyMapCollection<Range<Int>, WorkRow> {
    let waits = source[WorkWaits.facts]
    return indices.lazy.map { WorkRow(waits: waits, index: $0) }
  }
}

extension TraceTable {
  static let blocks = TraceTable(
    "blocks", "one row for each block of a dispatch queue (record --dispatch)", sortedBy: "id",
    of: { WorkRow.all($0, $0.trace.blocks.indices) },
    [
      column("id", .integer, "its number in the trace") { _, block in TableValue(block.id) },
      column("name", .text, "its function, or the place of its code") { _, block in .text(block.title) },
      column("queue", .text, "the dispatch queue's label") { source, block in
        TableValue(block.queue.flatMap { source.trace.dispatchQueue($0)?.title })
      },
      column("way", .text, "how it was submitted: async, barrier, after, notify, sync") { _, block in
        .text("\(block.way)")
      },
      column("submitted", .integer, "when it was submitted") { _, block in TableValue(block.submitted) },
      column("began", .integer, "when it began") { _, block in TableValue(block.began) },
      column("ended", .integer, "when it returned") { _, block in TableValue(block.ended) },
      column("cancelled", .integer, "when cancel() was called") { _, block in TableValue(block.cancelRequested) },
      column("thread", .integer, "threads.id: the thread that ran it") { _, block in TableValue(block.began?.thread) },
      column("submitted_thread", .integer, "threads.id: the thread that submitted it") { _, block in
        TableValue(block.submitted?.thread)
      },
      column("submitter", .integer, "operations.id, blocks.id or tasks.id: the work whose code submitted it") {
        _, block in
        TableValue(block.submitter)
      },
      ColumnOf("held_by", .integer, "blocks.id: the block that it waited for, because their queue runs one at a time") {
        source, row in
        let holder = row.waits.holders.ofBlocks[row.index]
        return TableValue(holder < 0 ? nil : source.trace.blocks[Int(holder)].id)
      },
      column("stack", .integer, "stacks.stack: where it was submitted") { _, block in TableValue(block.submittedAt) },
      column("state", .text, "waiting, running, returned, dropped; unknown: a flight recorder overwrote its end") {
        _, block in
        .text(state(of: block))
      },
    ])

  private static func state(of block: BlockRecord) -> String {
    guard block.isOutcomeKnown else { return "unknown" }
    if block.ended != nil { return "returned" }
    return block.over != nil ? "dropped" : block.began != nil ? "running" : "waiting"
  }

  private static func state(of task: TaskRecord) -> String {
    guard task.isOutcomeKnown else { return "unknown" }
    if task.over != nil { return "completed" }
    if let run = task.runs.last, run.ended == nil { return "running" }
    return task.suspension != nil ? "suspended" : "waiting"
  }

  private static func column(
    _ name: String, _ type: ColumnType, _ meaning: String,
    _ value: @escaping @Sendable (TableSource, BlockRecord) -> TableValue
  ) -> ColumnOf<WorkRow> {
    ColumnOf(name, type, meaning) { source, row in value(source, source.trace.blocks[row.index]) }
  }
}

extension TraceTable {
  static let tasks = TraceTable(
    "tasks", "one row for each Swift task (record --tasks)", sortedBy: "id", of: { $0.trace.tasks },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, task in TableValue(task.id) },
      ColumnOf("name", .text, "its name; without one, its function") { _, task in .text(task.title) },
      ColumnOf("way", .text, "how it was created: unstructured, detached, groupChild, asyncLet") { _, task in
        .text("\(task.way)")
      },
      ColumnOf("priority", .integer, "its priority's raw value") { _, task in TableValue(task.priority) },
      ColumnOf("parent", .integer, "tasks.id: its parent task") { _, task in TableValue(task.parent) },
      ColumnOf("submitter", .integer, "operations.id, blocks.id or tasks.id: the work whose code created it") {
        _, task in
        TableValue(task.submitter)
      },
      ColumnOf("created", .integer, "when it was created") { _, task in TableValue(task.submitted) },
      ColumnOf("began", .integer, "when it first ran") { _, task in TableValue(task.began) },
      ColumnOf("completed", .integer, "when it ended") { _, task in TableValue(task.completed) },
      ColumnOf("cancelled", .integer, "when cancel() was called") { _, task in TableValue(task.cancelRequested) },
      ColumnOf("runs", .integer, "how often it ran") { _, task in TableValue(task.runs.count) },
      ColumnOf("running", .integer, "how long it ran, in all its runs") { source, task in
        let end = task.over ?? source.trace.end
        return TableValue(task.runs.reduce(Nanoseconds(0)) { $0 &+ max(0, ($1.ended ?? end) - $1.began) })
      },
      ColumnOf("suspensions", .integer, "how often it was suspended") { _, task in TableValue(task.suspensions.count) },
      ColumnOf("stack", .integer, "stacks.stack: where it was created") { _, task in TableValue(task.submittedAt) },
      ColumnOf("state", .text, "waiting, running, suspended, completed; unknown: a flight recorder overwrote its end") {
        _, task in .text(state(of: task))
      },
    ])
}
