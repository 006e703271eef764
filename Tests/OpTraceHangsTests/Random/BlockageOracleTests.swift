import OpTraceAnalysis
import OpTraceModel
import Testing

/// Blocked operations, compared to every order in which the program could continue.
@Suite struct BlockageOracleTests {
  /// What differs, in words; nil: nothing.
  private func difference(_ situation: Situation) -> String? {
    let outcome = SituationPlay(situation).outcome()
    if !outcome.isOneForAll { return "the order of events decides" }
    let jobs = situation.jobs
    // A job that was not enqueued does not count if nothing waits for it.
    let expected = outcome.neverFinished.filter { index in
      if jobs[index].queue != nil || jobs[index].stage != .pending { return true }
      let isWaitedFor = jobs.contains { job in
        job.stage == .pending && !job.isCancelled && job.dependencies.contains(index)
          || job.stage == .executing && job.waits.contains(.job(index))
      }
      return isWaitedFor || situation.mainWait == .job(index)
    }
    let trace = situation.trace
    let blockage = Blockage(of: trace)
    if blockage.operations != expected { return "says \(blockage.operations), is \(expected)" }
    return accounts(blockage, situation)
  }

  /// Every blocked operation is in one finding, or behind one.
  private func accounts(_ blockage: Blockage, _ situation: Situation) -> String? {
    func isOperation(_ node: Int) -> Bool {
      if case .operation = blockage.graph.nodes[node] { return true }
      return false
    }
    let all = blockage.graph.nodes.indices.count { blockage.isBlocked[$0] && isOperation($0) }
    var told = 0
    for deadlock in blockage.deadlocks {
      told += deadlock.nodes.count(where: isOperation) + deadlock.behind
      for (step, next) in zip(deadlock.cycle, deadlock.cycle.dropFirst() + deadlock.cycle.prefix(1)) {
        if step.to != next.from { return "a cycle that is none: \(deadlock.cycle)" }
      }
    }
    for root in blockage.roots { told += root.held.count + root.behind }
    return told == all ? nil : "\(all) are blocked, \(told) stand in \(blockage.deadlocks) and \(blockage.roots)"
  }

  /// Counts the situations, and keeps the first ones that differ.
  private struct Tally {
    var all = 0
    var blocked = 0
    var faults: [String] = []
  }

  private func run(_ situation: Situation, _ tally: inout Tally) {
    tally.all += 1
    guard let fault = difference(situation) else { return }
    if tally.faults.count < 5 { tally.faults.append("\(fault): \(situation)") }
  }

  private func report(_ what: String, _ tally: Tally) {
    print("\(what): \(tally.all) situations, \(tally.faults.isEmpty ? "none" : "some") told wrongly")
    #expect(tally.faults.isEmpty, "\(tally.faults.joined(separator: "\n"))")
  }

  @Test func blockageMatchesForAllGraphsOfUpToFour() {
    var tally = Tally()
    for count in 1...4 {
      let pairs = (0..<count).flatMap { from in
        (0..<count).filter { count < 4 || $0 != from }.map { (from, $0) }
      }
      for mask in 0..<(1 << pairs.count) {
        var situation = Situation(jobs: Array(repeating: .init(queue: 0), count: count), queues: [.init()])
        for (number, pair) in pairs.enumerated() where mask >> number & 1 == 1 {
          situation.jobs[pair.0].dependencies.append(pair.1)
        }
        run(situation, &tally)
      }
    }
    report("dependencies of up to 4", tally)
  }

  /// Up to three jobs in two queues, in every combination of their states.
  @Test func blockageMatchesForAllSituationsOfUpToThree() {
    var tally = Tally()
    let queues: [[Situation.Queue]] = [
      [.init(limit: 1), .init(limit: 1)], [.init(limit: 2), .init(limit: 1)],
      [.init(limit: 1), .init(limit: 1, isSuspended: true)], [.init(limit: -1), .init(limit: 1)],
      [.init(limit: 1), .init(limit: 0)],
    ]
    for count in 1...3 {
      let kinds = (0..<count).map { job in self.kinds(of: job, count) }
      for chosen in 0..<kinds.reduce(1, { $0 * $1.count }) {
        var rest = chosen
        let jobs = kinds.map { kinds in
          defer { rest /= kinds.count }
          return kinds[rest % kinds.count]
        }
        for queues in queues {
          let isPossible = queues.indices.allSatisfy { queue in
            queues[queue].limit < 0
              || jobs.count { $0.queue == queue && $0.stage == .executing } <= queues[queue].limit
          }
          if isPossible { run(Situation(jobs: jobs, queues: queues), &tally) }
        }
      }
    }
    report("all of up to 3 in 2 queues", tally)
  }

  private func kinds(of job: Int, _ count: Int) -> [Situation.Job] {
    var result: [Situation.Job] = [.init(queue: 0, isCancelled: true), .init(queue: nil)]
    let others = (0..<count).filter { $0 != job }
    result.append(.init(queue: 0, isBarrier: true))
    for queue in 0..<2 {
      for mask in 0..<(1 << others.count) {
        let dependencies = others.indices.filter { mask >> $0 & 1 == 1 }.map { others[$0] }
        result.append(.init(queue: queue, dependencies: dependencies))
      }
      result.append(.init(queue: queue, stage: .executing))
      let targets = (0..<count).map { Situation.Wait.job($0) } + [.queue(0), .queue(1)]
      for target in targets { result.append(.init(queue: queue, stage: .executing, waits: [target])) }
    }
    return result
  }

  /// Up to seven jobs in three queues, one of which may be the main queue, with every feature of a situation.
  @Test func blockageMatchesForRandomSituationsOfUpToSeven() {
    var tally = Tally()
    for seed in 0..<20_000 { run(Situation.random(seed: seed), &tally) }
    report("random ones of up to 7", tally)
  }
}
