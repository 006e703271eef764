public import OpTraceModel

/// The chain of operations that decided when the run was over: shorten one of its steps, and the end moves.
///
/// It runs through dependencies *and* slots: an operation that was ready but had to wait until another one of its full
/// queue was finished has that other one before it. Barriers count as slots.
///
/// **Algorithm.** Walk back from the operation that ended last. What held an operation up last is, in this order: the
/// operation whose end gave it its slot, if it waited for one and its queue was full (or one of the two is a barrier);
/// else the dependency that finished last, if that was after the enqueueing; else nothing, and the path begins there.
/// Where operations are unfinished, the walk begins at one that executes or waits for its slot, the one with the longest
/// chain of waiting operations behind it (that chain is ``remaining``); where nothing moves, at the last that finished.
///
/// **Complexity.** O(n log n + e) for n operations and e dependencies, all in sorting the slots' ends; a step costs
/// O(log n) plus its dependencies.
public struct CriticalPath: Sendable, Equatable {
  /// What an operation on the path waited for last.
  public enum Cause: Sendable, Hashable {
    /// Nothing that the trace knows of: the path's first step.
    case start
    /// This operation had to finish first.
    case dependency(OperationID)
    /// The end of this operation gave it its slot.
    case slot(OperationID)
  }

  /// One operation's part of the path. A step begins where the one before ended, so steps tile the path's time without
  /// gap or overlap; the three times add up to the step's duration. All times are on the trace's clock.
  public struct Step: Sendable, Hashable {
    /// Who takes this step.
    public var operation: OperationID
    /// What it waited for last, before it could run.
    public var cause: Cause
    /// Where the step before ended; of the first step, the enqueueing or the start. Nanoseconds on the trace's clock.
    public var began: Nanoseconds
    /// The finish; the trace's end for an operation that is not over.
    public var ended: Nanoseconds
    /// From `began` until nothing stood in the way but the queue's limit.
    public var waitingForDependencies: Nanoseconds
    /// From then until its own code began. Time in which another operation of the path held the slot is that one's.
    public var waitingForSlot: Nanoseconds
    /// From the beginning of its own code until `ended`, in nanoseconds.
    public var running: Nanoseconds

    /// From `began` to `ended`, in nanoseconds.
    public var duration: Nanoseconds { ended - began }
  }

  /// In the order of time.
  public private(set) var steps: [Step] = []
  /// Operations that are still to run behind the last step, in order: the longest such chain.
  public private(set) var remaining: [OperationID] = []
  /// The time that ``total`` is compared with: ``OpTraceModel/Trace/activity``.
  public private(set) var wall: Nanoseconds = 0

  /// The steps' running time: the classic length of a critical path.
  public var total: Nanoseconds { steps.reduce(0) { $0 + $1.running } }
  /// The sum over all steps, in nanoseconds.
  public var waitingForDependencies: Nanoseconds { steps.reduce(0) { $0 + $1.waitingForDependencies } }
  /// The sum over all steps, in nanoseconds.
  public var waitingForSlot: Nanoseconds { steps.reduce(0) { $0 + $1.waitingForSlot } }
  /// From the first step's begin to the last one's end, waits included.
  public var span: Nanoseconds { (steps.last?.ended ?? 0) - (steps.first?.began ?? 0) }
  /// ``total`` as a part of ``wall``, 0 to 1. The rest went into waits between the steps, and before and after them.
  public var share: Double { wall > 0 ? Double(total) / Double(wall) : 0 }
  /// The operations of the path, those still to run included.
  public var operations: [OperationID] { steps.map(\.operation) + remaining }

  /// Finds the path. Without operations that were enqueued or started it has no steps. O(n log n + e).
  public init(of trace: Trace) {
    wall = trace.activity.map { $0.upperBound - $0.lowerBound } ?? 0
    var walker = Walker(trace)
    let (last, behind) = walker.lastStep()
    remaining = behind.map { trace.operations[$0].id }
    if let last { steps = walker.walk(back: last) }
  }
}

extension Trace {
  /// From the first enqueueing or start of an operation to the last finish, or to the trace's end while one that was
  /// enqueued or started is unfinished (and not merely seen in part). Nil without such operations.
  public var activity: ClosedRange<Nanoseconds>? {
    var first = Nanoseconds.max
    var last = Nanoseconds.min
    // By place: a copy of an operation costs more than the look at it.
    for place in operations.indices {
      guard let began = operations[place].begin else { continue }
      first = min(first, began)
      last = max(last, began, operations[place].finished?.time ?? (operations[place].isOutcomeKnown ? end : began))
    }
    return first <= last ? first...last : nil
  }
}

extension OperationRecord {
  /// When it first concerned a queue or a thread.
  var begin: Nanoseconds? {
    var first = enqueued?.time
    if let time = started?.time, time < first ?? .max { first = time }
    if let time = executionBegan?.time, time < first ?? .max { first = time }
    return first
  }
}

/// Finds the path of one trace.
private struct Walker {
  let trace: Trace
  private var placesOfQueue: [QueueID: [Int32]] = [:]
  private var releases: [QueueID: SlotReleases] = [:]

