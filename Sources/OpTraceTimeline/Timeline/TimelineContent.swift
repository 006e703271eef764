import OpTraceDoctor
import OpTraceKernel
public import OpTraceModel
public import OpTraceText

/// Writes a timeline in one format.
public protocol TimelineExporter: Sendable {
  /// Makes a timeline of this trace.
  init(_ trace: Trace, options: TimelineOptions)

  /// Writes the timeline. Throws what `sink` throws.
  @discardableResult
  func write(to sink: ByteSink) throws -> TimelineCounts
}

/// Everything that a timeline shows, in tables sorted by time. Every format is written from it.
struct TimelineContent {
  let trace: Trace
  let options: TimelineOptions
  let timeline: Timeline
  let findings: [Finding]
  private(set) var counters: CounterValues
  let titles: QueueTitles
  /// The waits for threads. Empty if times are left out.
  let threadWaits: ThreadWaits
  /// Its place in the file.
  var place = TimelinePlace()
  let stackWords = StackWords()

  /// Computes the content. Time O(n log n), memory about 100 bytes per operation.
  init(_ trace: Trace, _ options: TimelineOptions) {
    self.trace = trace
    self.options = options
    titles = QueueTitles(trace)
    // The two take about the same time, and do not depend on each other.
    (timeline, findings) = SideBySide.both(
      { Timeline(trace, options: options) }, { Diagnosis(of: trace, by: options.rules).findings })
    threadWaits = options.includesArguments && !timeline.counts.leavesOutTimes ? ThreadWaits(trace) : ThreadWaits()
    counters = CounterValues(timeline, trace, options.selection)
    counters.addMemory(of: trace, options.selection)
    place.origin = timeline.origin
  }
}

/// How a format writes the content: one call per event.
protocol TimelineEvents {
  /// Whether the ends of arrows are events of their own. If not, ``arrow(_:leaves:)`` is never called.
  static var drawsArrowsApart: Bool { get }

  init(_ content: TimelineContent, _ writer: ByteWriter)
  /// Writes what precedes the first event: groups and tracks.
  mutating func begin()
  /// Writes an execution, by its index in ``Timeline/executions``.
  mutating func execution(_ index: Int)
  mutating func wait(_ wait: Timeline.Wait)
  mutating func detail(_ detail: Timeline.Detail)
  /// Writes one end of an arrow, by its index in ``Timeline/arrows``.
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
  /// Merges the tables in the order of time. At the same time, slices come first, then arrows that leave, then those
  /// that arrive.
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
      // A full disk ends the work soon, without a check after every event.
      if steps & 0xFFF == 0 { try events.check() }
    }
  }
}
