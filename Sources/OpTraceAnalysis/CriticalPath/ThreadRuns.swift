import OpTraceModel

/// Whose code ran on a thread at some time.
struct ThreadRuns {
  private struct Run {
    var began: Nanoseconds
    var ended: Nanoseconds
    var work: WorkID
    /// The place of the run inside of which it is; -1: none.
    var enclosing: Int32 = -1
  }

  /// By begin.
  private var runs: [ThreadID: [Run]] = [:]

  /// O(n log n) for n runs.
  init(_ trace: Trace) {
    for place in trace.operations.indices {
      guard let began = trace.operations[place].began else { continue }
      let operation = trace.operations[place]
      let returned = operation.executionEnded ?? operation.startReturned ?? operation.finished
      add(operation.id, began.thread, began.time, returned?.time ?? trace.end)
    }
    for block in trace.blocks {
      for run in block.runs { add(block.id, run.thread, run.began, run.ended ?? trace.end) }
    }
    for task in trace.tasks {
      for run in task.runs { add(task.id, run.thread, run.began, run.ended ?? trace.end) }
    }
    for thread in runs.keys { runs[thread] = Self.nested(runs[thread] ?? []) }
  }

  private mutating func add(_ work: WorkID, _ thread: ThreadID, _ began: Nanoseconds, _ ended: Nanoseconds) {
    runs[thread, default: []].append(Run(began: began, ended: max(began, ended), work: work))
  }

  private static func nested(_ runs: [Run]) -> [Run] {
    var runs = runs
    runs.sort { ($0.began, $1.ended) < ($1.began, $0.ended) }
    var open: [Int32] = []
    for place in runs.indices {
      while let last = open.last, runs[Int(last)].ended < runs[place].began { open.removeLast() }
      runs[place].enclosing = open.last ?? -1
      open.append(Int32(place))
    }
    return runs
  }

  /// The innermost one; nil: none that the trace has. O(log n), and one for each run that it is inside of.
  func innermost(at stamp: Stamp) -> WorkID? {
    guard let runs = runs[stamp.thread] else { return nil }
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].began <= stamp.time { low = middle + 1 } else { high = middle }
    }
    var place = low - 1
    while place >= 0, runs[place].ended < stamp.time { place = Int(runs[place].enclosing) }
    return place < 0 ? nil : runs[place].work
  }
}
