import OpTraceModel

/// For each work, which of some is the nearest among its submitters, their submitters, and so on.
struct Submitters {
  private let trace: Trace
  private let isWanted: (WorkID) -> Bool
  private var known: [WorkID: WorkID?] = [:]

  init(_ trace: Trace, isWanted: @escaping (WorkID) -> Bool) {
    self.trace = trace
    self.isWanted = isWanted
  }

  /// Nil: none. Amortised O(log n) for each work of the trace.
  mutating func nearest(of work: WorkID) -> WorkID? {
    var way: [WorkID] = []
    var at = work
    var found: WorkID?
    while true {
      if let answer = known[at] {
        found = answer
        break
      }
      // Against a cycle in a damaged trace.
      known[at] = .some(nil)
      way.append(at)
      guard let submitter = trace.submitter(of: at) else { break }
      if isWanted(submitter) {
        found = submitter
        break
      }
      at = submitter
    }
    for step in way { known[step] = .some(found) }
    return found
  }
}

extension Trace {
  /// The work whose code submitted it: an operation to a queue, a block, a task; nil: none.
  func submitter(of work: WorkID) -> WorkID? {
    guard let index = workIndex(of: work) else { return nil }
    return kind(ofWorkAt: index) == .operation ? operations[index].enqueuedBy : submitter(ofWorkAt: index)
  }

  /// When and on which thread work was submitted.
  func submission(of work: WorkID) -> Stamp? {
    block(work)?.submitted ?? task(work)?.submitted ?? operation(work)?.enqueued
  }
}

/// What operations submitted, through any number of hops: blocks and tasks.
struct SubmittedWork: Sendable {
  struct Of: Sendable {
    var count = 0
    /// Those that are not over, in the order of their numbers.
    var open: [WorkID] = []
    /// The one that was over last.
    var last: (id: WorkID, over: Nanoseconds)?
  }

  private var byOperation: [OperationID: Of] = [:]

  /// O(blocks + tasks), with a logarithm.
  init(_ trace: Trace) {
    guard !trace.blocks.isEmpty || !trace.tasks.isEmpty else { return }
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

  /// Nil: nothing.
  subscript(_ operation: OperationID) -> Of? { byOperation[operation] }
}
