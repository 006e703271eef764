import OpTraceModel

/// Follows one thread's acts, and finds out whose they are: of the operation whose code runs there, else of the thread itself,
/// or of callbacks.
struct ThreadProgram {
  private(set) var bodies: [(job: Int32, steps: [Workload.Step])] = []
  private(set) var own: [Workload.Step] = []
  private(set) var ownBegan: Nanoseconds?
  private(set) var callbacks: [Callbacks.Found] = []
  private(set) var assumptions: Set<Assumption> = []
  let isMain: Bool
  let thread: ThreadID

  private let trace: Trace
  private let waits: [WaitRecord]
  private let queues: [QueueID: Int32]
  private let helpers: [Int: (strands: [(strand: Int32, after: Nanoseconds)], object: Int32)]
  private let finishes: FinishOrder
  /// It is one of a pool, so that what it does outside of operations are callbacks.
  private var isPooled: Bool
  private var open: [Context] = []
  private var ownCursor: Nanoseconds = 0
  /// When the code before was over on this thread.
  private var freeSince: Nanoseconds?

  private var followed = FollowedFinishes()

  /// An operation's code that is on the thread.
  private struct Context {
    var job: Int32
    var cursor: Nanoseconds
    var steps: [Workload.Step] = []
    /// It has a queue: it is a program of its own. Else it is a part of what started it.
    var isOwn: Bool
  }

  init(_ thread: ThreadID, of builder: WorkloadBuilder) {
    self.thread = thread
    trace = builder.trace
    waits = builder.acts.waits
    queues = builder.queues
    helpers = builder.helpers
    finishes = builder.callbacks.finishes
    let record = trace.thread(thread)
    isMain = record?.isMain ?? false
    // Threads of serial queues have "overcommit" in their names: timers and networks call back there.
    let name = record?.name ?? ""
    let isNamedSo = name.contains("-qos") && !name.contains("overcommit")
    isPooled = !isMain && (builder.callbacks.pooledThreads.contains(thread) || isNamedSo)
  }

  mutating func take(_ act: Act) {
    switch act.kind {
    case .open(let job): opens(job, at: act.time)
    case .close(let job): closes(job, at: act.time)
    case .wait(let index): wait(Int(index))
    case .openCompletion(let job): opensCompletion(of: job, at: act.time)
    case .closeCompletion: closesCompletion(at: act.time)
    default:
      guard let step = step(act.kind) else { return }
      add(step, at: act.time)
      if case .begin(let job) = step, trace.operations[Int(job)].queue == nil { addToOwner(.pause(0)) }
    }
  }

  private func step(_ kind: Act.Kind) -> Workload.Step? {
    switch kind {
    case .begin(let job): .begin(job)
    case .enqueue(let job): .enqueue(job..<job + 1)
    case .cancel(let job): .cancel(job)
    case .suspend(let queue): .suspend(queue)
    case .resume(let queue): .resume(queue)
    case .limit(let queue, let limit): .limit(queue, limit)
    case .signal(let object): .signal(object)
    case .finish(let job): .finish(job)
    case .open, .close, .wait, .openCompletion, .closeCompletion: nil
    }
  }

  // MARK: - Operations

  private mutating func opens(_ job: Int32, at time: Nanoseconds) {
    let isOwn = trace.operations[Int(job)].queue != nil
    if open.isEmpty { flushCallbacks() }
    // The main thread's own program ends where its queue's operations begin: what it does then comes from its run loop.
    if isMain, isOwn, open.isEmpty { isPooled = true }
    advanceOwner(to: time)
    open.append(Context(job: job, cursor: time, isOwn: isOwn))
  }

  private mutating func closes(_ job: Int32, at time: Nanoseconds) {
    guard let index = open.lastIndex(where: { $0.job == job }) else { return }
    while open.count > index { closeLast(at: time) }
  }

  private mutating func closeLast(at time: Nanoseconds) {
    guard var context = open.popLast() else { return }
    if time != .max { context.steps.add(run: span(context.cursor, time)) }
    if context.isOwn {
      bodies.append((context.job, context.steps))
      moveOwner(to: time)
    } else {
      // It was started by whose code goes on now.
      for step in context.steps { addToOwner(step) }
      moveOwner(to: time)
    }
    freeSince = time
  }

  // MARK: - Steps

  private mutating func add(_ step: Workload.Step, at time: Nanoseconds) {
    if !open.isEmpty {
      advanceOwner(to: time)
      addToOwner(step)
    } else if isOfCallback(step, at: time) {
      current?.take(step, at: time)
    } else {
      advanceOwner(to: time)
      addToOwner(step)
    }
  }

  private mutating func wait(_ index: Int) {
    let wait = waits[index]
    if open.isEmpty, current?.completing != nil {
      waitsInCompletion(wait)
      return
    }
    if open.isEmpty, isPooled {
      flushCallbacks()
      return
    }
    if case .object = wait.target, helpers[index] == nil, !trace.endsByItself(wait) {
      assumptions.insert(.unseenSignals)
    }
    advanceOwner(to: wait.began)
    let ended = wait.ended
    switch wait.target {
    case .operation(let id):
      guard let job = trace.index(of: id) else { break }
      let finished = trace.operations[job].finished?.time
      // Of one that was over already only the call's own time is left.
      addToOwner(.awaitJob(Int32(clamping: job)))
      if let ended, let finished { addToOwner(.pause(ended - max(finished, wait.began))) }
    case .queue(let id):
      guard let queue = queues[id] else { break }
      addToOwner(.awaitQueue(queue))
      if let ended { addToOwner(.pause(ended - max(finishes.last(before: ended)?.time ?? ended, wait.began))) }
    case .object(let id):
      if let known = helpers[index] {
        for (strand, after) in known.strands { addToOwner(.submit(strand, after: after)) }
        for _ in known.strands { addToOwner(.awaitSignal(known.object)) }
      } else {
        object(id, wait)
      }
    }
    if ended == nil { addToOwner(.hang) }
    moveOwner(to: ended ?? .max)
  }

