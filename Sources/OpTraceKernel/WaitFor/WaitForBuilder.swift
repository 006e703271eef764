import OpTraceFormat
import OpTraceModel

/// Makes the nodes and edges of a ``WaitForGraph``.
struct WaitForBuilder {
  typealias Node = WaitForGraph.Node

  let trace: Trace
  private(set) var nodes: [Node] = []
  private(set) var edges: [WaitForGraph.Edge] = []
  /// Nodes of operations by their index in the trace.
  private(set) var operations = OperationNodes(count: 0)
  var slotNeeds: [Int: Int] = [:]
  /// Nodes of blocks and tasks by their numbers.
  var submitted: [WorkID: Int] = [:]
  /// Nodes of blocks that run, by their queues.
  var running: [DispatchQueueID: [Int]] = [:]
  private var others: [Node: Int] = [:]
  private var queueIndexes: [QueueID: Int] = [:]
  private var queues: [QueueState] = []
  private(set) var mainThread: ThreadID?

  private struct QueueState {
    var limit: Int
    var isSuspended: Bool
    var isMain: Bool
    /// The nodes of the operations that hold its slots.
    var holders: [Int] = []
    var members: [Int] = []
    var hasBarrier = false
    /// When it was stopped with a free slot, and by which thread. An operation that was ready then is on its way to a
    /// thread, and still starts.
    var stoppedFree: Stamp?

    init(_ queue: QueueRecord) {
      limit = queue.limit
      isSuspended = queue.isSuspended
      isMain = queue.isMain
    }
  }

  init(_ trace: Trace) {
    self.trace = trace
    operations = OperationNodes(count: trace.operations.count)
  }

  mutating func run() {
    mainThread = trace.threads.first { $0.isMain }?.id
    queues = trace.queues.map { QueueState($0) }
    for (index, queue) in trace.queues.enumerated() { queueIndexes[queue.id] = index }
    findStops()
    for index in trace.operations.indices where Self.isOpen(trace.operations[index]) { addOperation(index) }
    for node in nodes.indices {
      if case .operation(let index) = nodes[node] { addNeeds(of: node, trace.operations[index]) }
    }
    for queue in queues.indices where queues[queue].hasBarrier { addBarriers(of: queue) }
    addSubmitted()
    addWaits()
    addSubmissions()
    addEnders()
    addGates()
  }

  /// Whether the operation is known to be unfinished.
  private static func isOpen(_ operation: OperationRecord) -> Bool {
    operation.finished == nil && operation.released == nil && operation.isOutcomeKnown
      && operation.coverage != .external
  }

  /// Adds a node for work that is known to be unfinished.
  mutating func add(_ kind: Node, _ id: WorkID) {
    submitted[id] = nodes.count
    nodes.append(kind)
  }

  /// The node of an operation, block or task; nil: it is finished, or its end is not known.
  func node(of work: WorkID) -> Int? { submitted[work] ?? trace.index(of: work).flatMap { operations[$0] } }

  private mutating func addOperation(_ index: Int) {
    let operation = trace.operations[index]
    let node = nodes.count
    nodes.append(.operation(index))
    operations[index] = node
    guard let queue = operation.queue.flatMap({ queueIndexes[$0] }) else { return }
    queues[queue].members.append(node)
    if operation.isStarted { queues[queue].holders.append(node) }
    if operation.isBarrier { queues[queue].hasBarrier = true }
  }

  mutating func node(_ kind: Node) -> Int {
    if let known = others[kind] { return known }
    others[kind] = nodes.count
    nodes.append(kind)
    return nodes.count - 1
  }

  mutating func connect(_ from: Int, _ to: Int, _ reason: WaitForGraph.Reason) {
    edges.append(.init(from: from, to: to, reason: reason))
  }

  /// Adds what prevents the start of an operation that has not started.
  private mutating func addNeeds(of node: Int, _ operation: OperationRecord) {
    guard !operation.isStarted else { return }
    // Cancelling drops the dependencies.
    if operation.cancelRequested == nil {
      for dependency in operation.dependencies where dependency.removed == nil {
        guard let other = trace.index(of: dependency.on).flatMap({ operations[$0] }) else { continue }
        connect(node, other, .dependency)
      }
    }
    guard let queue = operation.queue.flatMap({ queueIndexes[$0] }) else {
      guard operation.coverage == .full, operation.enqueued == nil, case .operation(let index) = nodes[node] else {
        return
      }
      return connect(node, self.node(.neverEnqueued(index)), .root)
    }
    let state = queues[queue]
    if let stopped = state.stoppedFree, let runnable = Self.runnable(operation) {
      // The order of events on one thread is certain.
      let isOneThread = operation.enqueued?.thread == stopped.thread
      if runnable < stopped.time.saturating(isOneThread ? 0 : TraceBuilder.tolerance) { return }
    }
    // The main queue ignores both suspension and limit 0.
    if state.isSuspended, !state.isMain { connect(node, self.node(.suspension(queue: queue)), .root) }
    if state.limit == 0, !state.isMain { connect(node, self.node(.noSlots(queue: queue)), .root) }
    if state.isMain, let mainThread {
      connect(node, self.node(.thread(mainThread)), .mainThread)
      // The main queue has no slots: what runs on the main thread makes the others wait.
      guard state.holders.contains(where: isAsynchronous) else { return }
    }
    if state.limit > 0, state.holders.count >= state.limit {
      connect(node, self.node(.slots(queue: queue)), .slot)
    }
  }

