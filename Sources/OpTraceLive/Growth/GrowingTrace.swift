import Foundation
package import OpTraceModel

/// A trace that a program writes, as it is at any moment; each time only what is new of it is read.
package struct GrowingTrace {
  package struct Moment {
    package var trace: Trace
    /// Nothing follows.
    package var isOver = false
    /// It is no continuation of the moment before: the file was replaced, or too much of a ring was gone through.
    package var isAnew = false
  }

  private let path: String
  private var reader: LiveReader
  private var builder: TraceBuilder
  /// Operations when the reading began.
  private var first: Int?
  private var isAnew = true

  /// Throws where there is no trace that can grow: what is packed or a text does not.
  package init(path: String) throws(TraceError) {
    self.path = path
    reader = try LiveReader(path: path)
    builder = TraceBuilder(growing: reader.header)
  }

  package var header: TraceHeader { reader.header }

  /// O(what there is), of which what is new is read.
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
      // What the ring has lost is kept here, but not for ever.
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
