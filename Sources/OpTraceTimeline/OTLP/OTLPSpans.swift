import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Writes spans one by one: those of operations, then what the program named inside or outside them.
struct OTLPSpans {
  private let content: OTLPContent
  private let trace: Trace
  private let writer: ByteWriter
  private let start: Int64
  private let threads: [ThreadID: ThreadRecord]
  private let queues: [QueueID: String]
  private let threadWaits: ThreadWaits
  /// The marks that each operation made, by id of the operation.
  private let marks: [OperationID: [Int]]
  /// Marks that no operation made.
  private let lone: [Int]

  init(_ content: OTLPContent, _ writer: ByteWriter) {
    (self.content, self.writer) = (content, writer)
    trace = content.trace
    start = Int64(clamping: trace.header.startWall)
    threadWaits = ThreadWaits(trace)
    threads = Dictionary(trace.threads.map { ($0.id, $0) }) { first, _ in first }
    queues = Dictionary(trace.queues.map { ($0.id, $0.title) }) { first, _ in first }
    var marks: [OperationID: [Int]] = [:]
    var lone: [Int] = []
    for (number, mark) in trace.marks.enumerated() {
      if let operation = mark.operation, let index = trace.index(of: operation), content.begin(of: index) != nil {
        marks[operation, default: []].append(number)
      } else {
        lone.append(number)
      }
    }
    (self.marks, self.lone) = (marks, lone)
  }

  /// The number of nodes: operations and spans, and marks outside operations.
  var count: Int { content.numbers.count + lone.count }

  /// Whether a node becomes a span. False for an operation that was never given to anything.
  func isSpan(_ number: Int) -> Bool {
    if case .operation(let index) = content.numbers.node(number) { content.begin(of: index) != nil } else { true }
  }

  /// Writes the span of a node; nothing if it has none.
  func write(_ number: Int) -> (links: Int, dropped: Int) {
    switch content.numbers.node(number) {
    case .operation(let index): return operation(index)
    case .span(let index): return span(index)
    case .mark(let index):
      mark(lone[index])
      return (0, 0)
    }
  }

  // MARK: Kinds of spans

  private func operation(_ index: Int) -> (links: Int, dropped: Int) {
    guard let begin = content.begin(of: index) else { return (0, 0) }
    let operation = trace.operations[index]
    ids(content.traceID(ofOperation: index), content.spanID(ofOperation: index))
    if let span = content.parentSpan(of: index) {
      parent(content.spanID(ofSpan: span))
    } else if let operation = content.parent(of: index) {
      parent(content.spanID(ofOperation: operation))
    }
    body(operation.title, begin, operation.finished?.time ?? max(begin, trace.end))
    attributes(of: operation, index)
    events(of: operation)
    let links = links(of: index, operation)
    if operation.state == .failed { status(2, operation.error) }
    writer.byte(UInt8(ascii: "}"))
    return links
  }

  private func span(_ number: Int) -> (links: Int, dropped: Int) {
    let span = trace.spans[number]
    ids(content.traceID(ofSpan: number), content.spanID(ofSpan: number))
    if let outer = content.parentID(ofSpan: number) { parent(outer) }
    body(span.name, span.began.time, span.ended?.time ?? trace.end, span.kind)
    attributes(of: span)
    let links = links(of: span)
    if let status = span.status { self.status(status.code == .ok ? 1 : 2, status.message) }
    writer.byte(UInt8(ascii: "}"))
    return (links, 0)
  }

  private func attributes(of span: SpanRecord) {
    var list = OTLPAttributes(writer)
    for attribute in span.attributes { list.add(attribute) }
    list.text("optrace.kind", "span")
    if let work = span.work { list.number("optrace.id", Int(work.rawValue)) }
    // This ensures that each key occurs only once.
    if !span.attributes.contains(where: { $0.key.hasPrefix("thread.") }) { thread(span.began.thread, &list) }
    list.end()
    if span.leftOut > 0 {
      writer.text(",\"droppedAttributesCount\":")
      writer.number(span.leftOut)
    }
  }

  private func links(of span: SpanRecord) -> Int {
    var count = 0
    for link in span.links {
      guard let context = link.context else { continue }
      writer.text(count == 0 ? ",\"links\":[{\"traceId\":\"" : ",{\"traceId\":\"")
      writer.bytes(Array(context.traceID.utf8))
      writer.text("\",\"spanId\":\"")
      writer.bytes(Array(context.spanID.utf8))
      writer.text("\"}")
      count += 1
    }
    if count > 0 { writer.byte(UInt8(ascii: "]")) }
    return count
  }

