import OpTraceModel

/// Whose code ran on a thread at some time.
struct ThreadRuns {
  private let runs: NestedRuns<WorkID>

  /// O(n log n) for n runs.
  init(_ trace: Trace) {
    runs = NestedRuns { add in
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
    }
  }

  /// The innermost one; nil: none that the trace has. O(log n), and one for each run that it is inside of.
  func innermost(at stamp: Stamp) -> WorkID? { runs.innermost(at: stamp) }
}
