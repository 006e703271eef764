import OpTraceAnalysis
import OpTraceModel

extension TraceTable {
  static let blocks = TraceTable(
    "blocks", "one row for each block of a dispatch queue (record --dispatch)", sortedBy: "id",
    of: { $0.trace.blocks.indices },
    [
      column("id", .integer, "its number in the trace") { _, block in TableValue(block.id) },
      column("name", .text, "its function, or where its code is") { _, block in .text(block.title) },
      column("queue", .text, "the dispatch queue's label") { source, block in
        TableValue(block.queue.flatMap { source.trace.dispatchQueue($0)?.title })
      },
      column("way", .text, "async, barrier, after, notify, sync") { _, block in .text("\(block.way)") },
      column("submitted", .integer, "when it was submitted") { _, block in TableValue(block.submitted) },
      column("began", .integer, "when it began") { _, block in TableValue(block.began) },
      column("ended", .integer, "when it returned") { _, block in TableValue(block.ended) },
      column("cancelled", .integer, "when cancelling was asked for") { _, block in TableValue(block.cancelRequested) },
      column("thread", .integer, "threads.id: where it ran") { _, block in TableValue(block.began?.thread) },
      column("submitted_thread", .integer, "threads.id: who submitted it") { _, block in
        TableValue(block.submitted?.thread)
      },
      column("submitter", .integer, "the operation, block or task whose code submitted it") { _, block in
        TableValue(block.submitter)
      },
      ColumnOf("held_by", .integer, "blocks.id: who had the turn of its queue before it") { source, place in
        let holder = source.holders.ofBlocks[place]
        return TableValue(holder < 0 ? nil : source.trace.blocks[Int(holder)].id)
      },
      column("stack", .integer, "stacks.stack: where it was submitted") { _, block in TableValue(block.submittedAt) },
    ])

  private static func column(
    _ name: String, _ type: ColumnType, _ meaning: String,
    _ value: @escaping @Sendable (TableSource, BlockRecord) -> TableValue
  ) -> ColumnOf<Int> {
    ColumnOf(name, type, meaning) { source, place in value(source, source.trace.blocks[place]) }
  }
}
