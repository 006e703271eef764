import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel

/// One event of the Chrome format per call, each on a line of its own.
struct ChromeEvents {
  let trace: Trace
  let timeline: Timeline
  let findings: [Finding]
  let options: TimelineOptions
  let writer: ByteWriter
  /// Changes of counters that are left out.
  let thinned: Int
  private var isFirst = true

  init(
    trace: Trace, timeline: Timeline, findings: [Finding], thinned: Int, options: TimelineOptions, writer: ByteWriter
  ) {
    self.thinned = thinned
    self.trace = trace
    self.findings = findings
    self.timeline = timeline
    self.options = options
    self.writer = writer
  }

  // MARK: Slices

  mutating func execution(_ execution: Timeline.Execution) {
    guard execution.track >= 0 else { return }
    let index = Int(execution.operation)
    slice("operation", execution.track, execution.begin, execution.end)
    name(of: index)
    guard options.includesArguments else { return close() }
    trace.operations.withUnsafeBufferPointer { operationArguments($0, index, execution) }
    close(isOpen: execution.isOpen)
  }

  mutating func wait(_ wait: Timeline.Wait) {
    guard wait.track >= 0 else { return }
    let index = Int(wait.operation)
    slice("wait", wait.track, wait.begin, wait.end)
    name(of: index)
    guard options.includesArguments else { return close() }
    trace.operations.withUnsafeBufferPointer { waitArguments($0, index, wait) }
    close(isOpen: wait.isOpen)
  }

  mutating func detail(_ detail: Timeline.Detail) {
    switch detail.kind {
    case .block(let operation, let block):
      slice("block", detail.track, detail.begin, detail.end)
      nameBegins()
      writer.jsonPart(trace.operations[Int(operation)].shownName)
      writer.text(" · block ")
      writer.number(Int(block.index) + 1)
      nameEnds()
      operationArgument(trace.operations[Int(operation)].id)
    case .span(let index):
      slice("span", detail.track, detail.begin, detail.end)
      nameBegins()
      writer.jsonPart(trace.spans[index].name)
      nameEnds()
      operationArgument(trace.spans[index].operation)
    case .wait(let index):
      slice("thread wait", detail.track, detail.begin, detail.end)
      nameBegins()
      waitTarget(trace.waits[index].target)
      nameEnds()
      operationArgument(trace.waits[index].inside)
      if options.includesArguments { objectArguments(trace.waits[index]) }
    case .gap(let index):
      let gap = trace.loss.gaps[index]
      slice("loss", detail.track, detail.begin, detail.end)
      nameBegins()
      writer.number(UInt(gap.count))
      writer.text(" records lost")
      nameEnds()
      if options.includesArguments {
        writer.text(",\"args\":{\"reason\":")
        writer.json(gap.reason.explanation)
      }
    }
    guard options.includesArguments else { return close() }
    close(isOpen: detail.isOpen)
  }

  private func waitTarget(_ target: WaitRecord.Target) {
    writer.text("waits for ")
    switch target {
    case .operation(let id):
      writer.text("operation ")
      writer.jsonPart(trace.operation(id)?.shownName ?? id.description)
    case .queue(let id):
      writer.text("queue ")
      writer.jsonPart(timeline.groupOfQueue[id].map { timeline.groups[$0].name } ?? id.description)
    case .object(let id): writer.jsonPart(trace.object(id)?.title ?? id.description)
    }
  }

  // MARK: Arrows, counters, moments

  mutating func arrow(_ place: Int, leaves: Bool) {
    let arrow = timeline.arrows[place]
    let execution = timeline.executions[Int(leaves ? arrow.from : arrow.to)]
    begin(leaves ? "s" : "f", "dep")
    track(execution.track)
    time(leaves ? arrow.leaves : arrow.arrives)
    // The end must bind to the slice around it, not to the next one.
    if !leaves { writer.text(",\"bp\":\"e\"") }
    writer.text(",\"id\":")
    writer.number(place + 1)
    writer.text(",\"name\":\"dependency\"")
    close()
  }

  mutating func counter(_ value: CounterValues.Value) {
    begin("C", "queue")
    writer.text(",\"pid\":")
    writer.number(value.group + 1)
    self.time(value.time)
    writer.text(",\"name\":\"")
    // Viewers show the name and the series together: "executing operations".
    switch value.kind {
    case .executing: writer.text("executing\",\"args\":{\"operations\":")
    case .ready: writer.text("ready\",\"args\":{\"operations\":")
    case .limit: writer.text("limit\",\"args\":{\"slots\":")
    }
    writer.number(value.value)
    writer.text("}")
    close()
  }

