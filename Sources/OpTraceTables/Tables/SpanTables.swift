import OpTraceModel

extension TraceTable {
  static let spans = TraceTable(
    "spans", "one row for each piece of work that the program named", of: { $0.trace.spans },
    [
      ColumnOf("name", .text, "as the program gave it") { _, span in .text(span.name) },
      ColumnOf("operation", .integer, "operations.id: in which it began") { _, span in TableValue(span.operation) },
      ColumnOf("thread", .integer, "threads.id: where it began") { _, span in TableValue(span.began.thread) },
      ColumnOf("began", .integer, "when it began") { _, span in TableValue(span.began.time) },
      ColumnOf("ended", .integer, "when it ended") { _, span in TableValue(span.ended) },
      ColumnOf("id", .integer, "its number in the trace") { _, span in TableValue(span.id) },
    ])

  static let spanWork = TraceTable(
    "span_work",
    "one row for each operation, block or task that was submitted inside of a span that tells it, as of a test",
    of: { $0.spanWork },
    [
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.work) },
      ColumnOf("span", .integer, "spans.id: who submitted it was in there") { _, row in TableValue(row.span) },
    ])

  static let marks = TraceTable(
    "marks", "one row for each moment that the program named", of: { $0.trace.marks },
    [
      ColumnOf("name", .text, "as the program gave it") { _, mark in .text(mark.name) },
      ColumnOf("operation", .integer, "operations.id: what executed there") { _, mark in TableValue(mark.operation) },
      ColumnOf("thread", .integer, "threads.id: where") { _, mark in TableValue(mark.at.thread) },
      ColumnOf("time", .integer, "when") { _, mark in TableValue(mark.at.time) },
    ])
}
