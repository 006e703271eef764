import OpTraceModel

/// Several simulated runs of one workload: each setting, with several orders of what is a matter of chance.
struct Runs {
  /// The likely setting, with the trace's own order.
  let typical: MachineOutcome
  /// The middle one of the likely setting, and the least and the greatest of all that end; nil: nothing happens.
  private(set) var wall: Prediction.Wall?
  /// How many there were.
  private(set) var count = 1
  /// How many of them leave operations unfinished that finish in the typical one.
  private(set) var stuck = 0

  private static let orders = 20
  /// Operations that are simulated at most, so that large traces stay quick.
  private static let budget = 600_000

  init(_ workload: Workload, _ settings: [MachineSettings], mayVary: Bool) {
    var machine = Machine(workload, settings[0])
    typical = machine.run()
    guard let first = typical.wall else { return }
    wall = Prediction.Wall(likely: first, low: first, high: first)
    guard mayVary else { return }
    var likely = [first]
    var others: [Nanoseconds] = []
    let finished = typical.finishedCount
    func run(_ index: Int, seed: UInt64?) {
      var setting = settings[index]
      setting.seed = seed
      var machine = Machine(workload, setting)
      let outcome = machine.run()
      count += 1
      guard outcome.finishedCount >= finished, let wall = outcome.wall else { return stuck += 1 }
      if index == 0 { likely.append(wall) } else { others.append(wall) }
    }
    for index in settings.indices.dropFirst() { run(index, seed: nil) }
    if typical.choices > 0 {
      let work = max(1, workload.jobs.count * settings.count)
      for seed in 1..<UInt64(max(2, min(Self.orders, Self.budget / work))) {
        for index in settings.indices { run(index, seed: seed) }
      }
    }
    likely.sort()
    let all = likely + others
    wall = Prediction.Wall(
      likely: likely[likely.count / 2], low: all.min() ?? first, high: all.max() ?? first)
  }

  func neverFinishes(_ job: Int) -> Bool { typical.finished[job] == MachineOutcome.never }
}