  /// Process-scoped: an instant on a thread would take the arrow of the slice below it.
  mutating func instant(_ instant: InstantStream.Instant, at time: Nanoseconds) {
    if case .finding = instant { begin("i", "finding") } else { begin("i", "mark") }
    switch instant {
    case .finding(let index):
      process(0, time)
      nameBegins()
      writer.jsonPart("\(findings[index].severity.rawValue): \(findings[index].title)")
      nameEnds()
      if options.includesArguments { findingArguments(findings[index]) }
    case .start:
      process(0, time)
      nameBegins()
      writer.text("trace starts")
      nameEnds()
      if options.includesArguments { startArguments(thinned: thinned) }
    case .mark(let index):
      process(0, time)
      nameBegins()
      writer.jsonPart(trace.marks[index].name)
      nameEnds()
      operationArgument(trace.marks[index].operation)
      if options.includesArguments { writer.byte(UInt8(ascii: "}")) }
    case .queue(let index, let place):
      let queue = trace.queues[index]
      process(timeline.group(of: queue.id), time)
      nameBegins()
      switch queue.changes[place].kind {
      case .suspended: writer.text("suspended")
      case .resumed: writer.text("resumed")
      case .cancelledAll: writer.text("all operations cancelled")
      case .limit: writer.text("limit changed")
      }
      nameEnds()
    }
    close()
  }

  private func process(_ group: Int, _ time: Nanoseconds) {
    writer.text(",\"s\":\"p\",\"pid\":")
    writer.number(group + 1)
    writer.text(",\"tid\":1")
    self.time(time)
  }

  // MARK: Metadata

  mutating func metadata() {
    for (index, group) in timeline.groups.enumerated() where group.isShown {
      describe("process_name", group: index, track: nil)
      writer.text("\"name\":\"")
      if index == 0 {
        writer.jsonPart(group.name)
        if trace.header.processID > 0 { writer.string(" (pid \(trace.header.processID))") }
      } else {
        if group.queue != nil { writer.text("queue ") }
        writer.jsonPart(group.name)
      }
      writer.text("\"}")
      close()
      describe("process_sort_index", group: index, track: nil)
      writer.text("\"sort_index\":")
      writer.number(index)
      writer.text("}")
      close()
    }
    for (index, track) in timeline.tracks.enumerated() {
      describe("thread_name", group: track.group, track: index)
      writer.text("\"name\":")
      writer.json(track.name)
      writer.text("}")
      close()
      describe("thread_sort_index", group: track.group, track: index)
      writer.text("\"sort_index\":")
      writer.number(index)
      writer.text("}")
      close()
    }
  }

  private mutating func describe(_ what: StaticString, group: Int, track: Int?) {
    begin("M", nil)
    writer.text(",\"pid\":")
    writer.number(group + 1)
    if let track {
      writer.text(",\"tid\":")
      writer.number(track + 1)
    }
    writer.text(",\"name\":\"")
    writer.text(what)
    writer.text("\",\"args\":{")
  }

  // MARK: Pieces

  private mutating func begin(_ phase: StaticString, _ category: StaticString?) {
    writer.text(isFirst ? "{\"ph\":\"" : ",\n{\"ph\":\"")
    isFirst = false
    writer.text(phase)
    writer.byte(UInt8(ascii: "\""))
    if let category {
      writer.text(",\"cat\":\"")
      writer.text(category)
      writer.byte(UInt8(ascii: "\""))
    }
  }

  private mutating func slice(
    _ category: StaticString, _ place: Timeline.TrackIndex, _ begin: Nanoseconds, _ end: Nanoseconds
  ) {
    self.begin("X", category)
    track(place)
    time(begin)
    writer.text(",\"dur\":")
    writer.thousandths(end - begin)
  }

  private func track(_ place: Timeline.TrackIndex) {
    writer.text(",\"pid\":")
    writer.number(timeline.tracks[Int(place)].group + 1)
    writer.text(",\"tid\":")
    writer.number(Int(place) + 1)
  }

  private func time(_ time: Nanoseconds) {
    writer.text(",\"ts\":")
    writer.thousandths(time - timeline.origin)
  }

  private func name(of operation: Int) {
    nameBegins()
    trace.operations.withUnsafeBufferPointer { operations in
      // As `shownName`, without a copy of the record.
      if let name = operations[operation].name, !name.isEmpty {
        writer.jsonPart(name)
      } else {
        writer.jsonPart(operations[operation].className)
      }
    }
    nameEnds()
  }

  private func nameBegins() { writer.text(",\"name\":\"") }
  private func nameEnds() { writer.byte(UInt8(ascii: "\"")) }

  private func close() { writer.byte(UInt8(ascii: "}")) }

  /// Closes the arguments and the event.
  private func close(isOpen: Bool) {
    if isOpen { writer.text(",\"unfinished\":true") }
    writer.text("}}")
  }

  /// Opens the arguments of what may belong to an operation.
  private func operationArgument(_ id: OperationID?) {
    guard options.includesArguments else { return }
    writer.text(",\"args\":{\"operation\":")
    if let id { writer.number(Int(id.rawValue)) } else { writer.text("null") }
  }
}
