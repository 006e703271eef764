package import OpTraceAnalysis
package import OpTraceModel

/// What a service did in the last seconds: all that was not over when they began, as a trace. Memory is bounded by what happens in them,
/// and by what goes on.
struct LiveServices {
  private var builder: TraceBuilder
  /// So much of a task that goes on stays, however slowly: enough to see where it idles between its rounds.
  private static let pieces = 32

  /// `builder` knows all that is not over by now.
  init(after builder: TraceBuilder) { self.builder = builder }

  /// O(new events + what there is).
  mutating func take(_ news: LiveReader.News) {
    builder.add(news)
    guard let last = news.events.last?.time else { return }
    builder.forget(finishedBefore: last - LiveWindow.length, keeping: Self.pieces)
  }

  /// O(what there is).
  func trace(completeSince: Nanoseconds?, carried: [WorkID]) -> Trace {
    builder.snapshot(completeSince: completeSince, carried: carried)
  }
}

extension LiveStatus {
  /// What services are made of, in the last ten seconds.
  package struct Services: Sendable, Equatable {
    /// Units of work of one kind.
    package struct Request: Sendable, Equatable {
      package var figures: RequestFigures
      /// What takes most of the time of the slowest hundredth; nil: not known.
      package var mostly: String?
    }

    /// Own code first, then those of which there are many, then the most time.
    package var requests: [Request] = []
    /// The busiest first.
    package var loops: [LoopFigures] = []
    /// Those that were waited for, longest first.
    package var actors: [ActorFigures] = []

    /// Nothing.
    package init() {}

    /// - Parameters:
    ///   - trace: with names for its code. What was over before the window may be missing.
    ///   - end: the window's end.
    ///   - complete: what was before this time is not whole, and counts for nothing; nil: all is.
    /// - Complexity: O(n log n) for n pieces of work, suspensions and samples.
    package init(of trace: Trace, until end: Nanoseconds, completeSince complete: Nanoseconds? = nil) {
      let begin = min(end, max(end - LiveWindow.length, complete ?? 0, 0))
      let found = Requests(of: trace, within: begin...end, isBrief: true)
      let seconds = max(Double(end - begin) / 1e9, 0.05)
      requests = found.kinds.map { kind in
        var figures = kind.figures
        figures.perSecond = (Double(kind.count) / seconds * 1000).rounded() / 1000
        return Request(figures: figures, mostly: found.mostOfTail(kind).map(found.short))
      }
      loops = found.loopFigures.sorted { ($1.busy, $0.thread) < ($0.busy, $1.thread) }
      actors = found.actorFigures
    }
  }
}

extension Trace {
  /// Whether there may be services in it.
  package var tellsOfServices: Bool {
    !blocks.isEmpty || !tasks.isEmpty || !loops.isEmpty || spans.contains { $0.context != nil }
  }
}
