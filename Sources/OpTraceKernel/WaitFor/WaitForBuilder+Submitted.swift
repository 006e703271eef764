import OpTraceFormat
import OpTraceModel

/// Adds blocks of dispatch queues and tasks, and what each of them waits for.
extension WaitForBuilder {
  /// Adds their nodes and edges. O(blocks + tasks + depth of targets).
  mutating func addSubmitted() {
    for index in trace.blocks.indices where trace.blocks[index].over == nil {
      add(.block(index), trace.blocks[index].id)
    }
    for index in trace.tasks.indices where trace.tasks[index].over == nil { add(.task(index), trace.tasks[index].id) }
    guard !submitted.isEmpty else { return }
    let queues = DispatchTargets(trace)
    running = runningBlocks()
    let barriers = waitingBarriers()
    for node in nodes.indices {
      switch nodes[node] {
      case .block(let index):
        addNeeds(of: node, trace.blocks[index], queues)
        addBarrier(of: node, trace.blocks[index], barriers)
      case .task(let index): addNeeds(of: node, trace.tasks[index])
      default: break
      }
    }
    addHolders(queues)
    addActorHolders()
  }

  private mutating func addNeeds(of node: Int, _ block: BlockRecord, _ queues: DispatchTargets) {
    if block.way == .sync, let submitted = block.submitted {
      if let submitter = block.submitter {
        if let waiter = self.node(of: submitter) { connect(waiter, node, .sync) }
      }
      // The main thread also waits because it runs the main queue.
      if block.submitter == nil || submitted.thread == mainThread {
        connect(self.node(.thread(submitted.thread)), node, .sync)
      }
    }
    // A block that waits for a time may run at any moment. A block that waits for a group also needs its turn.
    guard block.began == nil, block.runnable != nil || block.way == .notify, let queue = block.queue else { return }
    for index in queues.upwards(from: queue) {
      if trace.dispatchQueues[index].isMain {
        if let mainThread { connect(node, self.node(.thread(mainThread)), .mainThread) }
      } else if trace.dispatchQueues[index].width == 1 {
        connect(node, self.node(.turn(index)), .turn)
      } else if index == queues.upwards(from: queue).first {
        // A barrier waits for the blocks that run, and everything else waits for a barrier that runs.
        let needed = block.isBarrier ? running[queue, default: []] : running[queue, default: []].filter(isBarrier)
        for other in needed where other != node { connect(node, other, .turn) }
      }
    }
  }

  /// The first barrier of each concurrent queue that waits for its turn.
  private func waitingBarriers() -> [DispatchQueueID: (node: Int, submitted: Nanoseconds)] {
    var result: [DispatchQueueID: (node: Int, submitted: Nanoseconds)] = [:]
    for block in trace.blocks where block.isBarrier && block.began == nil && block.over == nil && block.runnable != nil
    {
      guard let queue = block.queue, let submitted = block.submitted?.time, let node = node(of: block.id),
        submitted < result[queue]?.submitted ?? .max
      else { continue }
      result[queue] = (node, submitted)
    }
    return result
  }

  /// Adds an edge to a barrier that waits. A `sync` that is no barrier needs no pool thread, so if no barrier runs, it
  /// waits for its turn only behind a waiting barrier. Each submission is recorded before the queue gets the work, and
  /// the thread may be interrupted in between, so the order of the records proves nothing; a wait of a second does.
  private mutating func addBarrier(
    of node: Int, _ block: BlockRecord, _ barriers: [DispatchQueueID: (node: Int, submitted: Nanoseconds)]
  ) {
    guard block.way == .sync, !block.isBarrier, block.began == nil, let submitted = block.submitted?.time,
      trace.end - submitted >= 1_000_000_000, let queue = block.queue, let first = barriers[queue],
      first.submitted <= submitted.saturating(100_000_000),
      trace.dispatchQueue(queue).map({ $0.width != 1 && !$0.isMain }) == true,
      !running[queue, default: []].contains(where: isBarrier)
    else { return }
    connect(node, first.node, .turn)
  }

  private func isBarrier(_ node: Int) -> Bool {
    if case .block(let index) = nodes[node] { return trace.blocks[index].isBarrier }
    return false
  }

  /// The nodes of running blocks, by queue.
  private func runningBlocks() -> [DispatchQueueID: [Int]] {
    var result: [DispatchQueueID: [Int]] = [:]
    for block in trace.blocks where block.began != nil && block.over == nil {
      if let queue = block.queue, let node = node(of: block.id) { result[queue, default: []].append(node) }
    }
    return result
  }

  /// Adds who holds the turns. A serial queue gives its turn to one block at a time, including blocks of queues that
  /// target it.
  private mutating func addHolders(_ queues: DispatchTargets) {
    for block in trace.blocks where block.began != nil && block.over == nil {
      guard let holder = node(of: block.id), let queue = block.queue else { continue }
      for target in queues.upwards(from: queue)
      where trace.dispatchQueues[target].width == 1 && !trace.dispatchQueues[target].isMain {
        connect(node(.turn(target)), holder, .turn)
      }
    }
  }

  private mutating func addNeeds(of node: Int, _ task: TaskRecord) {
    if task.waitsForMain, let mainThread { connect(node, self.node(.thread(mainThread)), .mainThread) }
    guard let suspension = task.suspension else { return }
    switch suspension.reason {
    case .task: if let other = suspension.awaited.flatMap({ self.node(of: $0) }) { connect(node, other, .task) }
    case .group:
      // Any child may resume it: the next one that finishes.
      let children = trace.tasks.filter { $0.way == .groupChild && $0.parent == task.id && $0.over == nil }
      let open = children.compactMap { self.node(of: $0.id) }
      guard !open.isEmpty else { return }
      for child in open { connect(node, child, .task) }
      slotNeeds[node] = 1
    case .unknown, .continuation, .executor, .sleep: break
    }
  }

