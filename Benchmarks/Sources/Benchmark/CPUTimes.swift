import BenchmarkSupport

/// What it costs to know what each operation's code uses of its processor: a recorded queue with these times against one without.
enum CPUTimes {
  private static let kinds = ["traced", "cpu-times"]

  static func run(_ context: Context) throws -> [Row] {
    try compare(context, count: context.amount(100_000, short: 5_000), work: 0, name: "empty operations", goal: nil)
      + compare(
        context, count: context.amount(5_000, short: 200), work: 100_000, name: "operations of 100 us", goal: 1.01)
  }

  private static func compare(
    _ context: Context, count: Int, work: Int, name: String, goal: Double?
  ) throws -> [Row] {
    let taken = try interleaved(kinds, rounds: context.manyRounds) { kind in
      try context.measure(["queue", kind, "subclass", "\(count)", "\(work)", context.file("cpu.optrace")])
    }
    func ratio(_ what: KeyPath<Taken, UInt64>) -> Spread {
      let values = kinds.map { kind in (taken[kind] ?? []).map { Double($0[keyPath: what]) } }
      return ratios(values[1], values[0])
    }
    let lost = (taken[kinds[1]] ?? []).map { Double($0.lost) }.max() ?? .nan
    return [
      Row("cpu", "\(name): with CPU times / without, wall", ratio(\.wall), "x", atMost: goal),
      Row("cpu", "the same, CPU of the whole process", ratio(\.process), "x"),
      .gate("cpu", "\(name): records that were lost", lost, "records", atMost: 0),
    ]
  }
}
