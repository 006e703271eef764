import TestSupport

extension Situation {
  /// A situation that a program can get into: no more jobs execute than the limit allowed, and no two on one thread.
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
    for index in 0..<count {
      var job = Job(queue: random.chance(92) ? random.number(0..<3) : nil)
      job.isBarrier = job.queue != nil && random.chance(8)
      for other in 0..<count where random.chance(density) { job.dependencies.append(other) }
      // In most programs operations depend on earlier ones.
      if random.chance(60) { job.dependencies.removeAll { $0 >= index } }
      situation.jobs.append(job)
    }
    for index in 0..<count where random.chance(50) {
      situation.start(index, &isMainThreadBusy, &random)
    }
    for queue in 0..<3 where random.chance(7) { situation.cancelAll(in: queue) }
    for index in 0..<count where random.chance(5) && !situation.jobs[index].isBarrier {
      situation.jobs[index].isCancelled = true
    }
    if !isMainThreadBusy, random.chance(30) {
      let wait = situation.randomWait(&random)
      if wait != .mainThread { situation.mainWait = wait }
    }
    // The limit was lowered while more jobs executed.
    if random.chance(10), situation.queues[0].limit > 1 { situation.queues[0].limit -= 1 }
    return situation
  }

  private mutating func start(_ index: Int, _ isMainThreadBusy: inout Bool, _ random: inout SeededGenerator) {
    if let queue = jobs[index].queue {
      // A barrier waits for all jobs before it, and holds back all behind it.
      let earlier = jobs[..<index].filter { $0.queue == queue && $0.stage != .finished }
      if earlier.contains(where: { $0.isBarrier || jobs[index].isBarrier }) { return }
      let limit = queues[queue].limit
      let busy = jobs.count { $0.queue == queue && $0.stage == .executing }
      if limit >= 0, busy >= limit { return }
      jobs[index].isAsynchronous = random.chance(10)
      if queues[queue].isMain, !jobs[index].isAsynchronous {
        if isMainThreadBusy { return }
      }
    } else if let host = jobs.indices.first(where: { host in
      jobs[host].stage == .executing && jobs[host].waits.isEmpty && !jobs[host].isAsynchronous
        && !jobs.contains { $0.host == host }
    }), random.chance(50) {
      jobs[index].host = host
    }
    if random.chance(25) {
      jobs[index].stage = .finished
      jobs[index].host = nil
      return
    }
    jobs[index].stage = .executing
    if let queue = jobs[index].queue, queues[queue].isMain, !jobs[index].isAsynchronous { isMainThreadBusy = true }
    if !jobs[index].isAsynchronous, random.chance(70) {
      jobs[index].waits = [randomWait(&random)]
      let queue = jobs[index].queue
      let host = jobs[index].host.flatMap { jobs[$0].queue }
      let isOnMain = [queue, host].contains { $0.map { queues[$0].isMain } ?? false }
      if isOnMain, jobs[index].waits == [.mainThread] { jobs[index].waits = [] }
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
    for index in jobs.indices where jobs[index].queue == queue { jobs[index].isCancelled = true }
  }
}
