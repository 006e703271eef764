import OpTraceModel

/// Turns a trace into programs: each thread's acts in order, cut where the code of operations begins and returns.
///
/// What happens inside of an operation's code is its program. The rest is the program of a thread (``ThreadProgram``), or, on
/// threads of a pool, of callbacks (``Callbacks``). Facts that a trace does not hold are guessed there, and each guess is
/// reported as an ``Assumption``.
struct WorkloadBuilder {
  let trace: Trace
  let acts: ThreadActs
  let queues: [QueueID: Int32]
  var workload = Workload()
  /// The steps of operations' bodies; nil: it has none.
  var bodies: [[Workload.Step]?]
  var callbacks: Callbacks
  /// The strands that have to run before a wait is over, and the object that each signals, by the indexes of the waits.
  private(set) var helpers: [Int: (strands: [(strand: Int32, after: Nanoseconds)], object: Int32)] = [:]

  /// O(n log n) for n events.
  static func build(_ trace: Trace) -> Workload {
    var builder = WorkloadBuilder(trace)
    builder.addJobs()
    builder.addHelpers()
    builder.addThreads()
    builder.flatten()
    return builder.workload
  }

  private init(_ trace: Trace) {
    self.trace = trace
    var indexes: [QueueID: Int32] = [:]
    for (index, queue) in trace.queues.enumerated() { indexes[queue.id] = Int32(clamping: index) }
    queues = indexes
    acts = ThreadActs(trace, queues: indexes)
    bodies = Array(repeating: nil, count: trace.operations.count)
    callbacks = Callbacks(trace)
  }

  // MARK: - Jobs and queues

  private mutating func addJobs() {
    for record in trace.queues {
      var queue = Workload.Queue(id: record.id, limit: record.initialLimit < 0 ? nil : record.initialLimit)
      queue.isSuspended = record.initiallySuspended
      queue.pool = record.isMain ? .main : .quality(record.quality.rawValue)
      workload.queues.append(queue)
    }
    workload.jobs.reserveCapacity(trace.operations.count)
    for index in trace.operations.indices {
      let queue = trace.operations[index].queue.flatMap { queues[$0] }
      workload.jobs.append(
        .init(
          id: trace.operations[index].id, queue: queue, priority: trace.operations[index].priority,
          isBarrier: trace.operations[index].isBarrier))
    }
    for index in trace.operations.indices { addEdges(of: index) }
    // Dependents are released in an order of chance; without a seed it is the recorded one.
    for index in trace.operations.indices {
      workload.jobs[index].becameReady = trace.operations[index].ready?.time ?? .max
    }
    let enqueued = trace.operations.indices.map { trace.operations[$0].enqueued?.time ?? .max }
    let jobs = workload.jobs
    workload.edges.sort {
      let (one, other) = (Int($0.to), Int($1.to))
      return (jobs[one].becameReady, enqueued[one], one, $0.from) < (
        jobs[other].becameReady, enqueued[other], other, $1.from
      )
    }
    workload.objectCount = trace.objects.count + 1
    RecordedLatencies(trace).apply(to: &workload)
  }

  /// Dependencies that were taken away did not hold it up; one on an operation that the trace never saw anything of cannot.
  private mutating func addEdges(of index: Int) {
    let began = trace.operations[index].started?.time
    for dependency in trace.operations[index].dependencies where dependency.removed == nil {
      guard let other = trace.index(of: dependency.on), other != index else { continue }
      if let began, dependency.added > began { continue }
      if trace.operations[other].coverage == .external, trace.operations[other].finished == nil, began != nil {
        continue
      }
      workload.edges.append(.init(from: Int32(clamping: other), to: Int32(clamping: index)))
    }
  }

  // MARK: - Threads

  private mutating func addHelpers() {
    for (index, list) in acts.endings.helpers.sorted(by: { $0.key < $1.key }) {
      let object = Int32(clamping: workload.objectCount)
      workload.objectCount += 1
      let strands = list.map { helper in
        let steps: [Workload.Step] = [.pause(helper.busy), .signal(object)]
        return (strand: workload.add(steps, executor: helper.executor), after: helper.after)
      }
      helpers[index] = (strands, object)
    }
    workload.serialQueues = acts.endings.serialQueues.count
    if acts.endings.hasGuesses { workload.assumptions.insert(.endsInPool) }
  }

  private mutating func addThreads() {
    var first = 0
    while first < acts.all.count {
      var last = first
      while last < acts.all.count, acts.all[last].thread == acts.all[first].thread { last += 1 }
      let thread = ThreadID(acts.all[first].thread)
      var program = ThreadProgram(thread, of: self)
      for act in acts.all[first..<last] { program.take(act) }
      program.end(at: trace.end)
      take(program)
      first = last
    }
  }

  private mutating func take(_ program: ThreadProgram) {
    for (job, steps) in program.bodies { bodies[Int(job)] = (bodies[Int(job)] ?? []) + steps }
    callbacks.add(program.callbacks)
    workload.assumptions.formUnion(program.assumptions)
    guard !program.own.isEmpty, let from = program.ownBegan else { return }
    let steps = batched(program.own)
    workload.add(steps, executor: program.isMain ? .mainThread(from: from) : .ownThread(from: from))
  }

