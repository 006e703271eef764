import OpTraceModel

/// Runs a ``Workload``: a discrete-event simulation of operation queues as Foundation has them on Linux, and of Dispatch's pools
/// of threads. List scheduling (Graham 1966) with priorities, limits, barriers, and threads that block.
///
/// **What it follows.** An operation that finishes releases its dependents, then the threads that wait for it, then its
/// completion block; its slot is free only then, and the queue starts the next. A queue takes the ready one with the highest
/// priority, then the one enqueued first. With its slot an operation still needs a thread of its queue's pool: first
/// come, first served; a pool grows by one thread in each second in which work waits. Equal moments keep the order in which they
/// came about.
///
/// O(s log s) for s steps and dependencies. It ends: programs have no loops. What has not finished then never will.
package struct Machine {
  private let workload: Workload
  private let settings: MachineSettings
  /// Dependents of job `n`: `dependents[starts[n]..<starts[n + 1]]`.
  private let dependents: [Int32]
  private let starts: [Int32]

  private var events = BinaryHeap<Event>()
  private var eventCount: UInt64 = 0
  private var clock = Nanoseconds.min
  private var queues: [SimulatedQueue]
  private var pools: [SimulatedPool]
  private var objects: [SimulatedObject]
  private var processors: SharedProcessors
  private var obstacles: [Int32]
  private var eras: [Int32]
  private var orders: [Int32]
  private var states: [State]
  private var nextStep: [Int32]
  private var threads: [Int32]
  private var jobWaiters: [Int32: [Int32]] = [:]
  private var enqueueCount: Int32 = 0
  private var random: RepeatableGenerator?
  private var outcome: MachineOutcome

  private struct State: OptionSet {
    var rawValue: UInt8
    static let enqueued = Self(rawValue: 1)
    static let ready = Self(rawValue: 2)
    static let begun = Self(rawValue: 4)
    static let finished = Self(rawValue: 8)
    static let cancelled = Self(rawValue: 16)
    /// It holds a slot of its queue.
    static let hasSlot = Self(rawValue: 32)
  }

  private struct SimulatedObject {
    var signals = 0
    var waiters: [Int32] = []
    var head = 0
  }

  private struct Event: Comparable {
    enum Kind: UInt8 { case resume, submit, tick, computed }
    var time: Nanoseconds
    var order: UInt64
    var kind: Kind
    var subject: Int32
    static func < (left: Self, right: Self) -> Bool {
      left.time != right.time ? left.time < right.time : left.order < right.order
    }
  }

  package init(_ workload: Workload, _ settings: MachineSettings) {
    self.workload = workload
    self.settings = settings
    let count = workload.jobs.count
    queues = workload.queues.map { SimulatedQueue(limit: $0.limit, isSuspended: $0.isSuspended) }
    pools = (0..<Workload.Pool.systems + workload.serialQueues).map {
      SimulatedPool(capacity: Self.grows($0) ? max(1, settings.poolThreads) : 1)
    }
    objects = Array(repeating: SimulatedObject(), count: workload.objectCount)
    processors = SharedProcessors(count: settings.processors ?? .max)
    obstacles = Array(repeating: 0, count: count)
    eras = Array(repeating: 0, count: count)
    orders = Array(repeating: 0, count: count)
    states = Array(repeating: [], count: count)
    nextStep = workload.strands.map(\.steps.lowerBound)
    threads = Array(repeating: -1, count: workload.strands.count)
    random = settings.seed.map { RepeatableGenerator($0) }
    outcome = MachineOutcome(count: count)
    (starts, dependents) = Self.adjacency(workload.edges, count: count)
    for edge in workload.edges { obstacles[Int(edge.to)] += 1 }
  }

  private static func adjacency(_ edges: [Workload.Edge], count: Int) -> (starts: [Int32], targets: [Int32]) {
    var starts = [Int32](repeating: 0, count: count + 1)
    for edge in edges { starts[Int(edge.from) + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var next = starts
    var targets = [Int32](repeating: 0, count: edges.count)
    for edge in edges {
      targets[Int(next[Int(edge.from)])] = edge.to
      next[Int(edge.from)] += 1
    }
    return (starts, targets)
  }

  /// From the first step to the last that comes.
  package mutating func run() -> MachineOutcome {
    for (strand, value) in workload.strands.enumerated() {
      switch value.executor {
      case .ownThread(let from):
        threads[strand] = newThread(of: -1)
        post(.resume, Int32(strand), at: from)
      case .mainThread(let from):
        pools[Workload.Pool.main.index].capacity = 0
        threads[strand] = newThread(of: Workload.Pool.main.index)
        post(.resume, Int32(strand), at: from)
      case .pooled, .anywhere: break
      }
    }
    while let event = events.removeFirst() {
      clock = event.time
      switch event.kind {
      case .resume: advance(event.subject)
      case .submit: submit(event.subject)
      case .tick: grow(Int(event.subject))
      case .computed: computed(event.subject)
      }
    }
    return outcome
  }

  private mutating func post(_ kind: Event.Kind, _ subject: Int32, at time: Nanoseconds) {
    eventCount += 1
    events.insert(Event(time: time, order: eventCount, kind: kind, subject: subject))
  }

  /// Hostile traces hold times that no sum may reach.
  private func later(by time: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = clock.addingReportingOverflow(max(0, time))
    return overflow ? .max : sum
  }

  private mutating func newThread(of pool: Int) -> Int32 {
    outcome.pools.append(Int8(pool))
    return Int32(outcome.pools.count - 1)
  }

  // MARK: - Steps

  /// Goes on until the strand has to wait, or is over.
  private mutating func advance(_ strand: Int32) {
    let end = workload.strands[Int(strand)].steps.upperBound
    while nextStep[Int(strand)] < end {
      let step = workload.steps[Int(nextStep[Int(strand)])]
      nextStep[Int(strand)] += 1
      switch step {
      case .run(let time), .pause(let time):
        let next = later(by: time)
        // Nothing else happens in between: no event is needed.
        if let first = events.first, first.time <= next { return post(.resume, strand, at: next) }
        clock = next
      case .compute(let time):
        guard time > 0 else { continue }
        processors.begin(strand, time, at: clock)
        return postShare()
      case .enqueue(let batch): enqueue(workload.batches[Int(batch.lowerBound)..<Int(batch.upperBound)])
      case .begin(let job): begin(job, on: threads[Int(strand)])
      case .finish(let job): finish(job)
      case .cancel(let job): cancel(job)
      case .awaitJob(let job):
        if !states[Int(job)].contains(.finished) { return jobWaiters[job, default: []].append(strand) }
      case .awaitQueue(let queue):
        if queues[Int(queue)].unfinished > 0 { return queues[Int(queue)].waiters.append(strand) }
      case .awaitSignal(let object):
        if objects[Int(object)].signals == 0 { return objects[Int(object)].waiters.append(strand) }
        objects[Int(object)].signals -= 1
      case .signal(let object): signal(Int(object))
      case .suspend(let queue): queues[Int(queue)].isSuspended = true
      case .resume(let queue):
        queues[Int(queue)].isSuspended = false
        schedule(Int(queue))
      case .limit(let queue, let limit):
        queues[Int(queue)].limit = limit < 0 ? .max : Int(limit)
        schedule(Int(queue))
      case .submit(let callback, let after):
        if after > 0 { post(.submit, callback, at: later(by: after)) } else { submit(callback) }
      case .hang: return
      }
    }
    over(strand)
  }

  /// The event that was posted before is ignored.
  private mutating func postShare() {
    if let next = processors.next { post(.computed, processors.era, at: next) }
  }

  private mutating func computed(_ era: Int32) {
    guard era == processors.era else { return }
    for strand in processors.takeFinished(at: clock) { post(.resume, strand, at: clock) }
    postShare()
  }

  private mutating func signal(_ object: Int) {
    guard objects[object].head < objects[object].waiters.count else {
      objects[object].signals += 1
      return
    }
    let waiter = objects[object].waiters[objects[object].head]
    objects[object].head += 1
    post(.resume, waiter, at: clock)
  }

  // MARK: - Operations

  private mutating func enqueue(_ batch: ArraySlice<Int32>) {
    for job in batch where !states[Int(job)].contains(.enqueued) {
      guard let queue = workload.jobs[Int(job)].queue else { continue }
      states[Int(job)].insert(.enqueued)
      outcome.enqueued[Int(job)] = clock
      enqueueCount += 1
      orders[Int(job)] = enqueueCount
      eras[Int(job)] = Int32(queues[Int(queue)].enter(isBarrier: workload.jobs[Int(job)].isBarrier))
      becomesReadyIfFree(job)
    }
    for job in batch { if let queue = workload.jobs[Int(job)].queue { schedule(Int(queue)) } }
  }

  private mutating func becomesReadyIfFree(_ job: Int32) {
    let index = Int(job)
    guard obstacles[index] <= 0 || states[index].contains(.cancelled), states[index].contains(.enqueued),
      !states[index].contains(.ready), let queue = workload.jobs[index].queue
    else { return }
    states[index].insert(.ready)
    outcome.ready[index] = clock
    let entry = SimulatedQueue.Entry(rank: -Int32(workload.jobs[index].priority), order: orders[index], job: job)
    queues[Int(queue)].becomesReady(entry, era: Int(eras[index]))
  }

  private mutating func schedule(_ queue: Int) {
    while let job = queues[queue].takeNext() {
      states[Int(job)].insert(.hasSlot)
      // An operation that was never seen to run keeps its slot and does nothing: what it would do is not known.
      if let body = workload.jobs[Int(job)].body { submit(body, to: workload.queues[queue].pool) }
    }
  }

  private mutating func begin(_ job: Int32, on thread: Int32) {
    guard !states[Int(job)].contains(.begun) else { return }
    states[Int(job)].insert(.begun)
    outcome.began[Int(job)] = clock
    outcome.thread[Int(job)] = thread
  }

  private mutating func cancel(_ job: Int32) {
    guard states[Int(job)].isDisjoint(with: [.begun, .finished]) else { return }
    states[Int(job)].insert(.cancelled)
    becomesReadyIfFree(job)
    if let queue = workload.jobs[Int(job)].queue { schedule(Int(queue)) }
  }

  private mutating func finish(_ job: Int32) {
    let index = Int(job)
    guard !states[index].contains(.finished) else { return }
    states[index].insert(.finished)
    outcome.finished[index] = clock
    releaseDependents(index)
    let queue = states[index].contains(.enqueued) ? workload.jobs[index].queue.map { Int($0) } : nil
    if let queue { release(queues[queue].leave(era: Int(eras[index])), in: queue) }
    for waiter in jobWaiters.removeValue(forKey: job) ?? [] { post(.resume, waiter, at: clock) }
    for callback in workload.jobs[index].completions { submit(callback) }
    guard let queue else { return }
    if states[index].contains(.hasSlot) { queues[queue].running -= 1 }
    if queues[queue].unfinished == 0 {
      for waiter in queues[queue].waiters { post(.resume, waiter, at: clock) }
      queues[queue].waiters = []
    }
    schedule(queue)
  }

  /// Foundation keeps them in a hash table: their order is a matter of chance.
  private mutating func releaseDependents(_ index: Int) {
    let range = Int(starts[index])..<Int(starts[index + 1])
    guard !range.isEmpty else { return }
    var ready: [Int32] = []
    for target in dependents[range] {
      obstacles[Int(target)] -= 1
      if obstacles[Int(target)] == 0, states[Int(target)].contains(.enqueued) { ready.append(target) }
    }
    if ready.count > 1 {
      outcome.choices += 1
      shuffle(&ready)
    }
    for target in ready {
      becomesReadyIfFree(target)
      if let queue = workload.jobs[Int(target)].queue { schedule(Int(queue)) }
    }
  }

  /// Those behind a barrier, which are its dependents.
  private mutating func release(_ held: [SimulatedQueue.Entry], in queue: Int) {
    guard !held.isEmpty else { return }
    var order = held.sorted { workload.jobs[Int($0.job)].becameReady < workload.jobs[Int($1.job)].becameReady }
    if order.count > 1 {
      outcome.choices += 1
      shuffle(&order)
    }
    for entry in order {
      queues[queue].becomesReady(entry, era: 0)
      schedule(queue)
    }
  }

  private mutating func shuffle<Element>(_ elements: inout [Element]) {
    guard var generator = random else { return }
    elements.shuffle(using: &generator)
    random = generator
  }

  // MARK: - Threads

  private mutating func submit(_ strand: Int32) {
    switch workload.strands[Int(strand)].executor {
    case .pooled(let pool): submit(strand, to: pool)
    case .anywhere, .ownThread, .mainThread: post(.resume, strand, at: clock)
    }
  }

  private mutating func submit(_ strand: Int32, to pool: Workload.Pool) {
    let index = pool.index
    if pools[index].firstUse == nil { pools[index].firstUse = clock }
    let count = Int32(outcome.pools.count)
    guard let thread = pools[index].takeThread({ count }) else {
      pools[index].wait(strand)
      return scheduleGrowth(index)
    }
    let isNew = thread == count
    if isNew { _ = newThread(of: index) }
    start(strand, on: thread, isNew ? .make : .wake)
  }

  private mutating func start(_ strand: Int32, on thread: Int32, _ start: ThreadStart) {
    threads[Int(strand)] = thread
    var latency = workload.latencies[start]
    if let job = workload.strands[Int(strand)].job, workload.jobs[Int(job)].start == start {
      latency = workload.jobs[Int(job)].latency ?? latency
    }
    post(.resume, strand, at: later(by: latency))
    let pool = Int(outcome.pools[Int(thread)])
    if let check = settings.firstCheck, Self.grows(pool), pools[pool].isNew {
      pools[pool].isNew = false
      post(.tick, Int32(pool), at: later(by: max(0, latency) &+ check))
    }
  }

  private mutating func over(_ strand: Int32) {
    let thread = threads[Int(strand)]
    guard thread >= 0, outcome.pools[Int(thread)] >= 0 else { return }
    threads[Int(strand)] = -1
    let pool = Int(outcome.pools[Int(thread)])
    if let next = pools[pool].nextWaiting() {
      start(next, on: thread, .handover)
    } else {
      pools[pool].rest(thread)
    }
  }

  /// The main queue and serial queues have one thread at a time.
  private static func grows(_ pool: Int) -> Bool {
    pool != Workload.Pool.main.index && pool < Workload.Pool.systems
  }

  private static let second: Nanoseconds = 1_000_000_000

  private mutating func scheduleGrowth(_ pool: Int) {
    guard settings.poolGrows, Self.grows(pool), !pools[pool].isTickPending,
      let first = pools[pool].firstUse
    else { return }
    pools[pool].isTickPending = true
    post(.tick, Int32(pool), at: later(by: Self.second - span(first, clock) % Self.second))
  }

  private mutating func grow(_ pool: Int) {
    if let first = pools[pool].firstUse, span(first, clock) >= Self.second { pools[pool].isTickPending = false }
    guard pools[pool].hasWaiting else { return }
    // What operations wait for finds no thread: these hold them all.
    if pools[pool].isWaiting(where: { workload.strands[Int($0)].job == nil }) { outcome.shortages += 1 }
    pools[pool].capacity += 1
    let count = Int32(outcome.pools.count)
    if let thread = pools[pool].takeThread({ count }) {
      let isNew = thread == count
      if isNew { _ = newThread(of: pool) }
      if let next = pools[pool].nextWaiting() { start(next, on: thread, isNew ? .make : .wake) }
    }
    if pools[pool].hasWaiting { scheduleGrowth(pool) }
  }
}
