import OpTraceFormat
import OpTraceModel

extension TraceTable {
  static let spans = TraceTable(
    "spans", "one row for each piece of work that the program named", key: ["thread", "began"], isNumbered: true,
    of: { $0.trace.spans },
    [
      ColumnOf("name", .text, "as the program gave it") { _, span in .text(span.name) },
      ColumnOf("operation", .integer, "operations.id, blocks.id or tasks.id: in which it began") { _, span in
        TableValue(span.work)
      },
      ColumnOf("thread", .integer, "threads.id: where it began") { _, span in TableValue(span.began.thread) },
      ColumnOf("began", .integer, "when it began") { _, span in TableValue(span.began.time) },
      ColumnOf("ended", .integer, "when it ended") { _, span in TableValue(span.ended) },
      ColumnOf("id", .integer, "its number in the trace") { _, span in TableValue(span.id) },
      ColumnOf("kind", .text, "internal, server, client, producer, consumer") { _, span in .text("\(span.kind)") },
      ColumnOf("parent", .integer, "spans.id: the span around it, as a tracer knows it") { _, span in
        TableValue(span.parent)
      },
      ColumnOf("status", .text, "ok, error; null: not said") { _, span in TableValue(span.status?.code.rawValue) },
      ColumnOf("message", .text, "what was said of its status") { _, span in TableValue(span.status?.message) },
      ColumnOf("trace_id", .text, "of distributed tracing; null: it is no span of a tracer") { _, span in
        TableValue(span.context?.traceID)
      },
      ColumnOf("span_id", .text, "the same, of itself") { _, span in TableValue(span.context?.spanID) },
      ColumnOf("remote_parent", .text, "the same, of its parent in another process") { _, span in
        TableValue(span.context?.remoteParent)
      },
      ColumnOf("left_out", .integer, "attributes and links that there was no room for") { _, span in
        TableValue(span.leftOut)
      },
    ])

  static let spanAttributes = TraceTable(
    "span_attributes", "one row for each attribute of a span", key: ["span"], isNumbered: true,
    of: { $0.spanAttributes },
    [
      ColumnOf("span", .integer, "spans.id") { _, row in TableValue(row.span) },
      ColumnOf("key", .text, "as the program gave it") { _, row in .text(row.attribute.key) },
      ColumnOf("value", .text, "as a text, perhaps cut") { _, row in .text(row.attribute.value) },
      ColumnOf("type", .text, "text, integer, real, flag") { _, row in .text("\(row.attribute.type)") },
    ])

  static let spanLinks = TraceTable(
    "span_links", "one row for each span that another one names", key: ["span"], isNumbered: true, of: { $0.spanLinks },
    [
      ColumnOf("span", .integer, "spans.id: which names it") { _, row in TableValue(row.span) },
      ColumnOf("other", .integer, "spans.id: which is named; null: it is not of this trace") { _, row in
        TableValue(row.link.span)
      },
      ColumnOf("trace_id", .text, "of the other, in distributed tracing") { _, row in
        TableValue(row.link.context?.traceID)
      },
      ColumnOf("span_id", .text, "the same") { _, row in TableValue(row.link.context?.spanID) },
    ])

  static let spanWork = TraceTable(
    "span_work",
    "one row for each operation, block or task that was submitted inside a span that names it, such as a test",
    key: ["work"], of: { $0.spanWork },
    [
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.work) },
      ColumnOf("span", .integer, "spans.id: who submitted it was in there") { _, row in TableValue(row.span) },
    ])

  static let marks = TraceTable(
    "marks", "one row for each moment that the program named", key: ["thread", "time"], isNumbered: true,
    of: { $0.trace.marks },
    [
      ColumnOf("name", .text, "as the program gave it") { _, mark in .text(mark.name) },
      ColumnOf("operation", .integer, "operations.id: what executed there") { _, mark in TableValue(mark.operation) },
      ColumnOf("thread", .integer, "threads.id: where") { _, mark in TableValue(mark.at.thread) },
      ColumnOf("time", .integer, "when") { _, mark in TableValue(mark.at.time) },
    ])
}

extension TraceTable {
  static let waits = TraceTable(
    "waits", "one row for each time that a thread was blocked", key: ["thread", "began"], isNumbered: true,
    of: { $0.trace.waits },
    [
      ColumnOf("thread", .integer, "threads.id: who was blocked") { _, wait in TableValue(wait.thread) },
      ColumnOf("operation", .integer, "operations.id: what executed there; null: nothing") { _, wait in
        TableValue(wait.inside)
      },
      ColumnOf("target_kind", .text, "operation, queue, or semaphore, group … of what is waited for") { source, wait in
        switch wait.target {
        case .operation: .text("operation")
        case .queue: .text("queue")
        case .object(let id): .text(source.trace.object(id)?.kind?.word ?? "object")
        }
      },
      ColumnOf("target", .integer, "its number: operations.id, queues.id") { _, wait in
        switch wait.target {
        case .operation(let id): TableValue(id)
        case .queue(let id): TableValue(id)
        case .object(let id): TableValue(id.rawValue)
        }
      },
      ColumnOf("target_name", .text, "what people call it") { source, wait in
        switch wait.target {
        case .operation(let id): TableValue(source.trace.operation(id)?.title)
        case .queue(let id): TableValue(source.trace.queue(id)?.title)
        case .object(let id): TableValue(source.trace.object(id)?.title)
        }
      },
      ColumnOf("began", .integer, "when it was blocked") { _, wait in TableValue(wait.began) },
      ColumnOf("ended", .integer, "when it went on; null: still waits") { _, wait in TableValue(wait.ended) },
      ColumnOf("duration", .integer, "to its end, or to the trace's") { source, wait in
        TableValue(max(0, (wait.ended ?? source.trace.end) - wait.began))
      },
      ColumnOf("signal_thread", .integer, "threads.id: who ended it; null: not known") { _, wait in
        TableValue(wait.endSignal?.thread)
      },
      ColumnOf("signal_operation", .integer, "operations.id: what executed there") { _, wait in
        TableValue(wait.endSignal?.operation)
      },
      ColumnOf("stack", .integer, "stacks.stack: where it stood") { _, wait in TableValue(wait.at) },
    ])
}
