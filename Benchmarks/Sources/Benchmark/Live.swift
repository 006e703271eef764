import BenchmarkSupport
import Foundation

/// What spans, metrics and a context cost that goes from who adds an operation into its code, and what they weigh in a program.
enum Live {
  private static let kinds = ["off", "context", "spans", "metrics"]

  static func run(_ context: Context) throws -> [Row] {
    let programs = URL(fileURLWithPath: context.workload).deletingLastPathComponent()
    func beside(_ name: String) -> String { programs.appendingPathComponent(name).path }
    let count = context.amount(200_000, short: 1_000)
    let taken = try interleaved(kinds, rounds: context.rounds) { kind in
      let child = try Child.run(
        [beside("LiveWorkload"), kind, "\(count)", context.file("live.optrace")], keepsOutput: true)
      guard child.status == 0 else { throw Failed(what: "LiveWorkload \(kind)") }
      return try JSONDecoder().decode(Taken.self, from: child.output)
    }
    /// Beyond what recording takes, for each operation.
    func more(_ kind: String, _ what: (Taken) -> UInt64) -> Spread {
      let pairs = zip(taken[kind] ?? [], taken["off"] ?? [])
      return Spread(pairs.map { with, without in (Double(what(with)) - Double(what(without))) / Double(count) })
    }
    func megabytes(_ name: String) throws -> Double {
      func loaded(_ name: String) throws -> Int {
        try ElfCode(Data(contentsOf: URL(fileURLWithPath: beside(name)))).loadedSize
      }
      return Double(try loaded(name) - loaded("LinkedPlain")) / 1e6
    }
    return [
      Row(
        "live", "a context into an operation's code", more("context") { $0.process }, "ns", atMost: 300,
        note: "CPU, each"),
      Row("live", "the same, allocations", more("context") { $0.allocations }, "calls", note: "each"),
      Row(
        "live", "an operation as a span", more("spans") { $0.process }, "ns",
        note: "CPU, each; the backend does nothing"),
      Row(
        "live", "an operation's waits as metrics", more("metrics") { $0.process }, "ns",
        note: "CPU, each; the backend does nothing"),
      Row(
        "live", "OpTraceTracing in a linked program", try megabytes("LinkedTracing"), "MB", atMost: 0.15,
        note: "what is loaded"),
      Row("live", "OpTraceMetrics in a linked program", try megabytes("LinkedMetrics"), "MB", note: "what is loaded"),
    ]
  }
}