  init(_ trace: Trace) {
    self.trace = trace
    for place in trace.operations.indices {
      if let queue = trace.operations[place].queue { placesOfQueue[queue, default: []].append(Int32(place)) }
    }
  }

  /// Where the path ends, and what is still to run behind it.
  func lastStep() -> (last: Int?, behind: [Int]) {
    let operations = trace.operations
    let moving = operations.indices.filter {
      operations[$0].finished == nil && operations[$0].isOutcomeKnown
        && [.executing, .ready].contains(operations[$0].state)
    }
    if moving.isEmpty {
      let finished = operations.indices.filter { operations[$0].finished != nil }
      return (finished.max { order($0) < order($1) }, [])
    }
    // The longest chain behind each: dependents come later in topological order, so go through it backwards.
    let graph = DependencyGraph.blocking(in: trace)
    let sequence = graph.topologicalOrder()
    // What waits for a cycle, or for an operation that nobody enqueued, will never run.
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
    func rank(_ place: Int) -> (Int, Int, Nanoseconds, Int) {
      let operation = operations[place]
      return (length[place], operation.state == .executing ? 1 : 0, -(operation.begin ?? .max), -place)
    }
    let last = moving.max { rank($0) < rank($1) }
    var behind: [Int] = []
    var node = last
    while let here = node, let after = next[here] {
      behind.append(after)
      node = after
    }
    return (last, behind)
  }

  private func order(_ place: Int) -> (Nanoseconds, Int) {
    (trace.operations[place].finished?.time ?? trace.end, place)
  }

  mutating func walk(back last: Int) -> [CriticalPath.Step] {
    var steps: [CriticalPath.Step] = []
    // Operations of no duration can name each other as causes: each is on the path once.
    var visited = Set<Int>()
    var place: Int? = last
    while let here = place, visited.insert(here).inserted {
      var (step, before) = step(of: here)
      if let found = before, visited.contains(found) {
        step.cause = .start
        before = nil
      }
      steps.append(step)
      place = before
    }
    // A step ends where the next one begins, also where stamps of two threads disagree a little.
    for number in steps.indices.dropFirst() { steps[number].cut(at: steps[number - 1].began) }
    return steps.reversed()
  }

  private mutating func step(of place: Int) -> (CriticalPath.Step, before: Int?) {
    let operation = trace.operations[place]
    let begin = operation.begin ?? operation.finished?.time ?? trace.end
    let end = max(operation.finished?.time ?? trace.end, begin)
    let ran = (operation.executionBegan ?? (operation.finished == nil ? operation.started : nil))?.time
    // Its own code began; for one that never ran: it was over.
    let over = min(max(ran ?? end, begin), end)

    var runnable = min(max(operation.runnable ?? over, begin), over)
    let dependency = lastDependency(of: operation, from: begin, to: over)
    if let dependency { runnable = max(runnable, dependency.finished) }

    var cause = CriticalPath.Cause.start
    var before: Int?
    var began = begin
    if let opening = opening(for: place, from: dependency?.finished ?? begin, runnable: runnable, upTo: over) {
      cause = .slot(trace.operations[opening.place].id)
      began = opening.time
      before = opening.place
    } else if let dependency {
      cause = .dependency(trace.operations[dependency.place].id)
      began = dependency.finished
      before = dependency.place
    }
    let step = CriticalPath.Step(
      operation: operation.id, cause: cause, began: began, ended: end,
      waitingForDependencies: max(0, runnable - began), waitingForSlot: over - max(began, runnable),
      running: end - over)
    return (step, before)
  }

  /// The dependency that finished last while the operation was held up; one that finished before `from` held up nothing.
  private func lastDependency(
    of operation: OperationRecord, from: Nanoseconds, to: Nanoseconds
  ) -> (place: Int, finished: Nanoseconds)? {
    var last: (place: Int, finished: Nanoseconds)?
    for dependency in operation.dependencies where dependency.isInForce(for: operation) {
      guard let place = trace.index(of: dependency.on),
        let finished = trace.operations[place].finished?.time, finished >= from, finished <= to
      else { continue }
      if let known = last, (known.finished, -known.place) >= (finished, -place) { continue }
      last = (place, finished)
    }
    return last
  }

  private mutating func opening(
    for place: Int, from: Nanoseconds, runnable: Nanoseconds, upTo: Nanoseconds
  ) -> (place: Int, time: Nanoseconds)? {
    guard let queue = trace.operations[place].queue, from < upTo else { return nil }
    if releases[queue] == nil {
      releases[queue] = SlotReleases(
        placesOfQueue.removeValue(forKey: queue) ?? [], of: trace, queue: trace.queue(queue))
    }
    return releases[queue]?.opening(for: place, in: trace, from: from, runnable: runnable, upTo: upTo)
  }
}

extension CriticalPath.Step {
  /// Takes what lies after `time` away, from the last of the three times on.
  fileprivate mutating func cut(at time: Nanoseconds) {
    var excess = max(0, ended - max(time, began))
    ended -= excess
    for part in [\Self.running, \.waitingForSlot, \.waitingForDependencies] {
      let taken = min(excess, self[keyPath: part])
      self[keyPath: part] -= taken
      excess -= taken
    }
  }
}