  private func status(_ code: Int, _ message: String?) {
    writer.text(",\"status\":{\"code\":")
    writer.number(code)
    if let message, !message.isEmpty {
      writer.text(",\"message\":")
      writer.exactJSON(message)
    }
    writer.byte(UInt8(ascii: "}"))
  }

  private func mark(_ number: Int) {
    let mark = trace.marks[number]
    ids(content.traceID(.mark, number), content.spanID(.mark, UInt64(number)))
    body(mark.name, mark.at.time, mark.at.time)
    simple("mark", mark.at.thread)
  }

  private func simple(_ kind: String, _ thread: ThreadID) {
    var list = OTLPAttributes(writer)
    list.text("optrace.kind", kind)
    self.thread(thread, &list)
    list.end()
    writer.byte(UInt8(ascii: "}"))
  }

  // MARK: Parts of a span

  private func ids(_ traceID: (UInt64, UInt64), _ spanID: UInt64) {
    writer.text("{\"traceId\":\"")
    hex(traceID.0)
    hex(traceID.1)
    writer.text("\",\"spanId\":\"")
    hex(spanID)
    writer.byte(UInt8(ascii: "\""))
  }

  private func parent(_ spanID: UInt64) {
    writer.text(",\"parentSpanId\":\"")
    hex(spanID)
    writer.byte(UInt8(ascii: "\""))
  }

  /// Writes the body of a span. An operation has the kind INTERNAL: it is neither the end of a call from elsewhere nor
  /// the start of one.
  private func body(_ name: String, _ begin: Nanoseconds, _ end: Nanoseconds, _ kind: SpanRecord.Kind = .internal) {
    writer.text(",\"name\":")
    writer.exactJSON(name)
    writer.text(",\"kind\":")
    // OpenTelemetry's kinds are in the same order, but begin with 1.
    writer.number(Int(kind.rawValue) + 1)
    writer.text(",\"startTimeUnixNano\":")
    time(begin)
    writer.text(",\"endTimeUnixNano\":")
    time(max(begin, end))
  }

  private func attributes(of operation: OperationRecord, _ index: Int) {
    var list = OTLPAttributes(writer)
    list.text("optrace.kind", "operation")
    list.number("optrace.id", Int(operation.id.rawValue))
    list.text("optrace.class", operation.className)
    list.text("optrace.state", operation.isOutcomeKnown ? operation.state.rawValue : "unknown")
    if let queue = operation.queue {
      list.number("optrace.queue.id", Int(queue.rawValue))
      if let title = queues[queue] { list.text("optrace.queue.name", title) }
    }
    let code = operation.codeLocation
    if let function = code.function { list.text("code.function.name", function) }
    if let file = code.file { list.text("code.file.path", file) }
    if let line = code.line { list.number("code.line.number", line) }
    if let thread = operation.executionBegan?.thread { self.thread(thread, &list) }
    if operation.isOutcomeKnown, operation.enqueued != nil {
      let times = threadWaits.times(ofOperationAt: index, in: trace)
      list.number("optrace.wait_dependencies", Int(times.waitingForDependencies))
      list.number("optrace.wait_slot", Int(times.waitingForSlot))
      list.number("optrace.wait_thread", Int(times.waitingForThread))
      if operation.began != nil { list.number("optrace.running", Int(times.running)) }
    }
    if let used = operation.processorTime { list.number("optrace.cpu", Int(used)) }
    if let span = trace.span(around: operation.id) { list.text("optrace.within", span.name) }
    if operation.cancelRequested != nil { list.flag("optrace.cancelled", true) }
    if operation.finished == nil { list.flag("optrace.unfinished", true) }
    list.end()
  }

  private func thread(_ id: ThreadID, _ list: inout OTLPAttributes) {
    guard let thread = threads[id] else { return }
    list.number("thread.id", Int(thread.systemID))
    if !thread.name.isEmpty { list.text("thread.name", thread.name) }
  }

