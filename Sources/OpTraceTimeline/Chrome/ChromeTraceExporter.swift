public import OpTraceModel
public import OpTraceText

/// Writes a trace as Chrome Trace Event JSON, which Perfetto, `chrome://tracing`, speedscope and the Firefox Profiler
/// load.
///
/// The file is in the array form, with one event per line, in the order of time. Times are microseconds with three
/// decimals, counted from the trace's start; the wall-clock time of the start is an argument of the first instant. Ids
/// of processes and threads are small numbers in the order of display; the system's ids are in the names.
///
/// The JSON is not built in memory: events of different sorts come from tables sorted by time, and are merged as they
/// are written.
public struct ChromeTraceExporter: TimelineExporter {
  private let trace: Trace
  private let options: TimelineOptions

  /// Makes a timeline of this trace. O(1): the work is done when it is written.
  public init(_ trace: Trace, options: TimelineOptions) {
    self.trace = trace
    self.options = options
  }

  /// Writes the timeline. Time O(n log n), memory about 100 bytes per operation. Throws what `sink` throws.
  @discardableResult
  public func write(to sink: ByteSink) throws -> TimelineCounts {
    try ChromeEvents.write(trace, options, to: sink)
  }
}

/// Writes one event of the Chrome format per call, each on a line of its own.
struct ChromeEvents: TimelineEvents {
  static let drawsArrowsApart = true

  private let content: TimelineContent
  private let timeline: Timeline
  private let place: TimelinePlace
  private let writer: ByteWriter
  private var isFirst: Bool

  init(_ content: TimelineContent, _ writer: ByteWriter) {
    self.content = content
    place = content.place
    isFirst = place.index == 0
    timeline = content.timeline
    self.writer = writer
  }

  func check() throws { try writer.check() }

  // MARK: Slices

  mutating func execution(_ index: Int) {
    let execution = timeline.executions[index]
    let (category, name) = content.describe(execution)
    slice(category, execution.track, execution.begin, execution.end)
    self.name(name)
    var arguments = ChromeArguments(writer)
    content.arguments(of: execution, &arguments)
    arguments.close()
  }

  mutating func wait(_ wait: Timeline.Wait) {
    let (category, name) = content.describe(wait)
    slice(category, wait.track, wait.begin, wait.end)
    self.name(name)
    var arguments = ChromeArguments(writer)
    content.arguments(of: wait, &arguments)
    arguments.close()
  }

  mutating func detail(_ detail: Timeline.Detail) {
    let (category, name) = content.describe(detail)
    slice(category, detail.track, detail.begin, detail.end)
    self.name(name)
    var arguments = ChromeArguments(writer)
    content.arguments(of: detail, &arguments)
    arguments.close()
  }

  // MARK: Arrows, counters, moments

  mutating func arrow(_ index: Int, leaves: Bool) {
    let arrow = timeline.arrows[index]
    let execution = timeline.executions[Int(leaves ? arrow.from : arrow.to)]
    begin(leaves ? "s" : "f", arrow.kind.category)
    track(execution.track)
    time(leaves ? arrow.leaves : arrow.arrives)
    endArrow(place.arrows + index + 1, arrow.kind.name, leaves: leaves)
  }

  /// Writes one end of an arrow from a span of one trace to a span of another.
  private mutating func call(_ call: CallArrow, leaves: Bool) {
    let end = leaves ? call.from : call.to
    begin(leaves ? "s" : "f", "call")
    track(end.track, ofGroup: end.group)
    writer.text(",\"ts\":")
    writer.thousandths(leaves ? call.leaves : call.arrives)
    endArrow(call.number, "call", leaves: leaves)
  }

  private func endArrow(_ number: Int, _ name: StaticString, leaves: Bool) {
    // The end must bind to the slice that encloses it, not to the next one.
    if !leaves { writer.text(",\"bp\":\"e\"") }
    writer.text(",\"id\":")
    writer.number(number)
    writer.text(",\"name\":\"")
    writer.text(name)
    writer.text("\"}")
  }

  mutating func counter(_ value: CounterValues.Value) {
    begin("C", value.kind.category)
    writer.text(",\"pid\":")
    writer.number(place.groups + value.group + 1)
    self.time(value.time)
    writer.text(",\"name\":\"")
    writer.text(value.kind.name)
    writer.text("\",\"args\":{\"")
    writer.text(value.kind.unit(of: timeline.groups[value.group].kind))
    writer.text("\":")
    writer.number(value.value)
    writer.text("}}")
  }