  /// When the operation became ready.
  private static func runnable(_ operation: OperationRecord) -> Nanoseconds? {
    guard let enqueued = operation.enqueued, let ready = operation.ready ?? operation.cancelRequested else {
      return nil
    }
    return max(enqueued.time, ready.time)
  }

  /// Finds when queues were stopped. A queue that is suspended, or gets the limit 0, does not take back what it has
  /// already given to the thread pool, which may have no free thread for a long time. If there is such a queue, this
  /// takes one more pass over the operations.
  private mutating func findStops() {
    var stops: [Int: (at: Stamp, limit: Int, executing: Int)] = [:]
    for (index, queue) in trace.queues.enumerated() where queue.isSuspended || queue.limit == 0 {
      let kind: QueueRecord.ChangeKind = queue.isSuspended ? .suspended : .limit(0)
      guard let stop = queue.changes.lastIndex(where: { $0.kind == kind }) else { continue }
      var before = queue
      before.changes = Array(queue.changes[..<stop])
      if !before.isSuspended {
        stops[index] = (Stamp(queue.changes[stop].time, queue.changes[stop].thread), before.limit, 0)
      }
    }
    guard !stops.isEmpty else { return }
    for operation in trace.operations {
      guard let started = operation.started, let queue = operation.queue.flatMap({ queueIndexes[$0] }),
        let stop = stops[queue], max(started.time, operation.finished?.time ?? .max) > stop.at.time
      else { continue }
      // An operation that started later had its slot already.
      stops[queue]?.executing += 1
    }
    for (queue, stop) in stops where stop.limit < 0 || stop.executing < stop.limit {
      queues[queue].stoppedFree = stop.at
    }
  }

  private func isAsynchronous(_ node: Int) -> Bool {
    if case .operation(let index) = nodes[node] { return trace.operations[index].isAsynchronous }
    return false
  }

  /// A barrier waits for everything enqueued before it, and everything enqueued later waits for the barrier.
  private mutating func addBarriers(of queue: Int) {
    func record(_ node: Int) -> OperationRecord? {
      if case .operation(let index) = nodes[node] { return trace.operations[index] }
      return nil
    }
    let order = queues[queue].members.compactMap { node in record(node).map { (node, $0) } }
      .sorted { ($0.1.enqueued?.time ?? 0, $0.1.id) < ($1.1.enqueued?.time ?? 0, $1.1.id) }
    var barrier: Int?
    var earlier: Int?
    for (member, operation) in order {
      if !operation.isStarted, operation.cancelRequested == nil {
        if operation.isBarrier {
          if let earlier { connect(member, earlier, .barrier) }
        } else if let barrier {
          connect(member, barrier, .barrier)
        }
      }
      if operation.isBarrier { barrier = member }
      let next = node(.earlier(member))
      connect(next, member, .barrier)
      if let earlier { connect(next, earlier, .barrier) }
      earlier = next
    }
  }

  private mutating func addWaits() {
    let open = trace.waits.indices.filter { trace.waits[$0].ended == nil }
    let seenThreads = SeenThreads(trace)
    let sleepers = seenThreads.heldUp
    guard !open.isEmpty || !sleepers.isEmpty else { return }
    // Include everything on the stack of a waiting thread, such as an operation that another one runs by hand.
    let threads = Set(open.map { trace.waits[$0].thread }).union(sleepers.map(\.thread))
      .union(sleepers.compactMap(\.heldBy))
    var executing: [ThreadID: [Int]] = [:]
    for node in nodes.indices {
      for thread in Set(self.threads(of: node)) where threads.contains(thread) {
        executing[thread, default: []].append(node)
      }
    }
    var holders: [ThreadID: Int] = [:]
    for owner in sleepers.compactMap(\.heldBy) where holders[owner] == nil && seenThreads[owner] != nil {
      holders[owner] = holder(owner, executing[owner] ?? [])
    }
    func standsAlone(_ thread: ThreadID) -> Bool {
      thread == mainThread || (executing[thread] ?? []).isEmpty || holders[thread].map { nodes[$0] } == .thread(thread)
    }
    for index in open {
      let wait = trace.waits[index]
      guard let target = target(of: wait) else { continue }
      var waiting = Set(executing[wait.thread] ?? [])
      if let inside = wait.inside.flatMap({ node(of: $0) }) { waiting.insert(inside) }
      for node in waiting.sorted() { connect(node, target, .wait(index)) }
      if waiting.isEmpty || wait.thread == mainThread || holders[wait.thread].map({ nodes[$0] }) == .thread(wait.thread)
      {
        connect(node(.thread(wait.thread)), target, .wait(index))
      }
    }
    var known = Set<UInt64>()
    for seen in sleepers {
      guard let (target, reason) = obstacle(of: seen, holders, &known) else { continue }
      for node in executing[seen.thread] ?? [] { connect(node, target, reason) }
      if standsAlone(seen.thread) { connect(node(.thread(seen.thread)), target, reason) }
    }
  }

