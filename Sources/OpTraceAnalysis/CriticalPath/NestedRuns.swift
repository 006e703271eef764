package import OpTraceModel

/// What ran when on which thread, where one may be inside of another: who was innermost at some time.
package struct NestedRuns<Value: Sendable>: Sendable {
  private struct Run {
    var began: Nanoseconds
    var ended: Nanoseconds
    var value: Value
    /// The place of the run inside of which it is; -1: none.
    var enclosing: Int32 = -1
  }

  /// By begin; of two that begin together the one that ends later comes first, as it holds the other, then that which was told first.
  private var runs: [ThreadID: [Run]] = [:]

  /// O(n log n) for n runs, in whatever order.
  package init(_ tell: ((Value, ThreadID, _ began: Nanoseconds, _ ended: Nanoseconds) -> Void) -> Void) {
    var runs: [ThreadID: [Run]] = [:]
    tell { value, thread, began, ended in
      runs[thread, default: []].append(Run(began: began, ended: max(began, ended), value: value))
    }
    self.runs = runs.mapValues(Self.nested)
  }

  private static func nested(_ runs: [Run]) -> [Run] {
    let order = runs.indices.sorted { (runs[$0].began, runs[$1].ended, $0) < (runs[$1].began, runs[$0].ended, $1) }
    var runs = order.map { runs[$0] }
    var open: [Int32] = []
    for place in runs.indices {
      while let last = open.last,
        runs[Int(last)].ended < runs[place].ended || runs[Int(last)].ended <= runs[place].began
      {
        open.removeLast()
      }
      runs[place].enclosing = open.last ?? -1
      open.append(Int32(place))
    }
    return runs
  }

  /// The innermost one; nil: none. O(log n), and one for each run that it is inside of.
  package func innermost(at stamp: Stamp) -> Value? {
    guard let runs = runs[stamp.thread] else { return nil }
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].began <= stamp.time { low = middle + 1 } else { high = middle }
    }
    var place = low - 1
    while place >= 0, runs[place].ended < stamp.time { place = Int(runs[place].enclosing) }
    return place < 0 ? nil : runs[place].value
  }

  /// Each that is inside of another, with the innermost of those, in no order.
  package func forEachEnclosed(_ visit: (_ inner: Value, _ outer: Value) -> Void) {
    for runs in runs.values {
      for run in runs where run.enclosing >= 0 { visit(run.value, runs[Int(run.enclosing)].value) }
    }
  }
}
