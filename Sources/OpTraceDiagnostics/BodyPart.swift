import OpTraceModel

/// The part of a trace that is a body's: what its threads have enqueued, started or waited for; what operations of it have
/// enqueued; and what is tied to these by a dependency, a wait, or a queue that they share. Of the main queue, which
/// everybody shares, only the body's own operations.
///
/// So tests that run at the same time, in one trace, know nothing of each other. O(n log n).
struct BodyPart {
  /// The same trace without all that is others'.
  private(set) var trace: Trace
  private var groups: Groups
  private let indexes: [QueueID: Int]

  /// - Parameters:
  ///   - threads: the system's numbers of the body's threads.
  ///   - since: when it began; what a thread of the same number did before was another's.
  init(of trace: Trace, threads: Set<UInt32>, since: Nanoseconds) {
    self.trace = trace
    let own = Set(trace.threads.filter { threads.contains($0.systemID) }.map(\.id))
    indexes = Dictionary(trace.queues.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    groups = Groups(count: trace.operations.count + trace.queues.count + 1)
    joinNeighbours()
    joinMakers(own, since)
    joinWaits(own, since)
    keep(own)
  }

  // Members of groups: operations, then queues, then the body.
  private func member(_ id: OperationID) -> Int? { trace.index(of: id) }
  private func member(_ id: QueueID) -> Int? {
    indexes[id].flatMap { trace.queues[$0].isMain ? nil : trace.operations.count + $0 }
  }
  private var body: Int { trace.operations.count + trace.queues.count }

  private mutating func joinNeighbours() {
    for (index, operation) in trace.operations.enumerated() {
      if let queue = operation.queue.flatMap({ member($0) }) { groups.join(index, queue) }
      for dependency in operation.dependencies {
        if let other = member(dependency.on) { groups.join(index, other) }
      }
    }
  }

  /// Who enqueued an operation, or started it by hand: the body's thread, or what was executing on the thread.
  private mutating func joinMakers(_ own: Set<ThreadID>, _ since: Nanoseconds) {
    let executions = Executions(trace)
    for (index, operation) in trace.operations.enumerated() {
      guard let made = operation.enqueued ?? operation.started else { continue }
      if own.contains(made.thread), made.time >= since {
        groups.join(index, body)
      } else if let maker = executions.operation(at: made, besides: index) {
        groups.join(index, maker)
      }
    }
  }

  private mutating func joinWaits(_ own: Set<ThreadID>, _ since: Nanoseconds) {
    for wait in trace.waits {
      let isOwn = own.contains(wait.thread) && wait.began >= since
      guard let waiter = wait.inside.flatMap({ member($0) }) ?? (isOwn ? body : nil) else { continue }
      switch wait.target {
      case .operation(let id): if let target = member(id) { groups.join(waiter, target) }
      case .queue(let id): if let target = member(id) { groups.join(waiter, target) }
      case .object: break
      }
    }
  }

  private mutating func keep(_ own: Set<ThreadID>) {
    let root = groups.root(body)
    var kept = Set(own.map(TraceOwner.thread))
    for thread in trace.threads where thread.isMain { kept.insert(.thread(thread.id)) }
    for (index, operation) in trace.operations.enumerated() where groups.root(index) == root {
      kept.insert(.operation(operation.id))
      if let queue = operation.queue { kept.insert(.queue(queue)) }
    }
    trace.keep(kept.contains)
  }
}

/// Disjoint sets of numbers.
private struct Groups {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func root(_ member: Int) -> Int {
    var member = member
    while parents[member] != member {
      parents[member] = parents[parents[member]]
      member = parents[member]
    }
    return member
  }

  mutating func join(_ one: Int, _ other: Int) { parents[root(one)] = root(other) }
}
