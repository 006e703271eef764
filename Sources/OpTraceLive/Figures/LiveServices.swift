import OpTraceKernel
package import OpTraceModel
package import OpTraceRequests

/// What a service did in the last seconds, as a trace of everything that was not over when they began. Memory is
/// bounded by what happens in these seconds, and by the work that goes on.
struct LiveServices {
  private var builder: TraceBuilder
  /// How many pieces of a long task are kept, however slow it is: enough to see where it idles between its rounds.
  private static let pieces = 32

  /// - Parameter builder: knows everything that is not over yet.
  init(after builder: TraceBuilder) { self.builder = builder }

  /// O(new events + size of the state).
  mutating func take(_ news: LiveReader.News) {
    builder.add(news)
    guard let last = news.events.last?.time else { return }
    builder.forget(finishedBefore: last - LiveWindow.length, keeping: Self.pieces)
  }

  /// O(size of the state).
  func trace(completeSince: Nanoseconds?, carried: [WorkID]) -> Trace {
    builder.snapshot(completeSince: completeSince, carried: carried)
  }
}

extension LiveStatus {
  /// Requests, event loops and actors in the last ten seconds.
  package struct Services: Sendable, Equatable {
    /// Units of work of one kind.
    package struct Request: Sendable, Equatable {
      package var figures: RequestFigures
      /// What takes most of the time of the slowest hundredth; nil: not known.
      package var mostly: String?
    }

    /// Sorted: the program's own code first, then kinds with many units, then those with the most time.
    package var requests: [Request] = []
    /// The busiest first.
    package var loops: [LoopFigures] = []
    /// Actors that tasks waited for, the longest waits first.
    package var actors: [ActorFigures] = []

    /// No services.
    package init() {}

    /// - Parameters:
    ///   - trace: with names for its code. Work that was over before the window may be missing.
    ///   - end: the window's end.
    ///   - complete: records before this time are incomplete, and are not counted; nil: all are complete.
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
  /// Whether it may contain services.
  package var tellsOfServices: Bool {
    !blocks.isEmpty || !tasks.isEmpty || !loops.isEmpty || spans.contains { $0.context != nil }
  }
}
