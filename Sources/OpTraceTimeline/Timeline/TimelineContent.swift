import OpTraceAnalysis
public import OpTraceModel
public import OpTraceText

/// Writes a timeline in one format.
public protocol TimelineExporter: Sendable {
  /// A timeline of this trace.
  init(_ trace: Trace, options: TimelineOptions)

  /// Throws what `sink` throws.
  @discardableResult
  func write(to sink: ByteSink) throws -> TimelineCounts
}

/// A format that timelines are written in.
public struct TimelineFormat: Sendable, Equatable {
  /// As people name it.
  public let name: String
  /// What names of its files end in, without the dot, in lower case; the usual one first.
  public let endings: [String]
  /// Text, which a terminal can show.
  public let isText: Bool
  private let exporter: any TimelineExporter.Type
  private let joined: @Sendable (JoinedTimeline, [TimelineOptions], ByteSink) throws -> TimelineCounts

  /// What writes this trace in this format.
  public func exporter(_ trace: Trace, options: TimelineOptions = TimelineOptions()) -> any TimelineExporter {
    exporter.init(trace, options: options)
  }

  /// Writes several traces as one timeline. O(n log n). Throws what `sink` throws.
  /// - Parameter options: by trace.
  package func write(
    _ traces: JoinedTimeline, options: [TimelineOptions], to sink: ByteSink
  ) throws -> TimelineCounts {
    try joined(traces, options, sink)
  }

  public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  /// The JSON of Chrome's trace viewer, which Perfetto's page opens too.
  public static let json = Self(
    name: "json", endings: ["json"], isText: true, exporter: ChromeTraceExporter.self,
    joined: { try ChromeEvents.write($0, $1, to: $2) })
  /// Perfetto's own format, in protobuf: a fifth of the JSON's bytes.
  public static let perfetto = Self(
    name: "perfetto", endings: ["pftrace", "perfetto-trace"], isText: false, exporter: PerfettoTraceExporter.self,
    joined: { try PerfettoEvents.write($0, $1, to: $2) })

  /// All that there are; the first is written where nobody says which.
  public static let all = [json, perfetto]
}

/// All that a timeline shows, in tables that are sorted by time: what every format is written from.
struct TimelineContent {
  let trace: Trace
  let options: TimelineOptions
  let timeline: Timeline
  let findings: [Finding]
  let counters: CounterValues
  let titles: QueueTitles
  /// Claims nothing where times are left out.
  let threadWaits: ThreadWaits
  /// Where it stands in its file.
  var place = TimelinePlace()
  let stackWords = StackWords()

  /// Time O(n log n), memory about 100 bytes per operation.
  init(_ trace: Trace, _ options: TimelineOptions) {
    self.trace = trace
    self.options = options
    titles = QueueTitles(trace)
    // The two take about as long, and need nothing of each other.
    (timeline, findings) = SideBySide.both({ Timeline(trace, options: options) }, { Diagnosis(of: trace).findings })
    threadWaits = options.includesArguments && !timeline.counts.leavesOutTimes ? ThreadWaits(trace) : ThreadWaits()
    counters = CounterValues(timeline, trace, options.selection)
    place.origin = timeline.origin
  }
}

/// What a format makes of it: one call per event.
protocol TimelineEvents {
  /// Whether the ends of arrows are events of their own; else ``arrow(_:leaves:)`` is never called.
  static var drawsArrowsApart: Bool { get }

  init(_ content: TimelineContent, _ writer: ByteWriter)
  /// What comes before the first event: groups and tracks.
  mutating func begin()
  /// By its index in ``Timeline/executions``.
  mutating func execution(_ index: Int)
  mutating func wait(_ wait: Timeline.Wait)
  mutating func detail(_ detail: Timeline.Detail)
  /// One end of an arrow, by its index in ``Timeline/arrows``.
  mutating func arrow(_ index: Int, leaves: Bool)
  mutating func counter(_ value: CounterValues.Value)
  mutating func instant(_ instant: InstantStream.Instant, at time: Nanoseconds)
  mutating func end()
  /// Throws what the sink threw, if it did.
  func check() throws
}

extension TimelineEvents {
  /// Writes a trace in this format. Time O(n log n). Throws what `sink` throws.
  static func write(_ trace: Trace, _ options: TimelineOptions, to sink: ByteSink) throws -> TimelineCounts {
    let content = TimelineContent(trace, options)
    return try ByteWriter.write(to: sink) { writer in
      var events = Self(content, writer)
      return try content.write(to: &events)
    }
  }
}

extension TimelineContent {
  /// Merges the tables in the order of time. At one time: slices first, then arrows that leave, then those that arrive.
  func write<Events: TimelineEvents>(to events: inout Events) throws -> TimelineCounts {
    var counts = timeline.counts
    counts.thinnedCounterValues = counters.thinnedOut
    var instants = InstantStream(trace, findings, options.selection)
    let arrows = Events.drawsArrowsApart ? timeline.arrows : []
    let arrivals = arrows.indices.sorted { (arrows[$0].arrives, $0) < (arrows[$1].arrives, $1) }
    var execution = 0
    var wait = 0
    var detail = 0
    var leaving = 0
    var arriving = 0
    var counter = 0
    var steps = 0
    let all =
      timeline.executions.count + timeline.waits.count + timeline.details.count + arrows.count * 2
      + counters.values.count
    let progress = WorkProgress.reporter()
    events.begin()
    while true {
      progress.reportSometimes(steps, of: all)
      var time = Nanoseconds.max
      var source = -1
      func offer(_ candidate: Nanoseconds, _ number: Int) {
        if candidate < time {
          time = candidate
          source = number
        }
      }
      if execution < timeline.executions.count { offer(timeline.executions[execution].begin, 0) }
      if wait < timeline.waits.count { offer(timeline.waits[wait].begin, 1) }
      if detail < timeline.details.count { offer(timeline.details[detail].begin, 2) }
      if leaving < arrows.count { offer(arrows[leaving].leaves, 3) }
      if arriving < arrivals.count { offer(arrows[arrivals[arriving]].arrives, 4) }
      if counter < counters.values.count { offer(counters.values[counter].time, 5) }
      offer(instants.next, 6)
      switch source {
      case 0:
        if timeline.executions[execution].track >= 0 { events.execution(execution) }
        execution += 1
      case 1:
        if timeline.waits[wait].track >= 0 { events.wait(timeline.waits[wait]) }
        wait += 1
      case 2:
        events.detail(timeline.details[detail])
        detail += 1
      case 3:
        events.arrow(leaving, leaves: true)
        leaving += 1
      case 4:
        events.arrow(arrivals[arriving], leaves: false)
        arriving += 1
      case 5:
        events.counter(counters.values[counter])
        counts.counterValues += 1
        counter += 1
      case 6:
        events.instant(instants.take(), at: time)
        counts.instants += 1
      default:
        events.end()
        try events.check()
        return counts
      }
      steps += 1
      // A full disk ends the work soon, without a test after every event.
      if steps & 0xFFF == 0 { try events.check() }
    }
  }
}
