import OpTraceKernel
package import OpTraceModel

/// What a program did in the last seconds, as a trace of everything that was not over when they began. Memory is
/// bounded by what happens in these seconds, and by the work that goes on.
struct RecentWork {
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

extension SectionSet {
  /// What all show of the last seconds of a trace.
  ///
  /// - Parameters:
  ///   - trace: with names for its code. Work that was over before the window may be missing.
  ///   - end: the window's end.
  ///   - complete: records before this time are incomplete, and are not counted; nil: all are complete.
  package func sections(
    of trace: Trace, until end: Nanoseconds, completeSince complete: Nanoseconds? = nil
  ) -> [any LiveSection] {
    sections(of: trace, within: min(end, max(end - LiveWindow.length, complete ?? 0, 0))...end)
  }
}
