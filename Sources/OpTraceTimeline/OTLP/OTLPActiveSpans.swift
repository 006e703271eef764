import OpTraceAnalysis
import OpTraceModel

/// Which of the spans that the program named was open where something happened: the innermost one of that thread.
///
/// A span that ends on another thread than it began on, as around an `await`, is nobody's surroundings: what else runs on that
/// thread meanwhile is not a part of it.
struct OTLPActiveSpans {
  /// By their places in the trace.
  private let open: NestedRuns<Int>
  /// By place of the span: the one that it is inside of, in the same operation; -1: none.
  let around: [Int32]

  /// O(n log n).
  init(_ trace: Trace) {
    open = NestedRuns { add in
      for (place, span) in trace.spans.enumerated() where span.ended?.thread ?? span.began.thread == span.began.thread {
        add(place, span.began.thread, span.began.time, span.ended?.time ?? trace.end)
      }
    }
    var around = [Int32](repeating: -1, count: trace.spans.count)
    open.forEachEnclosed { inner, outer in
      // One around an operation that runs in it is not a part of that operation.
      if trace.spans[outer].operation == trace.spans[inner].operation { around[inner] = Int32(clamping: outer) }
    }
    self.around = around
  }

  /// The place of the innermost span at a moment of a thread; nil: there is none. O(log n), and one for each that encloses it.
  func innermost(at stamp: Stamp) -> Int? { open.innermost(at: stamp) }
}
