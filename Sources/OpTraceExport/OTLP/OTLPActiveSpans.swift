import OpTraceModel

/// Which of the spans that the program named was open where something happened: the innermost one of that thread.
///
/// A span that ends on another thread than it began on, as around an `await`, is nobody's surroundings: what else runs on that
/// thread meanwhile is not a part of it.
struct OTLPActiveSpans {
  private struct Open {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// Its place in the trace.
    var span: Int32
    /// The place here of the one that it is inside of; -1: none.
    var enclosing: Int32 = -1
  }

  /// By begin; of two that begin together the one that ends later comes first, as it holds the other.
  private var threads: [ThreadID: [Open]] = [:]
  /// By place of the span: the one that it is inside of, in the same operation; -1: none.
  private(set) var around: [Int32]

  /// O(n log n).
  init(_ trace: Trace) {
    around = [Int32](repeating: -1, count: trace.spans.count)
    for (place, span) in trace.spans.enumerated() where span.ended?.thread ?? span.began.thread == span.began.thread {
      let ended = max(span.began.time, span.ended?.time ?? trace.end)
      threads[span.began.thread, default: []].append(
        Open(began: span.began.time, ended: ended, span: Int32(clamping: place)))
    }
    for thread in threads.keys { threads[thread] = Self.nested(threads[thread] ?? []) }
    for list in threads.values {
      for open in list where open.enclosing >= 0 {
        let outer = list[Int(open.enclosing)].span
        // One around an operation that runs in it is not a part of that operation.
        guard trace.spans[Int(outer)].operation == trace.spans[Int(open.span)].operation else { continue }
        around[Int(open.span)] = outer
      }
    }
  }

  private static func nested(_ list: [Open]) -> [Open] {
    var list = list
    list.sort { ($0.began, $1.ended, $0.span) < ($1.began, $0.ended, $1.span) }
    var open: [Int32] = []
    for place in list.indices {
      while let last = open.last,
        list[Int(last)].ended < list[place].ended || list[Int(last)].ended <= list[place].began
      {
        open.removeLast()
      }
      list[place].enclosing = open.last ?? -1
      open.append(Int32(place))
    }
    return list
  }

  /// The place of the innermost span at a moment of a thread; nil: there is none. O(log n), and one for each that encloses it.
  func innermost(at stamp: Stamp) -> Int? {
    guard let list = threads[stamp.thread] else { return nil }
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].began <= stamp.time { low = middle + 1 } else { high = middle }
    }
    var place = low - 1
    while place >= 0, list[place].ended < stamp.time { place = Int(list[place].enclosing) }
    return place >= 0 ? Int(list[place].span) : nil
  }
}
