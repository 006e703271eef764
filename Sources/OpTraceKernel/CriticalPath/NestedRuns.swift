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

  /// Sorted by begin. Of runs that begin together, the enclosing one, which ends later, comes first; then the one
  /// recorded first.
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

  /// The value of the innermost run; nil: there is none. O(log n + depth).
  package func innermost(at stamp: Stamp) -> Value? {
    guard let runs = runs[stamp.thread], let index = innermost(of: runs, at: stamp.time) else { return nil }
    return runs[index].value
  }

  /// The values of all runs at this moment, the innermost first. O(log n + depth).
  package func all(at stamp: Stamp) -> [Value] {
    guard let runs = runs[stamp.thread] else { return [] }
    var values: [Value] = []
    var next = innermost(of: runs, at: stamp.time)
    while let index = next {
      values.append(runs[index].value)
      next = runs[index].enclosing < 0 ? nil : Int(runs[index].enclosing)
    }
    return values
  }

  private func innermost(of runs: [Run], at time: Nanoseconds) -> Int? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].began <= time { low = middle + 1 } else { high = middle }
    }
    var index = low - 1
    while index >= 0, runs[index].ended < time { index = Int(runs[index].enclosing) }
    return index < 0 ? nil : index
  }

  /// Visits each nested run with the run that encloses it, in no particular order.
  package func forEachEnclosed(_ visit: (_ inner: Value, _ outer: Value) -> Void) {
    for runs in runs.values {
      for run in runs where run.enclosing >= 0 { visit(run.value, runs[Int(run.enclosing)].value) }
    }
  }
}

/// Finds the work whose code ran on a thread at a time.
package struct ThreadRuns {
  private let runs: NestedRuns<WorkID>

  /// O(n log n) for n runs.
  init(_ trace: Trace) {
    runs = NestedRuns { add in
      Self.forEachRun(in: trace) { work, run, ended in add(work, run.thread, run.began, ended) }
    }
  }

  /// Visits every run of all work, with the time by which it was over. O(runs).
  package static func forEachRun(in trace: Trace, _ visit: (WorkID, WorkRun, _ ended: Nanoseconds) -> Void) {
    for index in trace.operations.indices {
      guard let began = trace.operations[index].began else { continue }
      let operation = trace.operations[index]
      let returned = operation.executionEnded ?? operation.startReturned ?? operation.finished
      let run = WorkRun(thread: began.thread, began: began.time, ended: returned?.time)
      visit(operation.id, run, run.ended ?? trace.end)
    }
    for block in trace.blocks {
      for run in block.runs { visit(block.id, run, run.ended ?? block.over ?? trace.end) }
    }
    for task in trace.tasks {
      let last = task.over ?? trace.end
      for (index, run) in task.runs.enumerated() {
        let next = index + 1 < task.runs.count ? task.runs[index + 1].began : last
        visit(task.id, run, run.ended ?? max(run.began, next))
      }
    }
  }

  /// The innermost work in the trace; nil: none. O(log n + depth).
  func innermost(at stamp: Stamp) -> WorkID? { runs.innermost(at: stamp) }
}

/// Which operation's code added each operation to its queue, directly or through blocks and tasks that it submitted.
package struct Adders {
  /// For each operation the index of the operation that added it; -1: none, or not known.
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
      // Only in damaged traces can this fail: code does not run before its operation was added.
      guard trace.operations[adder].enqueued?.time ?? .min <= enqueued.time else { continue }
      ofOperations[index] = Int32(clamping: adder)
    }
  }
}
