import BenchmarkSupport

/// What one event costs: a mark of eight bytes, which is a record of 24, against reading the clock and storing 24 bytes.
enum Events {
  static func run(_ context: Context) throws -> [Row] {
    let count = context.amount(2_000_000, short: 20_000)
    let kinds = ["floor", "warm", "fresh", "ring"]
    let taken = try interleaved(kinds, rounds: context.rounds) { kind in
      try context.measure(
        kind == "floor"
          ? ["floor", "\(count)"] : ["mark", "\(count)", context.file("mark.optrace"), kind])
    }
    func each(_ kind: String, _ what: KeyPath<Taken, UInt64>) -> [Double] {
      (taken[kind] ?? []).map { Double($0[keyPath: what]) / Double(count) }
    }
    func against(_ kind: String, _ what: KeyPath<Taken, UInt64>) -> Spread {
      ratios(each(kind, what), each("floor", \.thread))
    }
    let allocations = kinds.dropFirst().flatMap { taken[$0] ?? [] }.map { Double($0.allocations) }
    let lost = kinds.dropFirst().flatMap { taken[$0] ?? [] }.map { Double($0.lost) }
    return [
      Row("event", "floor: clock and 24 bytes", Spread(each("floor", \.thread)), "ns"),
      Row("event", "mark into warm pages", Spread(each("warm", \.thread)), "ns"),
      Row("event", "mark into warm pages / floor", against("warm", \.thread), "x", atMost: 2),
      Row("event", "mark into a fresh file", Spread(each("fresh", \.thread)), "ns"),
      Row("event", "mark into a fresh file / floor", against("fresh", \.thread), "x", atMost: 3),
      Row("event", "the same, CPU of the whole process / floor", against("fresh", \.process), "x"),
      Row("event", "flight recorder, flooded / floor", against("ring", \.thread), "x"),
      Row("event", "the same, CPU of the whole process / floor", against("ring", \.process), "x"),
      .gate("event", "allocations in all these marks", allocations.max() ?? .nan, "calls", atMost: 0),
      .gate("event", "marks that were lost", lost.max() ?? .nan, "records", atMost: 0),
      try allocationsOfLives(context),
    ]
  }

  /// By hand on one thread, so that each run allocates the same.
  private static func allocationsOfLives(_ context: Context) throws -> Row {
    let count = 10_000
    func each(_ kind: String) throws -> Double {
      let taken = try context.measure(["lives", kind, "\(count)", context.file("lives.optrace")])
      return Double(taken.allocations) / Double(count)
    }
    return .gate(
      "event", "allocations of a recorded operation, less a plain one's", try each("traced") - each("plain"), "calls",
      atMost: 0)
  }
}
