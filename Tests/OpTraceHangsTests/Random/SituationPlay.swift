/// Plays a situation in every order in which its program could continue, step by step: a job that executes and waits
/// for nothing finishes, a job that may start starts. It uses no graphs: it is the oracle for the doctor.
struct SituationPlay {
  private struct State: Hashable {
    var started: UInt32
    var finished: UInt32
  }

  private let situation: Situation
  /// Per job: those it depends on, those before it that a barrier waits for, the barriers before it, its guests.
  private var dependencies: [UInt32] = []
  private var before: [UInt32] = []
  private var barriers: [UInt32] = []
  private var guests: [UInt32] = []
  /// Per queue: its jobs.
  private var members: [UInt32] = []
  private var onMainThread: UInt32 = 0

  init(_ situation: Situation) {
    self.situation = situation
    let jobs = situation.jobs
    dependencies = jobs.map { job in job.dependencies.reduce(0) { $0 | 1 << UInt32($1) } }
    members = situation.queues.indices.map { queue in
      jobs.indices.reduce(0) { jobs[$1].queue == queue ? $0 | 1 << UInt32($1) : $0 }
    }
    for job in jobs.indices {
      let earlier = jobs[job].queue.map { members[$0] & ((1 << UInt32(job)) - 1) } ?? 0
      before.append(earlier)
      barriers.append(jobs.indices.reduce(0) { jobs[$1].isBarrier ? $0 | earlier & (1 << UInt32($1)) : $0 })
      guests.append(jobs.indices.reduce(0) { jobs[$1].host == job ? $0 | 1 << UInt32($1) : $0 })
      if let queue = jobs[job].queue, situation.queues[queue].isMain, !jobs[job].isAsynchronous {
        onMainThread |= 1 << UInt32(job)
      }
    }
  }

  struct Outcome {
    /// Jobs that no order of events brings to their end, ascending.
    var neverFinished: [Int]
    /// Whether all orders end in the same state.
    var isOneForAll: Bool
  }

  func outcome() -> Outcome {
    var first = State(started: 0, finished: 0)
    for (index, job) in situation.jobs.enumerated() {
      if job.stage != .pending { first.started |= 1 << UInt32(index) }
      if job.stage == .finished { first.finished |= 1 << UInt32(index) }
    }
    var seen: Set<State> = [first]
    var open = [first]
    var ever = first.finished
    var ends: Set<UInt32> = []
    while let state = open.popLast() {
      ever |= state.finished
      var isEnd = true
      for job in situation.jobs.indices {
        guard let next = step(job, state) else { continue }
        isEnd = false
        if seen.insert(next).inserted { open.append(next) }
      }
      if isEnd { ends.insert(state.finished) }
    }
    return Outcome(
      neverFinished: situation.jobs.indices.filter { ever >> UInt32($0) & 1 == 0 }, isOneForAll: ends.count == 1)
  }

  private func step(_ job: Int, _ state: State) -> State? {
    let bit: UInt32 = 1 << UInt32(job)
    var next = state
    if state.finished & bit != 0 { return nil }
    if state.started & bit != 0 {
      guard mayFinish(job, state) else { return nil }
      next.finished |= bit
    } else {
      guard mayStart(job, state) else { return nil }
      next.started |= bit
    }
    return next
  }

  private func mayFinish(_ job: Int, _ state: State) -> Bool {
    // Waits are known only of jobs that execute in the situation; the others run without waiting.
    guard guests[job] & ~state.finished == 0 else { return false }
    guard situation.jobs[job].stage == .executing else { return true }
    return situation.jobs[job].waits.allSatisfy { isOver($0, state) }
  }

  private func isOver(_ wait: Situation.Wait, _ state: State) -> Bool {
    switch wait {
    case .job(let other): state.finished >> UInt32(other) & 1 == 1
    case .queue(let queue): members[queue] & ~state.finished == 0
    case .mainThread: isMainThreadFree(state)
    }
  }

  private func isMainThreadFree(_ state: State) -> Bool {
    if let wait = situation.mainWait, !isOver(wait, state) { return false }
    return onMainThread & state.started & ~state.finished == 0
  }

  private func mayStart(_ job: Int, _ state: State) -> Bool {
    let what = situation.jobs[job]
    guard let number = what.queue else { return false }
    let queue = situation.queues[number]
    if queue.isSuspended { return false }
    if queue.limit >= 0, (members[number] & state.started & ~state.finished).nonzeroBitCount >= queue.limit {
      return false
    }
    if queue.isMain, !isMainThreadFree(state) { return false }
    if what.isCancelled { return true }
    if dependencies[job] & ~state.finished != 0 { return false }
    return (what.isBarrier ? before[job] : barriers[job]) & ~state.finished == 0
  }
}
