package import OpTraceModel

/// Finds for each work the nearest of some others among its submitters, their submitters, and so on.
package struct Submitters {
  private let trace: Trace
  private let isWanted: (WorkID) -> Bool
  /// The known answers, by the work's index in the trace.
  private var known: [Answer]

  private enum Answer {
    case unknown, none
    case work(WorkID)
  }

  package init(_ trace: Trace, isWanted: @escaping (WorkID) -> Bool) {
    self.trace = trace
    self.isWanted = isWanted
    known = Array(repeating: .unknown, count: trace.workCount)
  }

  /// The nearest one; nil: none. Amortised O(log n) for each work of the trace.
  package mutating func nearest(of work: WorkID) -> WorkID? {
    var way: [Int] = []
    var at = trace.workIndex(of: work)
    var found = Answer.none
    while let index = at {
      guard case .unknown = known[index] else {
        found = known[index]
        break
      }
      // Guards against a cycle in a damaged trace.
      known[index] = .none
      way.append(index)
      guard let submitter = trace.anySubmitter(ofWorkAt: index) else { break }
      if isWanted(submitter) {
        found = .work(submitter)
        break
      }
      at = trace.workIndex(of: submitter)
    }
    for step in way { known[step] = found }
    guard case .work(let id) = found else { return nil }
    return id
  }
}

extension Trace {
  /// The work whose code submitted this operation, block or task; nil: none.
  package func submitter(of work: WorkID) -> WorkID? { workIndex(of: work).flatMap(anySubmitter(ofWorkAt:)) }

  fileprivate func anySubmitter(ofWorkAt index: Int) -> WorkID? {
    if case .operation(let row) = row(ofWorkAt: index) {
      operations[row].enqueuedBy
    } else {
      submitter(ofWorkAt: index)
    }
  }

  /// When and on which thread work was submitted.
  package func submission(of work: WorkID) -> Stamp? {
    block(work)?.submitted ?? task(work)?.submitted ?? operation(work)?.enqueued
  }
}

/// The blocks and tasks that operations submitted, through any number of hops.
package struct SubmittedWork: Sendable {
  package struct Of: Sendable {
    package var count = 0
    /// Submitted work that is not over, ordered by id.
    package var open: [WorkID] = []
    /// The submitted work that ended last.
    package var last: (id: WorkID, over: Nanoseconds)?
  }

  private var byOperation: [OperationID: Of] = [:]

  /// O(blocks + tasks), with a logarithm.
  package init(_ trace: Trace) {
    guard !trace.operations.isEmpty, !trace.blocks.isEmpty || !trace.tasks.isEmpty else { return }
    var operations = Submitters(trace) { trace.index(of: $0) != nil }
    func note(_ id: WorkID, _ over: Nanoseconds?) {
      guard let operation = operations.nearest(of: id) else { return }
      byOperation[operation, default: Of()].count += 1
      guard let over else {
        byOperation[operation]?.open.append(id)
        return
      }
      if over >= byOperation[operation]?.last?.over ?? .min { byOperation[operation]?.last = (id, over) }
    }
    for block in trace.blocks { note(block.id, block.over) }
    for task in trace.tasks { note(task.id, task.over) }
  }

  /// What an operation submitted; nil: nothing.
  package subscript(_ operation: OperationID) -> Of? { byOperation[operation] }
}
