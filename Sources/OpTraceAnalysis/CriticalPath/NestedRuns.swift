package import OpTraceModel

/// Nested runs on threads: finds the innermost one at a time.
package struct NestedRuns<Value: Sendable>: Sendable {
  private struct Run {
    var began: Nanoseconds
    var ended: Nanoseconds
    var value: Value
    /// The index of the enclosing run; -1: none.
    var enclosing: Int32 = -1
  }

  /// By begin; of two that begin together the one that ends later comes first, because it encloses the other; then the one recorded first.
  private var runs: [ThreadID: [Run]] = [:]

  /// O(n log n) for n runs, in whatever order.
  package init(_ forEachRun: ((Value, ThreadID, _ began: Nanoseconds, _ ended: Nanoseconds) -> Void) -> Void) {
    var runs: [ThreadID: [Run]] = [:]
    forEachRun { value, thread, began, ended in
      runs[thread, default: []].append(Run(began: began, ended: max(began, ended), value: value))
    }
    self.runs = runs.mapValues(Self.nested)
  }

  private static func nested(_ runs: [Run]) -> [Run] {
    let order = runs.indices.sorted { (runs[$0].began, runs[$1].ended, $0) < (runs[$1].began, runs[$0].ended, $1) }
    var runs = order.map { runs[$0] }
    var open: [Int32] = []
    for index in runs.indices {
      while let last = open.last,
        runs[Int(last)].ended < runs[index].ended || runs[Int(last)].ended <= runs[index].began
      {
        open.removeLast()
      }
      runs[index].enclosing = open.last ?? -1
      open.append(Int32(index))
    }
    return runs
  }

  /// The innermost one; nil: none. O(log n + depth).
  package func innermost(at stamp: Stamp) -> Value? {
    guard let runs = runs[stamp.thread] else { return nil }
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].began <= stamp.time { low = middle + 1 } else { high = middle }
    }
    var index = low - 1
    while index >= 0, runs[index].ended < stamp.time { index = Int(runs[index].enclosing) }
    return index < 0 ? nil : runs[index].value
  }

  /// Each nested run with the run that encloses it, in no order.
  package func forEachEnclosed(_ visit: (_ inner: Value, _ outer: Value) -> Void) {
    for runs in runs.values {
      for run in runs where run.enclosing >= 0 { visit(run.value, runs[Int(run.enclosing)].value) }
    }
  }
}

/// Whose code ran on a thread at a time.
struct ThreadRuns {
  private let runs: NestedRuns<WorkID>

  /// O(n log n) for n runs.
  init(_ trace: Trace) {
    runs = NestedRuns { add in
      for index in trace.operations.indices {
        guard let began = trace.operations[index].began else { continue }
        let operation = trace.operations[index]
        let returned = operation.executionEnded ?? operation.startReturned ?? operation.finished
        add(operation.id, began.thread, began.time, returned?.time ?? trace.end)
      }
      for block in trace.blocks {
        for run in block.runs { add(block.id, run.thread, run.began, run.ended ?? trace.end) }
      }
      for task in trace.tasks {
        for run in task.runs { add(task.id, run.thread, run.began, run.ended ?? trace.end) }
      }
    }
  }

  /// The innermost one in the trace; nil: none. O(log n + depth).
  func innermost(at stamp: Stamp) -> WorkID? { runs.innermost(at: stamp) }
}

/// Which operation's code added each operation to its queue, directly or through blocks and tasks that it submitted.
package struct Adders {
  /// By index of the operation; -1: none, or not known.
  package private(set) var ofOperations: [Int32]

  /// O(n log n).
  package init(_ trace: Trace) {
    ofOperations = [Int32](repeating: -1, count: trace.operations.count)
    let runs = ThreadRuns(trace)
    var submitters = Submitters(trace) { trace.index(of: $0) != nil }
    for index in trace.operations.indices {
      guard let enqueued = trace.operations[index].enqueued, let work = runs.innermost(at: enqueued),
        let operation = trace.index(of: work) != nil ? work : submitters.nearest(of: work),
        let adder = trace.index(of: operation), adder != index
      else { continue }
      // Only for damaged traces: code does not run before its operation was added.
      guard trace.operations[adder].enqueued?.time ?? .min <= enqueued.time else { continue }
      ofOperations[index] = Int32(clamping: adder)
    }
  }
}
