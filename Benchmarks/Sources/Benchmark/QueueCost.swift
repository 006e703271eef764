import BenchmarkSupport

/// What a queue costs that is recorded to a file, against Foundation's own doing the same; and one that could be recorded and is not.
enum QueueCost {
  private static let kinds = ["plain", "off", "traced"]

  static func run(_ context: Context) throws -> [Row] {
    var rows: [Row] = []
    let empty = context.amount(100_000, short: 5_000)
    rows += try compare(
      context, "subclass", count: empty, work: 0, name: "empty operations", traced: 1.05, processor: 1.05, off: 1.01)
    rows += try compare(context, "block", count: empty, work: 0, name: "empty blocks")
    rows += try compare(
      context, "foreign", count: empty, work: 0, name: "empty operations of Foundation's class", traced: 1.08)
    rows += try compare(
      context, "subclass", count: context.amount(5_000, short: 200), work: 100_000, name: "operations of 100 us",
      traced: 1.01, off: 1.01)
    rows += try instructions(context)
    return rows
  }

  private static func compare(
    _ context: Context, _ shape: String, count: Int, work: Int, name: String,
    traced: Double? = nil, processor: Double? = nil, off: Double? = nil
  ) throws -> [Row] {
    let taken = try interleaved(kinds, rounds: context.manyRounds) { kind in
      try context.measure(["queue", kind, shape, "\(count)", "\(work)", context.file("queue.optrace")])
    }
    func each(_ kind: String, _ what: KeyPath<Taken, UInt64>) -> [Double] {
      (taken[kind] ?? []).map { Double($0[keyPath: what]) / Double(count) }
    }
    var rows = [Row("queue", "\(name): plain queue", Spread(each("plain", \.wall)), "ns", note: "wall, each")]
    for (kind, goal, processor) in [("traced", traced, processor), ("off", off, nil)] {
      let title = kind == "traced" ? "recorded to a file" : "traced types, not recorded"
      rows.append(
        Row("queue", "\(name): \(title) / plain", ratios(each(kind, \.wall), each("plain", \.wall)), "x", atMost: goal))
      rows.append(
        Row(
          "queue", "the same, CPU of the whole process", ratios(each(kind, \.process), each("plain", \.process)), "x",
          atMost: processor))
    }
    let more = (taken["traced"] ?? []).map { Double($0.allocations) / Double(count) }
    let plain = (taken["plain"] ?? []).map { Double($0.allocations) / Double(count) }
    rows.append(
      Row(
        "queue", "\(name): allocations, recorded less plain", Spread(zip(more, plain).map { $0 - $1 }), "calls",
        note: "each"))
    let lost = (taken["traced"] ?? []).map { Double($0.lost) }.max() ?? .nan
    rows.append(.gate("queue", "\(name): records that were lost", lost, "records", atMost: 0))
    return rows
  }

  /// The median of some runs: which thread does what, and how often one waits, differs from run to run.
  private static func instructions(_ context: Context) throws -> [Row] {
    guard let counter = try InstructionCounter(context.workload, folder: context.folder) else { return [] }
    let few = 2_000
    let many = context.amount(12_000, short: 4_000)
    let counts = try interleaved(kinds, rounds: context.isShort ? 1 : 5) { kind in
      try counter.perUnit(
        { ["queue", kind, "subclass", "\($0)", "0", context.file("counted.optrace")] }, from: few, to: many)
    }
    func median(_ kind: String) -> Double { Spread(counts[kind] ?? []).median }
    let name = "empty operations, instructions"
    return [
      Row("queue", "\(name): plain queue", Spread(counts["plain"] ?? []), "each", note: "emulated"),
      Row("queue", "\(name): recorded to a file / plain", median("traced") / median("plain"), "x", atMost: 1.06),
      Row("queue", "\(name): traced types, not recorded / plain", median("off") / median("plain"), "x", atMost: 1.01),
    ]
  }
}
