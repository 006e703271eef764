public import OpTraceModel

/// Where the critical path of a trace ends.
struct PathEnd {
  /// The work that takes the last step, and until when; nil: there is none.
  private(set) var last: PathWalker.Point?
  /// The indexes of the operations that still have to run after it, in order.
  private(set) var behind: [Int] = []

  /// O(n + e) for n works and e dependencies.
  init(_ trace: Trace) {
    if trace.operations.isEmpty { last = Self.lastOfOthers(trace) } else { findOperation(trace) }
  }

  private mutating func findOperation(_ trace: Trace) {
    let operations = trace.operations
    func point(_ index: Int) -> PathWalker.Point {
      (operations[index].id, operations[index].finished?.time ?? trace.end)
    }
    let moving = operations.indices.filter {
      operations[$0].finished == nil && operations[$0].isOutcomeKnown
        && [.executing, .ready].contains(operations[$0].state)
    }
    if moving.isEmpty {
      let finished = operations.indices.filter { operations[$0].finished != nil }
      last = finished.max { (point($0).until, $0) < (point($1).until, $1) }.map(point)
      return
    }
    // Find the longest chain behind each operation. Dependents come later in topological order, so go backwards.
    let graph = DependencyGraph.blocking(in: trace)
    let sequence = graph.topologicalOrder()
    // An operation that waits for a cycle, or for one that was never enqueued, will never run.
    var willRun = [Bool](repeating: false, count: operations.count)
    for node in sequence {
      let operation = operations[node]
      willRun[node] =
        (operation.enqueued != nil || operation.state == .executing)
        && graph.dependencies(of: node).allSatisfy { willRun[$0] }
    }
    var length = [Int](repeating: 0, count: operations.count)
    var next = [Int?](repeating: nil, count: operations.count)
    for node in sequence.reversed() {
      for waiter in graph.dependents(of: node) where willRun[waiter] && length[waiter] >= length[node] {
        length[node] = length[waiter] + 1
        next[node] = waiter
      }
    }
    func rank(_ index: Int) -> (Int, Int, Nanoseconds, Int) {
      let operation = operations[index]
      return (length[index], operation.state == .executing ? 1 : 0, -(operation.begin ?? .max), -index)
    }
    let first = moving.max { rank($0) < rank($1) }
    last = first.map(point)
    var node = first
    while let here = node, let after = next[here] {
      behind.append(after)
      node = after
    }
  }

  /// The main task, or other work without a submitter that still moves; else any work that moves; else the work that ended last.
  private static func lastOfOthers(_ trace: Trace) -> PathWalker.Point? {
    var best: (rank: (Int, Nanoseconds), point: PathWalker.Point)?
    func consider(_ work: some Work, isMoving: Bool) {
      guard let until = isMoving ? trace.end : work.over else { return }
      let began = work.began?.time ?? work.submitted?.time ?? until
      let rank = isMoving ? (work.submitter == nil ? 2 : 1, began) : (0, until)
      if let best, best.rank >= rank { return }
      best = (rank, (work.id, until))
    }
    for block in trace.blocks {
      consider(block, isMoving: block.over == nil && (block.began != nil || block.runnable != nil))
    }
    for task in trace.tasks {
      consider(task, isMoving: task.over == nil && task.suspension == nil && (task.began ?? task.enqueued) != nil)
    }
    return best?.point
  }
}

extension Trace {
  /// From the first enqueueing or start of an operation to the last finish, or to the trace's end while one that was
  /// enqueued or started is unfinished (and not merely seen in part). Without such operations, from the first submission
  /// of a block or a task to the last end. Nil without any. O(operations + blocks + tasks).
  public var activity: ClosedRange<Nanoseconds>? {
    var first = Nanoseconds.max
    var last = Nanoseconds.min
    // Access operations by index: copying one costs more than reading it.
    for index in operations.indices {
      guard let began = operations[index].begin else { continue }
      first = min(first, began)
      last = max(last, began, operations[index].finished?.time ?? (operations[index].isOutcomeKnown ? end : began))
    }
    func add(_ work: some Work) {
      guard let submitted = work.submitted?.time ?? work.began?.time else { return }
      first = min(first, submitted)
      last = max(last, submitted, work.over ?? end)
    }
    if first > last {
      for block in blocks { add(block) }
      for task in tasks { add(task) }
    }
    return first <= last ? first...last : nil
  }
}

extension OperationRecord {
  /// When it was first enqueued, started or ran.
  var begin: Nanoseconds? {
    var first = enqueued?.time
    if let time = started?.time, time < first ?? .max { first = time }
    if let time = executionBegan?.time, time < first ?? .max { first = time }
    return first
  }
}