  private func events(of operation: OperationRecord) {
    var isFirst = true
    func event(_ at: Nanoseconds, _ name: () -> Void) {
      writer.text(isFirst ? ",\"events\":[{\"timeUnixNano\":" : ",{\"timeUnixNano\":")
      isFirst = false
      time(at)
      writer.text(",\"name\":")
      name()
      writer.byte(UInt8(ascii: "}"))
    }
    if let ready = operation.ready?.time { event(ready) { writer.text("\"ready\"") } }
    if let began = operation.began?.time { event(began) { writer.text("\"began\"") } }
    for number in marks[operation.id] ?? [] {
      event(trace.marks[number].at.time) { writer.exactJSON(trace.marks[number].name) }
    }
    if !isFirst { writer.byte(UInt8(ascii: "]")) }
  }

  private func links(of index: Int, _ operation: OperationRecord) -> (links: Int, dropped: Int) {
    var (count, dropped) = (0, 0)
    func link(_ other: Int, _ kind: StaticString) {
      guard count < OTLPExporter.mostLinks else {
        dropped += 1
        return
      }
      writer.text(count == 0 ? ",\"links\":[" : ",")
      count += 1
      ids(content.traceID(ofOperation: other), content.spanID(ofOperation: other))
      writer.text(",\"attributes\":[{\"key\":\"optrace.link\",\"value\":{\"stringValue\":\"")
      writer.text(kind)
      writer.text("\"}}]}")
    }
    // The slot comes first, so that it is kept if there are too many links.
    if let holder = content.holder(of: index) { link(holder, "slot") }
    for edge in operation.dependencies {
      if let other = content.dependency(edge) { link(other, "dependency") }
    }
    if count > 0 { writer.byte(UInt8(ascii: "]")) }
    if dropped > 0 {
      writer.text(",\"droppedLinksCount\":")
      writer.number(dropped)
    }
    return (count, dropped)
  }

  // MARK: Values

  /// Writes a time. JSON represents 64-bit numbers as strings.
  private func time(_ time: Nanoseconds) {
    let (sum, overflow) = start.addingReportingOverflow(time)
    writer.byte(UInt8(ascii: "\""))
    writer.number(UInt(overflow ? 0 : max(0, sum)))
    writer.byte(UInt8(ascii: "\""))
  }

  private func hex(_ value: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15
      writer.byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}

/// Writes the attributes of a span as they come.
private struct OTLPAttributes {
  let writer: ByteWriter

  init(_ writer: ByteWriter) {
    self.writer = writer
    writer.text(",\"attributes\":[")
  }

  private var isFirst = true

  private mutating func key(_ key: StaticString) {
    writer.text(isFirst ? "{\"key\":\"" : ",{\"key\":\"")
    isFirst = false
    writer.text(key)
  }

  mutating func text(_ key: StaticString, _ value: String) {
    self.key(key)
    writer.text("\",\"value\":{\"stringValue\":")
    writer.exactJSON(value)
    writer.text("}}")
  }

  mutating func number(_ key: StaticString, _ value: Int) {
    self.key(key)
    writer.text("\",\"value\":{\"intValue\":\"")
    writer.number(value)
    writer.text("\"}}")
  }

  mutating func flag(_ key: StaticString, _ value: Bool) {
    self.key(key)
    writer.text(value ? "\",\"value\":{\"boolValue\":true}}" : "\",\"value\":{\"boolValue\":false}}")
  }

  /// Writes an attribute with its type if its text is a valid value of that type.
  mutating func add(_ attribute: SpanRecord.Attribute) {
    writer.text(isFirst ? "{\"key\":" : ",{\"key\":")
    isFirst = false
    writer.exactJSON(attribute.key)
    writer.text(",\"value\":{")
    if attribute.type == .integer, let number = Int(attribute.value) {
      writer.text("\"intValue\":\"")
      writer.number(number)
      writer.byte(UInt8(ascii: "\""))
    } else if attribute.type == .real, let number = Double(attribute.value), number.isFinite {
      writer.text("\"doubleValue\":")
      writer.bytes(Array("\(number)".utf8))
    } else if attribute.type == .flag, let flag = Bool(attribute.value) {
      writer.text(flag ? "\"boolValue\":true" : "\"boolValue\":false")
    } else {
      writer.text("\"stringValue\":")
      writer.exactJSON(attribute.value)
    }
    writer.text("}}")
  }

  func end() { writer.byte(UInt8(ascii: "]")) }
}
