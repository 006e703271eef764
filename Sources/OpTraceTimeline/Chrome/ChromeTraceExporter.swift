public import OpTraceModel
public import OpTraceText

/// Writes a trace as Chrome Trace Event JSON, which Perfetto, `chrome://tracing`, speedscope and the Firefox Profiler load.
///
/// One event per line in the array form, in the order of time. Times are microseconds with three decimals, from the
/// trace's start on; the wall clock of the start is an argument of the first instant. Ids of processes and threads
/// are small numbers in the order of display; the system's ids stand in the names.
///
/// The JSON is not built in memory: events of different sorts come from tables sorted by time and are merged while they
/// are written.
public struct ChromeTraceExporter: TimelineExporter {
  private let trace: Trace
  private let options: TimelineOptions

  /// A timeline of this trace. O(1): the work is done when it is written.
  public init(_ trace: Trace, options: TimelineOptions = TimelineOptions()) {
    self.trace = trace
    self.options = options
  }

  /// Time O(n log n), memory about 100 bytes per operation. Throws what `sink` throws.
  @discardableResult
  public func write(to sink: ByteSink) throws -> TimelineCounts {
    try ChromeEvents.write(trace, options, to: sink)
  }
}