  /// Adds who is in the actors that tasks wait for. Only a task that runs is in an actor, so if only one has been running
  /// since before another one began to wait, and its thread is in code of the actor's class, it is the one. That
  /// somebody is in it is certain: else the other one would have run. O(tasks · running tasks + depth).
  private mutating func addActorHolders() {
    var running: [(node: Int, run: WorkRun)] = []
    for task in trace.tasks {
      guard task.over == nil, let run = task.runs.last, run.ended == nil, let node = node(of: task.id) else { continue }
      running.append((node, run))
    }
    for task in trace.tasks {
      guard let wait = task.openActorWait, !wait.actor.className.isEmpty, let waiter = node(of: task.id) else {
        continue
      }
      let candidates = running.filter { $0.node != waiter && $0.run.began <= wait.queued.time }
      guard candidates.count == 1, let seen = trace.snapshot?[candidates[0].run.thread],
        trace.stacks.stack(seen.at).contains(where: { frame in
          trace.stacks.function(of: frame)?.shortName.hasPrefix(wait.actor.className + ".") == true
        })
      else { continue }
      connect(waiter, candidates[0].node, .actor)
    }
  }

  /// Adds edges from work that something else has to resume, such as an asynchronous operation that is to be finished,
  /// or a waiter of a semaphore. Whatever it submitted, through any number of hops, may do that as long as it is not
  /// over. The same holds for a waiting thread outside of operations, blocks and tasks. O(operations + blocks + tasks +
  /// waits).
  mutating func addSubmissions() {
    var resumed = Set<WorkID>()
    var waitingThreads: [ThreadID: Nanoseconds] = [:]
    for node in nodes.indices {
      guard case .operation(let index) = nodes[node] else { continue }
      let operation = trace.operations[index]
      if operation.startReturned != nil, operation.isAsynchronous, operation.finishSeen == nil {
        resumed.insert(operation.id)
      }
    }
    for wait in trace.waits where wait.ended == nil {
      guard case .object(let id) = wait.target, trace.object(id)?.kind != .queue, !trace.endsByItself(wait) else {
        continue
      }
      // Who could end it is known.
      if trace.origin?.enders(ofThread: wait.thread) != nil { continue }
      if let inside = wait.inside {
        if node(of: inside) != nil { resumed.insert(inside) }
      } else {
        waitingThreads[wait.thread] = wait.began
      }
    }
    for task in trace.tasks where task.awaitsResumption && trace.origin?.enders(ofTask: task.id) == nil {
      resumed.insert(task.id)
    }
    guard !resumed.isEmpty || !waitingThreads.isEmpty else { return }
    addSubmissions(of: resumed)
    if !waitingThreads.isEmpty { addSubmissions(of: waitingThreads) }
  }

  /// All unfinished work that may resume other work, with its nodes: blocks, tasks, and operations in queues.
  /// Operations count only if nothing has moved for a second: those that a busy program has just added simply wait for
  /// their slots.
  private var openWork: [(id: WorkID, node: Int)] {
    let isStill = trace.end - (trace.lastSign ?? trace.lastEvent) >= 1_000_000_000
    return nodes.indices.compactMap { node in
      switch nodes[node] {
      case .operation(let index):
        isStill && trace.operations[index].enqueued != nil ? (trace.operations[index].id, node) : nil
      case .block(let index): (trace.blocks[index].id, node)
      case .task(let index): (trace.tasks[index].id, node)
      default: nil
      }
    }
  }

  private mutating func addSubmissions(of resumed: Set<WorkID>) {
    var roots = Submitters(trace) { resumed.contains($0) }
    for (id, node) in openWork {
      var next = roots.nearest(of: id)
      var isSeen: Set<WorkID> = [id]
      while let work = next, isSeen.insert(work).inserted, let waiter = self.node(of: work) {
        connect(waiter, submission: node)
        next = roots.nearest(of: work)
      }
    }
  }

  /// Adds what a thread submitted before it began to wait.
  private mutating func addSubmissions(of threads: [ThreadID: Nanoseconds]) {
    var ends: [WorkID: WorkID] = [:]
    for (id, node) in openWork {
      var way: Set<WorkID> = []
      var at = id
      while ends[at] == nil, let submitter = trace.submitter(of: at), way.insert(at).inserted { at = submitter }
      let end = ends[at] ?? at
      for step in way { ends[step] = end }
      guard let submission = trace.submission(of: end), let began = threads[submission.thread], submission.time <= began
      else { continue }
      connect(self.node(.thread(submission.thread)), submission: node)
    }
  }

  private mutating func connect(_ waiter: Int, submission node: Int) {
    let any = self.node(.submissions(waiter))
    if slotNeeds[any] == nil {
      slotNeeds[any] = 1
      connect(waiter, any, .submission)
    }
    connect(any, node, .submission)
  }
}

/// Each queue with its chain of targets.
private struct DispatchTargets {
  private let queues: [DispatchQueueRecord]
  private let indexes: [DispatchQueueID: Int]

  init(_ trace: Trace) {
    queues = trace.dispatchQueues
    indexes = Dictionary(queues.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The indexes of a queue and its targets.
  func upwards(from queue: DispatchQueueID) -> [Int] {
    var result: [Int] = []
    var next: DispatchQueueID? = queue
    while let id = next, let index = indexes[id], !result.contains(index) {
      result.append(index)
      next = queues[index].target
    }
    return result
  }
}
