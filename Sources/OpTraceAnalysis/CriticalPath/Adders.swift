package import OpTraceModel

/// Which operation's code gave each operation to its queue: itself, or through blocks and tasks that it submitted.
package struct Adders {
  /// By place of the operation; -1: the code of none, or not known.
  package private(set) var ofOperations: [Int32]

  /// O(n log n).
  package init(_ trace: Trace) {
    ofOperations = [Int32](repeating: -1, count: trace.operations.count)
    let runs = ThreadRuns(trace)
    var submitters = Submitters(trace) { trace.index(of: $0) != nil }
    for place in trace.operations.indices {
      guard let enqueued = trace.operations[place].enqueued, let work = runs.innermost(at: enqueued),
        let operation = trace.index(of: work) != nil ? work : submitters.nearest(of: work),
        let adder = trace.index(of: operation), adder != place
      else { continue }
      // Only against what a damaged trace tells: code does not run before its operation was added.
      guard trace.operations[adder].enqueued?.time ?? .min <= enqueued.time else { continue }
      ofOperations[place] = Int32(clamping: adder)
    }
  }
}