  /// What has to continue so that a thread unlocks what it holds: the operation that it executes, else the thread
  /// itself. An operation that executes on several threads may be stuck on another one.
  private mutating func holder(_ thread: ThreadID, _ executing: [Int]) -> Int {
    func began(_ node: Int) -> Nanoseconds? {
      guard Set(threads(of: node)) == [thread] else { return nil }
      switch nodes[node] {
      case .operation(let index):
        return trace.operations[index].started?.time ?? trace.operations[index].executionBegan?.time ?? .min
      case .block(let index): return trace.blocks[index].began?.time
      case .task(let index): return trace.tasks[index].runs.last?.began
      default: return nil
      }
    }
    let innermost = executing.compactMap { node in began(node).map { (node, $0) } }.max { $0.1 < $1.1 }
    return innermost?.0 ?? node(.thread(thread))
  }

  /// What a thread waits for; nil: the holder may continue, or has moved since.
  private mutating func obstacle(
    of seen: SeenThread, _ holders: [ThreadID: Int], _ known: inout Set<UInt64>
  ) -> (Int, WaitForGraph.Reason)? {
    if seen.reason == .join {
      // A thread that is no longer there has ended.
      return seen.heldBy.flatMap { holders[$0] }.map { ($0, .join(seen.thread)) }
    }
    guard let lock = seen.lock else { return nil }
    guard let owner = seen.heldBy else { return (node(.abandonedLock(lock)), .lock(seen.thread)) }
    guard let holder = holders[owner] else { return nil }
    let target = node(.lock(lock))
    if known.insert(lock).inserted { connect(target, holder, .holder(owner)) }
    return (target, .lock(seen.thread))
  }

  /// The threads that have the code of this node's work on their stacks.
  func threads(of node: Int) -> [ThreadID] {
    switch nodes[node] {
    case .operation(let index): Self.threads(of: trace.operations[index])
    case .block(let index): trace.blocks[index].began.map { [$0.thread] } ?? []
    case .task(let index): trace.tasks[index].runs.last.flatMap { $0.ended == nil ? [$0.thread] : nil } ?? []
    default: []
    }
  }

  /// The threads that have the code of this operation on their stacks.
  private static func threads(of operation: OperationRecord) -> [ThreadID] {
    var threads: [ThreadID] = []
    // Where its start was not seen, its code may be on any thread, or on none.
    if let started = operation.started, operation.startReturned == nil, !operation.isAsynchronous {
      threads.append(started.thread)
    }
    for block in operation.blocks where block.ended == nil { threads.append(block.thread) }
    return threads
  }

  /// The node that ends a wait; nil: it is not in the trace, or the end has come.
  private mutating func target(of wait: WaitRecord) -> Int? {
    switch wait.target {
    case .operation(let id): return trace.index(of: id).flatMap { operations[$0] }
    case .queue(let id):
      guard let queue = queueIndexes[id], !queues[queue].members.isEmpty else { return nil }
      return node(.emptiness(queue: queue))
    case .object(let id):
      guard let object = trace.object(id), object.kind == .queue, object.name == Self.mainQueueLabel, let mainThread,
        wait.thread != mainThread
      else { return nil }
      return node(.thread(mainThread))
    }
  }

  /// libdispatch's name for the queue of the main thread.
  static let mainQueueLabel = "com.apple.main-thread"

  private mutating func addGates() {
    for node in nodes.indices {
      switch nodes[node] {
      case .slots(let queue):
        for holder in queues[queue].holders { connect(node, holder, .slot) }
        slotNeeds[node] = queues[queue].holders.count - queues[queue].limit + 1
      case .emptiness(let queue):
        for member in queues[queue].members { connect(node, member, .member) }
      default: break
      }
    }
  }
}

/// The node of each operation, by its index in the trace.
struct OperationNodes: Sendable {
  private var numbers: [Int32]

  init(count: Int) { numbers = [Int32](repeating: -1, count: count) }

  subscript(index: Int) -> Int? {
    get { numbers[index] < 0 ? nil : Int(numbers[index]) }
    set { numbers[index] = newValue.map { Int32(clamping: $0) } ?? -1 }
  }
}
