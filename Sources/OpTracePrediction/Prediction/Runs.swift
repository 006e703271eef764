import OpTraceModel

/// Several simulated runs of one workload: each setting, with several orders of what is a matter of chance.
struct Runs {
  /// The likely setting, with the trace's own order.
  let typical: MachineOutcome
  private var outcomes: [MachineOutcome]

  private static let orders = 20
  /// Operations that are simulated at most, so that large traces stay quick.
  private static let budget = 600_000

  init(_ workload: Workload, _ settings: [MachineSettings], mayVary: Bool) {
    var machine = Machine(workload, settings[0])
    typical = machine.run()
    outcomes = [typical]
    guard mayVary else { return }
    for other in settings.dropFirst() {
      var machine = Machine(workload, other)
      outcomes.append(machine.run())
    }
    guard typical.choices > 0 else { return }
    let count = max(2, min(Self.orders, Self.budget / max(1, workload.jobs.count)))
    for seed in 1..<UInt64(count) {
      for var setting in settings {
        setting.seed = seed
        var machine = Machine(workload, setting)
        outcomes.append(machine.run())
      }
    }
  }

  /// In none of the runs.
  func neverFinishes(_ job: Int) -> Bool { typical.finished[job] == MachineOutcome.never }

  /// The typical one, and the least and the greatest of all that end.
  var walls: Prediction.Wall? {
    guard let likely = typical.wall else { return nil }
    let all = outcomes.compactMap(\.wall)
    return Prediction.Wall(likely: likely, low: all.min() ?? likely, high: all.max() ?? likely)
  }
}
