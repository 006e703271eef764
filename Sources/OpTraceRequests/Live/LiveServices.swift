package import OpTraceLive
package import OpTraceModel
import OpTraceText

extension SectionSet {
  /// Requests, event loops and actors.
  package static let services = SectionSet([LiveServices.self])
}

/// Requests, event loops and actors in the last ten seconds.
package struct LiveServices: LiveSection, Equatable {
  /// Units of work of one kind.
  package struct Request: Sendable, Equatable {
    package var figures: RequestFigures
    /// What the slowest hundredth loses most time to; nil: not known.
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

  /// - Complexity: O(n log n) for n pieces of work, suspensions and samples.
  package init(of trace: Trace, within window: ClosedRange<Nanoseconds>) {
    let found = Requests(of: trace, within: window, depth: .blame)
    let seconds = max(Double(window.upperBound - window.lowerBound) / 1e9, 0.05)
    requests = found.kinds.map { kind in
      var figures = kind.figures
      figures.perSecond = (Double(kind.count) / seconds * 1000).rounded() / 1000
      return Request(figures: figures, mostly: found.short(of: kind))
    }
    loops = found.loopFigures.sorted { ($1.busy, $0.thread) < ($0.busy, $1.thread) }
    actors = found.actorFigures
  }

  package static func isConcerned(by events: TraceEvents) -> Bool { events.tellOfServices }

  package static func isConcerned(by trace: Trace) -> Bool {
    !trace.blocks.isEmpty || !trace.tasks.isEmpty || !trace.loops.isEmpty || trace.spans.contains { $0.context != nil }
  }

  package var isEmpty: Bool { requests.isEmpty && loops.isEmpty && actors.isEmpty }
}
