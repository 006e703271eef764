import OpTraceKernel
package import OpTraceModel

/// What is known of a program that is being watched: all unfinished work, and figures of the last ten seconds. Finished
/// work is forgotten, so memory is bounded by the work that the program still has to do.
package struct LiveState {
  private var builder: TraceBuilder
  private let shown: SectionSet
  /// Nil: nothing that sections show has happened so far.
  private var recent: RecentWork?
  private var windows: [QueueID: LiveWindow] = [:]
  private var gone = GoneQueues()
  private var certainty = LiveCertainty()
  /// Everything up to this time on the trace's clock is known.
  private var knownUntil: Nanoseconds = 0
  /// Whether it is a ring that has wrapped around.
  private var isOverwritten = false
  /// How many chunks of a ring were missed since this state began.
  private(set) package var missedChunks = 0

  /// An empty state.
  /// - Parameter sections: what is shown besides queues and what they run.
  package init(_ header: TraceHeader, showing sections: SectionSet = SectionSet([])) {
    builder = TraceBuilder(growing: header, forgets: true)
    shown = sections
  }

  /// Takes new events. O(new events + unfinished work).
  ///
  /// - Parameter asked: when they were asked for, on the trace's clock.
  package mutating func take(_ news: LiveReader.News, asked: Nanoseconds = 0) {
    if recent == nil, shown.areConcerned(by: news.events) { recent = RecentWork(after: builder) }
    recent?.take(news)
    builder.add(news)
    knownUntil = max(knownUntil, asked, news.events.last?.time ?? 0)
    missedChunks = news.missedChunks
    isOverwritten = news.events.loss.overwrittenBytes > 0
    certainty.take(news, lostUntil: builder.lostUntil)
    let begin = (news.events.last?.time ?? 0) - LiveWindow.length
    builder.forget(finishedBefore: .max) { operation in
      if let queue = operation.queue { windows[queue, default: LiveWindow()].note(operation, since: begin) }
    } queue: { queue in
      if let window = windows.removeValue(forKey: queue.id) { gone.add(queue, window) }
    }
  }

  /// The unfinished work as a trace, for the doctor. Work that may have lost its end to a ring does not count as open,
  /// as in a trace that is read as a whole.
  package func trace() -> Trace {
    builder.snapshot(completeSince: completeSince, carried: Array(certainty.carried.keys))
  }

  private var completeSince: Nanoseconds? { isOverwritten ? certainty.incompleteUntil : nil }

  /// What sections show of the last seconds before `now`, on the trace's clock. `name` adds the names of the program's
  /// code. O(n log n) for what happened in these seconds and unfinished work.
  package func sections(now: Nanoseconds, name: (inout Trace) -> Void = { _ in }) -> [any LiveSection] {
    guard let recent else { return shown.empty }
    var trace = recent.trace(completeSince: completeSince, carried: Array(certainty.carried.keys))
    name(&trace)
    return shown.sections(of: trace, until: min(now, knownUntil), completeSince: certainty.incompleteUntil)
  }

  /// The status that a trace of this state shows. `now` is the present, on the trace's clock. O(unfinished work).
  package mutating func status(of trace: Trace, now: Nanoseconds) -> LiveStatus {
    certainty.keep(trace.operations)
    let queues = Set(trace.queues.lazy.map(\.id))
    windows = windows.filter { queues.contains($0.key) }
    let end = min(now, knownUntil)
    gone.forget(end)
    return LiveStatus(of: trace, now: now, knownUntil: end, windows: windows, gone: gone, certainty)
  }

  /// Begins a new state from the ring's content, but continues the figures of the last seconds. If a reader came too
  /// late for parts of a ring, its old state would keep for ever what ended in them.
  package mutating func begin(anew header: TraceHeader) {
    builder = TraceBuilder(growing: header, forgets: true)
    recent = nil
    certainty = LiveCertainty()
    windows = [:]
    gone = GoneQueues()
  }
}

extension LiveStatus {
  /// The state at the end of a trace that was read as a whole and lacks records.
  package init(of trace: Trace, now: Nanoseconds, certainty: LiveCertainty) {
    self.init(of: trace, now: now, knownUntil: now, windows: [:], certainty)
  }
}
