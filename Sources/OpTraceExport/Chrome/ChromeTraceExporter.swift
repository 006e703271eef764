import OpTraceAnalysis
public import OpTraceModel

/// Writes a trace as Chrome Trace Event JSON, which Perfetto, `chrome://tracing`, speedscope and the Firefox Profiler load.
///
/// One event per line in the array form, in the order of time. Times are microseconds with three decimals, from the
/// trace's start on; the wall clock of the start is an argument of the first instant. Ids of processes and threads
/// are small numbers in the order of display; the system's ids stand in the names.
///
/// The JSON is not built in memory: events of different sorts come from tables sorted by time and are merged while they
/// are written.
public struct ChromeTraceExporter: Sendable {
  private let trace: Trace
  private let options: TimelineOptions

  public init(_ trace: Trace, options: TimelineOptions = TimelineOptions()) {
    self.trace = trace
    self.options = options
  }

  /// Time O(n log n), memory about 100 bytes per operation. Throws what `sink` throws.
  @discardableResult
  public func write(to sink: @escaping ByteSink) throws -> TimelineCounts {
    // The two take about as long, and need nothing of each other.
    let (timeline, findings) = both({ Timeline(trace, options: options) }, { Diagnosis(of: trace).findings })
    let writer = ByteWriter(sink)
    var instants = InstantStream(trace, findings, options.selection)
    let counters = CounterValues(timeline, trace, options.selection)
    var events = ChromeEvents(
      trace: trace, timeline: timeline, findings: findings, thinned: counters.thinnedOut, options: options,
      writer: writer)
    var counts = timeline.counts
    counts.thinnedCounterValues = counters.thinnedOut

    writer.text("[\n")
    events.metadata()
    let arrivals = timeline.arrows.indices.sorted {
      (timeline.arrows[$0].arrives, $0) < (timeline.arrows[$1].arrives, $1)
    }
    var execution = 0
    var wait = 0
    var detail = 0
    var leaving = 0
    var arriving = 0
    var counter = 0
    var steps = 0
    while true {
      // At one time: slices first, then arrows that leave, then those that arrive.
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
      if leaving < timeline.arrows.count { offer(timeline.arrows[leaving].leaves, 3) }
      if arriving < arrivals.count { offer(timeline.arrows[arrivals[arriving]].arrives, 4) }
      if counter < counters.values.count { offer(counters.values[counter].time, 5) }
      offer(instants.next, 6)
      switch source {
      case 0:
        events.execution(timeline.executions[execution])
        execution += 1
      case 1:
        events.wait(timeline.waits[wait])
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
        writer.text("\n]\n")
        try writer.finish()
        return counts
      }
      steps += 1
      // A full disk ends the work soon, without a test after every event.
      if steps & 0xFFF == 0 { try writer.check() }
    }
  }
}

/// Moments in the order of time: marks of the program, what was done to queues, what the doctor found.
struct InstantStream {
  enum Instant {
    case start
    case mark(Int)
    case queue(Int, Int)
    case finding(Int)
  }

  private var instants: [(time: Nanoseconds, instant: Instant)] = []
  private var place = 0

  init(_ trace: Trace, _ findings: [Finding], _ selection: TimelineSelection) {
    for (index, mark) in trace.marks.enumerated() { instants.append((mark.at.time, .mark(index))) }
    for (queue, record) in trace.queues.enumerated() where selection.queues?.contains(record.id) ?? true {
      for (index, change) in record.changes.enumerated() {
        if case .limit = change.kind { continue }
        instants.append((change.time, .queue(queue, index)))
      }
    }
    // At what shows it last.
    for (index, finding) in findings.enumerated() {
      instants.append((finding.evidence.compactMap(\.time).max() ?? trace.end, .finding(index)))
    }
    instants.removeAll { !selection.contains($0.time) }
    instants.append((0, .start))
    instants.sort { $0.time < $1.time }
  }

  var next: Nanoseconds { place < instants.count ? instants[place].time : .max }

  mutating func take() -> Instant {
    defer { place += 1 }
    return instants[place].instant
  }
}
