import OpTraceFormat
import OpTraceModel

/// Something that a span has, with the span.
struct SpanPart<Part> {
  let span: SpanID
  let part: Part

  static func all(_ trace: Trace, _ parts: (SpanRecord) -> [Part]) -> [SpanPart] {
    trace.spans.flatMap { span in parts(span).map { SpanPart(span: span.id, part: $0) } }
  }
}

extension TraceTable {
  static let spans = TraceTable(
    "spans", "one row for each span: a measure block, a test, or a span of the program's tracer",
    key: ["thread", "began"], isNumbered: true,
    of: { $0.trace.spans },
    [
      ColumnOf("name", .text, "the name that the program gave it") { _, span in .text(span.name) },
      ColumnOf("operation", .integer, "operations.id, blocks.id or tasks.id: the work that began it") { _, span in
        TableValue(span.work)
      },
      ColumnOf("thread", .integer, "threads.id: the thread on which it began") { _, span in
        TableValue(span.began.thread)
      },
      ColumnOf("began", .integer, "when it began") { _, span in TableValue(span.began.time) },
      ColumnOf("ended", .integer, "when it ended") { _, span in TableValue(span.ended) },
      ColumnOf("id", .integer, "its number in the trace") { _, span in TableValue(span.id) },
      ColumnOf("kind", .text, "internal, server, client, producer, consumer") { _, span in .text("\(span.kind)") },
      ColumnOf("parent", .integer, "spans.id: its parent, for spans of a tracer") { _, span in
        TableValue(span.parent)
      },
      ColumnOf("status", .text, "ok, error; null: not set") { _, span in TableValue(span.status?.code.rawValue) },
      ColumnOf("message", .text, "the message of its status") { _, span in TableValue(span.status?.message) },
      ColumnOf("trace_id", .text, "its trace id in distributed tracing; null: not a span of a tracer") { _, span in
        TableValue(span.context?.traceID)
      },
      ColumnOf("span_id", .text, "its span id in distributed tracing") { _, span in TableValue(span.context?.spanID) },
      ColumnOf("remote_parent", .text, "the span id of its parent in another process") { _, span in
        TableValue(span.context?.remoteParent)
      },
      ColumnOf("left_out", .integer, "number of attributes and links that did not fit") { _, span in
        TableValue(span.leftOut)
      },
    ])

  static let spanAttributes = TraceTable(
    "span_attributes", "one row for each attribute of a span", key: ["span"], isNumbered: true,
    of: { SpanPart.all($0.trace, \.attributes) },
    [
      ColumnOf("span", .integer, "spans.id") { _, row in TableValue(row.span) },
      ColumnOf("key", .text, "the attribute's key") { _, row in .text(row.part.key) },
      ColumnOf("value", .text, "the value as text; long values are cut") { _, row in .text(row.part.value) },
      ColumnOf("type", .text, "the value's type: text, integer, real, flag") { _, row in .text("\(row.part.type)") },
    ])

  static let spanLinks = TraceTable(
    "span_links", "one row for each link from a span to another", key: ["span"], isNumbered: true,
    of: { SpanPart.all($0.trace, \.links) },
    [
      ColumnOf("span", .integer, "spans.id: the span that has the link") { _, row in TableValue(row.span) },
      ColumnOf("other", .integer, "spans.id: the linked span; null: it is not in this trace") { _, row in
        TableValue(row.part.span)
      },
      ColumnOf("trace_id", .text, "the linked span's trace id in distributed tracing") { _, row in
        TableValue(row.part.context?.traceID)
      },
      ColumnOf("span_id", .text, "the linked span's span id in distributed tracing") { _, row in
        TableValue(row.part.context?.spanID)
      },
    ])

  static let spanWork = TraceTable(
    "span_work",
    "one row for each operation, block or task that was submitted inside a test or another named span",
    key: ["work"], of: { $0.trace.within.sorted { $0.key < $1.key } },
    [
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.key) },
      ColumnOf("span", .integer, "spans.id: the span in which it was submitted") { _, row in TableValue(row.value) },
    ])

  static let marks = TraceTable(
    "marks", "one row for each call of mark, a moment that the program named", key: ["thread", "time"],
    isNumbered: true,
    of: { $0.trace.marks },
    [
      ColumnOf("name", .text, "the name that the program gave it") { _, mark in .text(mark.name) },
      ColumnOf("operation", .integer, "operations.id: the operation that was executing") { _, mark in
        TableValue(mark.operation)
      },
      ColumnOf("thread", .integer, "threads.id: the thread that called mark") { _, mark in TableValue(mark.at.thread) },
      ColumnOf("time", .integer, "when mark was called") { _, mark in TableValue(mark.at.time) },
    ])
}

extension TraceTable {
  static let waits = TraceTable(
    "waits", "one row for each time that a thread was blocked", key: ["thread", "began"], isNumbered: true,
    of: { $0.trace.waits },
    [
      ColumnOf("thread", .integer, "threads.id: the thread that was blocked") { _, wait in TableValue(wait.thread) },
      ColumnOf("operation", .integer, "operations.id: the operation that the thread was executing; null: none") {
        _, wait in
        TableValue(wait.inside)
      },
      ColumnOf("target_kind", .text, "what it waited for: operation, queue, semaphore, group, mutex and others") {
        source, wait in
        switch wait.target {
        case .operation: .text("operation")
        case .queue: .text("queue")
        case .object(let id): .text(source.trace.object(id)?.kind?.word ?? "object")
        }
      },
      ColumnOf("target", .integer, "its number: operations.id, queues.id, or that of the semaphore, group or lock") {
        _, wait in
        switch wait.target {
        case .operation(let id): TableValue(id)
        case .queue(let id): TableValue(id)
        case .object(let id): TableValue(id.rawValue)
        }
      },
      ColumnOf("target_name", .text, "its name") { source, wait in
        switch wait.target {
        case .operation(let id): TableValue(source.trace.operation(id)?.title)
        case .queue(let id): TableValue(source.trace.queue(id)?.title)
        case .object(let id): TableValue(source.trace.object(id)?.title)
        }
      },
      ColumnOf("began", .integer, "when it was blocked") { _, wait in TableValue(wait.began) },
      ColumnOf("ended", .integer, "when the thread continued; null: it still waits") { _, wait in TableValue(wait.ended)
      },
      ColumnOf("duration", .integer, "from began to ended, or to the trace's end") { source, wait in
        TableValue(max(0, (wait.ended ?? source.trace.end) - wait.began))
      },
      ColumnOf("signal_thread", .integer, "threads.id: the thread that ended the wait; null: not known") { _, wait in
        TableValue(wait.endSignal?.thread)
      },
      ColumnOf("signal_operation", .integer, "operations.id: the operation that this thread was executing") { _, wait in
        TableValue(wait.endSignal?.operation)
      },
      ColumnOf("stack", .integer, "stacks.stack: where the thread waited") { _, wait in TableValue(wait.at) },
    ])
}