  /// Writes an instant. It is scoped to the process: an instant on a thread would capture the arrow of the slice below
  /// it.
  mutating func instant(_ instant: InstantStream.Instant, at time: Nanoseconds) {
    let (category, group, name) = content.describe(instant)
    begin("i", category.text)
    writer.text(",\"s\":\"p\",\"pid\":")
    writer.number(place.groups + group + 1)
    writer.text(",\"tid\":")
    writer.number(place.tracks + 1)
    self.time(time)
    self.name(name)
    var arguments = ChromeArguments(writer)
    content.arguments(of: instant, &arguments)
    arguments.close()
  }

  // MARK: Head and end

  mutating func begin() {
    if place.index == 0 { writer.text("[\n") }
    for group in timeline.groups.indices where timeline.groups[group].isShown {
      describe("process", group: group, track: nil, name: content.groupName(group), order: group)
    }
    for (index, track) in timeline.tracks.enumerated() {
      describe("thread", group: track.group, track: index, name: track.name, order: index)
    }
  }

  private mutating func describe(_ what: StaticString, group: Int, track: Int?, name: String, order: Int) {
    for isName in [true, false] {
      begin("M", nil)
      writer.text(",\"pid\":")
      writer.number(place.groups + group + 1)
      if let track {
        writer.text(",\"tid\":")
        writer.number(place.tracks + track + 1)
      }
      writer.text(",\"name\":\"")
      writer.text(what)
      if isName {
        writer.text("_name\",\"args\":{\"name\":")
        writer.json(name)
      } else {
        writer.text("_sort_index\",\"args\":{\"sort_index\":")
        writer.number((track == nil ? place.groups : place.tracks) + order)
      }
      writer.text("}}")
    }
  }

  mutating func end() {
    guard place.isLast else { return }
    for one in place.calls {
      call(one, leaves: true)
      call(one, leaves: false)
    }
    writer.text("\n]\n")
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
    _ category: TimelineCategory, _ index: Timeline.TrackIndex, _ begin: Nanoseconds, _ end: Nanoseconds
  ) {
    self.begin("X", category.text)
    track(index)
    time(begin)
    writer.text(",\"dur\":")
    writer.thousandths(end - begin)
  }

  private func track(_ index: Timeline.TrackIndex) {
    track(place.tracks + Int(index), ofGroup: place.groups + timeline.tracks[Int(index)].group)
  }

  /// Writes the track and its group by their numbers in the file.
  private func track(_ index: Int, ofGroup group: Int) {
    writer.text(",\"pid\":")
    writer.number(group + 1)
    writer.text(",\"tid\":")
    writer.number(index + 1)
  }

  private func time(_ time: Nanoseconds) {
    writer.text(",\"ts\":")
    writer.thousandths(time - place.origin)
  }

  private func name(_ name: String) {
    writer.text(",\"name\":")
    writer.json(name)
  }
}

extension Timeline.Arrow.Kind {
  fileprivate var category: StaticString {
    switch self {
    case .dependency: "dep"
    case .submission: "submit"
    case .resumption: "resume"
    }
  }

  fileprivate var name: StaticString {
    switch self {
    case .dependency: "dependency"
    case .submission: "submission"
    case .resumption: "resumption"
    }
  }
}

/// The arguments of one event, as a JSON object; nothing is written if there are none.
struct ChromeArguments: ArgumentSink {
  let writer: ByteWriter
  private var isEmpty = true

  init(_ writer: ByteWriter) { self.writer = writer }

  private mutating func name(_ name: ArgumentName) {
    writer.text(isEmpty ? ",\"args\":{\"" : ",\"")
    isEmpty = false
    writer.text(name.text)
    writer.text("\":")
  }

  mutating func number(_ name: ArgumentName, _ value: Int) {
    self.name(name)
    writer.number(value)
  }

  mutating func text(_ name: ArgumentName, _ value: String) {
    self.name(name)
    writer.json(value)
  }

  mutating func texts(_ name: ArgumentName, _ values: [(key: String, value: String)]) {
    self.name(name)
    for (index, one) in values.enumerated() {
      writer.text(index == 0 ? "{" : ",")
      writer.json(one.key)
      writer.byte(UInt8(ascii: ":"))
      writer.json(one.value)
    }
    writer.text(values.isEmpty ? "{}" : "}")
  }

  mutating func flag(_ name: ArgumentName, _ value: Bool) {
    self.name(name)
    writer.text(value ? "true" : "false")
  }

  mutating func microseconds(_ name: ArgumentName, _ value: Nanoseconds) {
    self.name(name)
    writer.thousandths(value)
  }

  /// Ends the arguments and the event.
  func close() { writer.text(isEmpty ? "}" : "}}") }
}