  // MARK: - Together

  private mutating func flatten() {
    let attached = callbacks.attach()
    workload.assumptions.formUnion(attached.assumptions)
    var submissions: [Int32: [Workload.Step]] = [:]
    for callback in attached.callbacks {
      let strand = workload.add(batched(callback.steps), executor: callback.executor, job: callback.owner)
      switch callback.cause {
      case .begin(let job): submissions[job, default: []].append(.submit(strand, after: callback.delay))
      case .finish(let job): workload.jobs[Int(job)].completions.append(strand)
      case .moment(let time): workload.strands[Int(strand)].executor = .ownThread(from: time)
      }
    }
    let unseen = UnseenBodies(trace, bodies)
    let shares = ProcessorShares(trace)
    for index in bodies.indices {
      let job = Int32(clamping: index)
      var steps: [Workload.Step]
      if let known = bodies[index] {
        steps = shares.applied(to: known, of: index)
      } else if let guess = unseen.steps(of: index) {
        steps = guess
        workload.assumptions.insert(.bodiesNotSeen)
      } else {
        continue
      }
      if let late = submissions[job] {
        let begin = steps.firstIndex(of: .begin(job)).map { $0 + 1 } ?? 0
        steps.insert(contentsOf: late, at: begin)
      }
      let pool = workload.jobs[index].queue.map { workload.queues[Int($0)].pool } ?? .quality(0)
      guard workload.jobs[index].queue != nil else { continue }
      workload.jobs[index].body = workload.add(batched(steps), executor: .pooled(pool), job: job)
    }
    addSubmissionsByHand(submissions)
  }

  /// An operation without a queue is a part of the program that starts it: behind its beginning is room for what follows
  /// from that.
  private mutating func addSubmissionsByHand(_ submissions: [Int32: [Workload.Step]]) {
    guard submissions.keys.contains(where: { workload.jobs[Int($0)].queue == nil }) else { return }
    for index in workload.steps.indices.dropLast() {
      guard case .begin(let job) = workload.steps[index], workload.jobs[Int(job)].queue == nil,
        case .pause(0) = workload.steps[index + 1], let step = submissions[job]?.first
      else { continue }
      workload.steps[index + 1] = step
    }
  }

  /// Operations that one call adds are enqueued together: Foundation starts work only when all are in.
  private mutating func batched(_ steps: [Workload.Step]) -> [Workload.Step] {
    var result: [Workload.Step] = []
    result.reserveCapacity(steps.count)
    for step in steps {
      guard case .enqueue(let single) = step else {
        result.append(step)
        continue
      }
      // Until here the range names the operation itself.
      let job = single.lowerBound
      let index = Int32(clamping: workload.batches.count)
      workload.batches.append(job)
      if let last = result.indices.last(where: { isNoPause(result[$0]) }),
        case .enqueue(let before) = result[last], before.upperBound == index,
        let other = workload.batches[Int(before.lowerBound)..<Int(before.upperBound)].last,
        areOneCall(Int(other), Int(job))
      {
        result[last] = .enqueue(before.lowerBound..<index + 1)
      } else {
        result.append(.enqueue(index..<index + 1))
      }
    }
    return result
  }

  private func isNoPause(_ step: Workload.Step) -> Bool {
    switch step {
    case .run, .compute: return false
    default: return true
    }
  }

  /// The first became ready on the thread that adds both, and only after the second was enqueued.
  private func areOneCall(_ first: Int, _ second: Int) -> Bool {
    guard trace.operations[first].queue == trace.operations[second].queue,
      let one = trace.operations[first].enqueued, let other = trace.operations[second].enqueued,
      let ready = trace.operations[first].ready, one.thread == other.thread, ready.thread == one.thread
    else { return false }
    return span(one.time, other.time) < 1_000_000 && ready.time > other.time
      && span(other.time, ready.time) < 1_000_000
  }
}

/// The bodies of operations that never ran: as long as the median of their class.
struct UnseenBodies {
  private let trace: Trace
  private let medians: [String: Nanoseconds]

  /// O(n log n).
  init(_ trace: Trace, _ bodies: [[Workload.Step]?]) {
    self.trace = trace
    guard bodies.contains(where: { $0 == nil }) else {
      medians = [:]
      return
    }
    var times: [String: [Nanoseconds]] = [:]
    for index in trace.operations.indices {
      guard let began = trace.operations[index].executionBegan, let finished = trace.operations[index].finished else {
        continue
      }
      times[trace.operations[index].kind, default: []].append(finished.time - began.time)
    }
    medians = times.mapValues { values in
      let sorted = values.sorted()
      return sorted[sorted.count / 2]
    }
  }

  /// Nil: it is not known to have a body, as with operations that are only named.
  func steps(of index: Int) -> [Workload.Step]? {
    guard trace.operations[index].enqueued != nil, trace.operations[index].finished == nil else { return nil }
    let job = Int32(clamping: index)
    return [.begin(job), .run(medians[trace.operations[index].kind] ?? 0), .finish(job)]
  }
}
