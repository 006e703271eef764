import OpTraceAnalysis
package import OpTraceModel

/// What is known of a program that is being watched: all that is not over, and the last ten seconds as figures. What is over is
/// forgotten, so memory is bounded by what the program itself still has to do.
package struct LiveState {
  private var builder: TraceBuilder
  /// Nil: there has been nothing of services so far.
  private var services: LiveServices?
  private var windows: [QueueID: LiveWindow] = [:]
  private var gone = GoneQueues()
  private var certainty = LiveCertainty()
  /// All that happened until then is known, on the trace's clock.
  private var knownUntil: Nanoseconds = 0
  /// It is a ring that has turned.
  private var isOverwritten = false
  /// Chunks of a ring that were missed since this state was begun.
  private(set) package var missedChunks = 0

  /// Nothing is known yet.
  package init(_ header: TraceHeader) { builder = TraceBuilder(growing: header, forgets: true) }

  /// O(new events + what is not over). `asked`: when they were asked for, on the trace's clock.
  package mutating func take(_ news: LiveReader.News, asked: Nanoseconds = 0) {
    if services == nil, news.events.tellOfServices { services = LiveServices(after: builder) }
    services?.take(news)
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

  /// The unfinished work as a trace, for the doctor. What may have lost its end to a ring is not open there, as in a trace that is read as a
  /// whole.
  package func trace() -> Trace {
    builder.snapshot(completeSince: completeSince, carried: Array(certainty.carried.keys))
  }

  private var completeSince: Nanoseconds? { isOverwritten ? certainty.incompleteUntil : nil }

  /// What services did in the last seconds before `now`, on the trace's clock. `name`: gives their code its names. O(n log n) for what
  /// happened in these seconds and what is not over.
  package func services(now: Nanoseconds, name: (inout Trace) -> Void = { _ in }) -> LiveStatus.Services {
    guard let services else { return LiveStatus.Services() }
    var trace = services.trace(completeSince: completeSince, carried: Array(certainty.carried.keys))
    name(&trace)
    return LiveStatus.Services(of: trace, until: min(now, knownUntil), completeSince: certainty.incompleteUntil)
  }

  /// What a trace of this state shows. `now`: the present, on the trace's clock. O(what is not over).
  package mutating func status(of trace: Trace, now: Nanoseconds) -> LiveStatus {
    certainty.keep(trace.operations)
    let queues = Set(trace.queues.lazy.map(\.id))
    windows = windows.filter { queues.contains($0.key) }
    let end = min(now, knownUntil)
    gone.forget(end)
    return LiveStatus(of: trace, now: now, knownUntil: end, windows: windows, gone: gone, certainty)
  }

  /// The figures of the last seconds continue when a new state begins from the ring's content: a reader that came too late for parts of it
  /// would keep what ended there for good.
  package mutating func begin(anew header: TraceHeader) {
    builder = TraceBuilder(growing: header, forgets: true)
    services = nil
    certainty = LiveCertainty()
    windows = [:]
    gone = GoneQueues()
  }
}

extension LiveStatus {
  /// The end of a trace that was read as a whole, where records are missing.
  package init(of trace: Trace, now: Nanoseconds, certainty: LiveCertainty) {
    self.init(of: trace, now: now, knownUntil: now, windows: [:], certainty)
  }
}
