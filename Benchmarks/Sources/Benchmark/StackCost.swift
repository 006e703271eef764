import BenchmarkSupport
import Foundation

/// What it costs to know which line added an operation: a recorded queue with stacks against the same without.
enum StackCost {
  private static let kinds = ["without-stacks", "traced", "whole-stacks"]
  private static let titles = ["traced": "the line that adds", "whole-stacks": "the whole stack that adds"]

  static func run(_ context: Context) throws -> [Row] {
    let count = context.amount(100_000, short: 5_000)
    var bytes: [String: Double] = [:]
    let taken = try interleaved(kinds, rounds: context.manyRounds) { kind in
      let file = context.file("stacks.optrace")
      let result = try context.measure(["queue", kind, "subclass", "\(count)", "0", file])
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
      bytes[kind] = Double(size) / Double(count)
      return result
    }
    func each(_ kind: String, _ what: KeyPath<Taken, UInt64>) -> [Double] {
      (taken[kind] ?? []).map { Double($0[keyPath: what]) / Double(count) }
    }
    var rows = [Row("stacks", "empty operations without stacks", Spread(each(kinds[0], \.wall)), "ns", note: "wall")]
    for kind in kinds.dropFirst() {
      let goal = kind == "traced" ? 1.01 : nil
      rows.append(
        Row(
          "stacks", "\(titles[kind] ?? kind) / without, wall", ratios(each(kind, \.wall), each(kinds[0], \.wall)), "x",
          atMost: goal))
      rows.append(
        Row(
          "stacks", "the same, CPU of the whole process",
          ratios(each(kind, \.process), each(kinds[0], \.process)), "x"))
      let lost = (taken[kind] ?? []).map { Double($0.lost) }.max() ?? .nan
      rows.append(.gate("stacks", "the same, records that were lost", lost, "records", atMost: 0))
    }
    // Chunks round a file's size, so one in a hundred bytes.
    let more = (bytes["traced"] ?? .nan) - (bytes[kinds[0]] ?? .nan)
    rows.append(
      Row("stacks", "a reference from an operation to its line", more, "B", atMost: context.isShort ? nil : 8.2))
    return rows + (try instructions(context))
  }

  private static func instructions(_ context: Context) throws -> [Row] {
    guard let counter = try InstructionCounter(context.workload, folder: context.folder) else { return [] }
    let counts = try interleaved(kinds, rounds: context.isShort ? 1 : 5) { kind in
      try counter.perUnit(
        { ["queue", kind, "subclass", "\($0)", "0", context.file("counted.optrace")] }, from: 2_000,
        to: context.amount(12_000, short: 4_000))
    }
    func median(_ kind: String) -> Double { Spread(counts[kind] ?? []).median }
    return kinds.dropFirst().map { kind in
      Row(
        "stacks", "\(titles[kind] ?? kind) / without, instructions", median(kind) / median(kinds[0]), "x",
        note: "emulated")
    }
  }
}