  /// What it waits for is not followed: the wait takes its time.
  private mutating func waitsInCompletion(_ wait: WaitRecord) {
    assumptions.insert(.waitsInCompletions)
    current?.advance(to: wait.ended ?? wait.began)
  }

  private mutating func object(_ id: ObjectID, _ wait: WaitRecord) {
    guard let ended = wait.ended else { return }
    if let signal = wait.endSignal, signal.thread != nil {
      addToOwner(.awaitSignal(Int32(clamping: id.rawValue)))
      addToOwner(.pause(ended - max(signal.time, wait.began)))
    } else {
      // A timeout, or a signal from where nothing is known of.
      if wait.endSignal != nil { assumptions.insert(.outsideSignals) }
      addToOwner(.pause(ended - wait.began))
    }
  }

  private mutating func advanceOwner(to time: Nanoseconds) {
    if let last = open.indices.last {
      open[last].steps.add(run: span(open[last].cursor, time))
      open[last].cursor = max(open[last].cursor, time)
    } else if !isPooled {
      if ownBegan == nil {
        ownBegan = time
        ownCursor = time
      }
      followed.note(gap: own.count, from: ownCursor, to: time, finishes)
      own.append(.run(span(ownCursor, time)))
      ownCursor = max(ownCursor, time)
    }
  }

  private mutating func addToOwner(_ step: Workload.Step) {
    if let last = open.indices.last {
      open[last].steps.add(step)
    } else if !isPooled {
      own.add(step)
    }
  }

  /// Time that was not its own.
  private mutating func moveOwner(to time: Nanoseconds) {
    if let last = open.indices.last {
      open[last].cursor = max(open[last].cursor, time)
    } else {
      ownCursor = max(ownCursor, time)
    }
  }

  // MARK: - Callbacks

  private var current: Callbacks.Found?
  /// What follows so soon belongs to the same callback.
  private static let near: Nanoseconds = 300_000

  /// Whether a step outside of operations belongs to a callback, which is ``current`` then; else it is the thread's own.
  private mutating func isOfCallback(_ step: Workload.Step, at time: Nanoseconds) -> Bool {
    var finishing: Int32?
    if case .finish(let job) = step { finishing = job }
    if let current {
      if current.completing != nil { return true }
      let isNear = span(current.cursor, time) <= Self.near
      if isNear, finishing == nil || finishing == current.finishing { return true }
    }
    flushCallbacks()
    guard isPooled || finishing != nil else { return false }
    current = Callbacks.Found(
      at: Stamp(time, thread), finishing: finishing, freeSince: freeSince, isPooled: isPooled, isMain: isMain)
    return true
  }

  /// A block that a program calls itself, inside of an operation's code, is a part of that.
  private mutating func opensCompletion(of job: Int32, at time: Nanoseconds) {
    guard open.isEmpty else { return }
    flushCallbacks()
    current = Callbacks.Found(
      at: Stamp(time, thread), completing: job, freeSince: freeSince, isPooled: true, isMain: isMain)
  }

  private mutating func closesCompletion(at time: Nanoseconds) {
    guard current?.completing != nil else { return }
    if time != .max { current?.advance(to: time) }
    flushCallbacks()
  }

  private mutating func flushCallbacks() {
    if let current {
      callbacks.append(current)
      freeSince = current.cursor
    }
    current = nil
  }

  /// Nothing more comes.
  mutating func end(at time: Nanoseconds) {
    flushCallbacks()
    if followed.apply(to: &own) { assumptions.insert(.ownThreadsFollow) }
    while let context = open.last {
      // A body that was under way when the trace ended.
      if context.cursor != .max { advanceOwner(to: time) }
      if trace.operations[Int(context.job)].finished == nil, open[open.count - 1].steps.last != .hang {
        addToOwner(.finish(context.job))
        assumptions.insert(.cutOperations)
      }
      closeLast(at: .max)
    }
  }
}

/// From one moment to a later one; 0 where it is none, and never more than a number holds.
func span(_ from: Nanoseconds, _ to: Nanoseconds) -> Nanoseconds {
  guard to > from else { return 0 }
  let (time, overflow) = to.subtractingReportingOverflow(from)
  return overflow ? .max : time
}

extension [Workload.Step] {
  /// Pieces of running that follow one another are one.
  mutating func add(run time: Nanoseconds) {
    guard time > 0 else { return }
    if case .run(let before)? = last {
      let (sum, overflow) = before.addingReportingOverflow(time)
      self[count - 1] = .run(overflow ? .max : sum)
    } else {
      append(.run(time))
    }
  }

  mutating func add(_ step: Workload.Step) {
    if case .pause(let time) = step, time < 0 { return }
    append(step)
  }
}
