import BenchmarkSupport
import Foundation

/// What is done for stacks beside the recording of an operation: a walk at the end of a long wait, the snapshot of
/// threads when nothing moves, names for addresses.
enum StackParts {
  static func run(_ context: Context) throws -> [Row] { try walks(context) + names(context) }

  private static func walks(_ context: Context) throws -> [Row] {
    let kinds = ["8", "16", "32", "snapshot"]
    let taken = try interleaved(kinds, rounds: context.rounds) { kind in
      let count = kind == "snapshot" ? context.amount(1_000, short: 20) : context.amount(100_000, short: 1_000)
      let child = try Child.run([context.stackWorkload, kind, "\(count)"], keepsOutput: true)
      let text = String(decoding: child.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard child.status == 0, let each = Double(text) else { throw Failed(what: "StackWorkload \(kind)") }
      return each
    }
    func each(_ kind: String) -> Spread { Spread(taken[kind] ?? []) }
    return [
      Row("walks", "a stack of 8 frames: walk and number", each("8"), "ns"),
      Row("walks", "of 16 frames", each("16"), "ns", atMost: 300),
      Row("walks", "of 32 frames", each("32"), "ns"),
      Row("walks", "the snapshot, a sleeping thread of 1,000", each("snapshot"), "ns", atMost: 20_000),
    ]
  }

  /// Addresses all over the command's own code.
  private static func names(_ context: Context) throws -> [Row] {
    let count = context.amount(10_000, short: 200)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: context.optrace), options: .alwaysMapped)
    let code = try ElfCode(bytes)
    let step = code.addresses.count / count
    let frames = (0..<count).map { number in
      "0 t0 frame f\(number + 1) image=i1 offset=\(code.addresses.lowerBound + step * number)"
    }
    let pages = (code.addresses.upperBound >> 12) + 1
    let path = URL(fileURLWithPath: context.optrace).resolvingSymlinksInPath().path
    let head = [
      "optrace text 1", "process 100 \"optrace\"", "writer \"1.0.0\"", "mode streaming", "wall 0", "monotonic 1",
      "state closed", "", "0 t0 image i1 build=\"\(code.buildID)\" page=1048576 pages=\(pages) \"\(path)\"",
    ]
    let text = context.file("addresses.txt")
    try Data(((head + frames).joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: text))
    let taken = try (0..<(context.isShort ? 1 : 5)).map { _ in
      let trace = context.file("addresses.optrace")
      _ = try context.run(["dump", text, "-o", trace])
      return try context.run(["symbolicate", trace])
    }
    return [
      Row(
        "walks", "names for \(count) addresses of \(bytes.count / 1_000_000) MB", Spread(taken.map(\.wall)), "s",
        atMost: context.isShort ? nil : 1),
      Row(
        "walks", "memory of that", Spread(taken.map { Double($0.peak) / 1e6 }), "MB",
        atMost: context.isShort ? nil : 100),
    ]
  }
}
