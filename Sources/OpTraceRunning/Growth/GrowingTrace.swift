import Foundation
package import OpTraceModel

/// A trace that a program is writing, at any moment; each time only new records are read.
package struct GrowingTrace {
  package struct Moment {
    package var trace: Trace
    /// Whether nothing more will come.
    package var isOver = false
    /// Whether it does not continue the moment before: the file was replaced, or too many chunks of a ring were reused.
    package var isAnew = false
  }

  private let path: String
  private var reader: LiveReader
  private var builder: TraceBuilder
  /// The number of operations when reading began.
  private var first: Int?
  private var isAnew = true

  /// Throws if there is no trace that can grow: packed traces and texts do not.
  package init(path: String) throws(TraceError) {
    self.path = path
    reader = try LiveReader(path: path)
    builder = TraceBuilder(growing: reader.header)
  }

  package var header: TraceHeader { reader.header }

  /// The trace at this moment. O(size of the trace), but reads only what is new.
  package mutating func now() throws(TraceError) -> Moment {
    var news: LiveReader.News
    var isOver = false
    repeat {
      isOver = !LiveProcess.writes(reader.header)
      news = reader.poll(isOver: isOver)
      if news.state == .cut || news.state == .replaced {
        try begin()
        news.hasMore = true
        continue
      }
      builder.add(news)
    } while news.hasMore
    var trace = builder.snapshot()
    if let first, trace.header.mode == .flightRecorder, trace.operations.count > 2 * first + 20_000 {
      // Records that the ring has overwritten are kept here, but not for ever.
      try begin()
      trace = try now().trace
    }
    if first == nil { first = trace.operations.count }
    defer { isAnew = false }
    return Moment(trace: trace, isOver: isOver || news.state == .closed, isAnew: isAnew)
  }

  private mutating func begin() throws(TraceError) {
    reader = try LiveReader(path: path)
    builder = TraceBuilder(growing: reader.header)
    (first, isAnew) = (nil, true)
  }
}
