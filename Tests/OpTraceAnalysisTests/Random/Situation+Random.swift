import TestSupport

extension Situation {
  /// Something that can be met in a program: no more execute than a limit let start, and no two on one thread.
  static func random(seed: Int) -> Situation {
    var random = SeededGenerator(seed)
    var situation = Situation()
    for queue in 0..<3 {
      let isMain = queue == 2 && random.chance(50)
      situation.queues.append(
        .init(
          limit: isMain ? 1 : [1, 1, 2, 2, 3, -1, 0][random.number(0..<7)], isSuspended: !isMain && random.chance(8),
          isMain: isMain))
    }
    let count = random.number(1..<8)
    let density = [5, 15, 30][random.number(0..<3)]
    var isMainThreadBusy = false
    for place in 0..<count {
      var job = Job(queue: random.chance(92) ? random.number(0..<3) : nil)
      job.isBarrier = job.queue != nil && random.chance(8)
      for other in 0..<count where random.chance(density) { job.dependencies.append(other) }
      // Most programs depend on what they made before.
      if random.chance(60) { job.dependencies.removeAll { $0 >= place } }
      situation.jobs.append(job)
    }
    for place in 0..<count where random.chance(50) {
      situation.start(place, &isMainThreadBusy, &random)
    }
    for queue in 0..<3 where random.chance(7) { situation.cancelAll(in: queue) }
    for place in 0..<count where random.chance(5) && !situation.jobs[place].isBarrier {
      situation.jobs[place].isCancelled = true
    }
    if !isMainThreadBusy, random.chance(30) {
      let wait = situation.randomWait(&random)
      if wait != .mainThread { situation.mainWait = wait }
    }
    // A limit that was lowered while more of them execute.
    if random.chance(10), situation.queues[0].limit > 1 { situation.queues[0].limit -= 1 }
    return situation
  }

  private mutating func start(_ place: Int, _ isMainThreadBusy: inout Bool, _ random: inout SeededGenerator) {
    if let queue = jobs[place].queue {
      // Barriers keep what comes behind them from starting, and wait for what is before them.
      let earlier = jobs[..<place].filter { $0.queue == queue && $0.stage != .finished }
      if earlier.contains(where: { $0.isBarrier || jobs[place].isBarrier }) { return }
      let limit = queues[queue].limit
      let busy = jobs.count { $0.queue == queue && $0.stage == .executing }
      if limit >= 0, busy >= limit { return }
      jobs[place].isAsynchronous = random.chance(10)
      if queues[queue].isMain, !jobs[place].isAsynchronous {
        if isMainThreadBusy { return }
      }
    } else if let host = jobs.indices.first(where: { host in
      jobs[host].stage == .executing && jobs[host].waits.isEmpty && !jobs[host].isAsynchronous
        && !jobs.contains { $0.host == host }
    }), random.chance(50) {
      jobs[place].host = host
    }
    if random.chance(25) {
      jobs[place].stage = .finished
      jobs[place].host = nil
      return
    }
    jobs[place].stage = .executing
    if let queue = jobs[place].queue, queues[queue].isMain, !jobs[place].isAsynchronous { isMainThreadBusy = true }
    if !jobs[place].isAsynchronous, random.chance(70) {
      jobs[place].waits = [randomWait(&random)]
      let queue = jobs[place].queue
      let host = jobs[place].host.flatMap { jobs[$0].queue }
      let isOnMain = [queue, host].contains { $0.map { queues[$0].isMain } ?? false }
      if isOnMain, jobs[place].waits == [.mainThread] { jobs[place].waits = [] }
    }
  }

  private func randomWait(_ random: inout SeededGenerator) -> Wait {
    switch random.number(0..<10) {
    case 0: .mainThread
    case 1, 2: .queue(random.number(0..<3))
    default: .job(random.number(0..<jobs.count))
    }
  }

  private mutating func cancelAll(in queue: Int) {
    for place in jobs.indices where jobs[place].queue == queue { jobs[place].isCancelled = true }
  }
}
