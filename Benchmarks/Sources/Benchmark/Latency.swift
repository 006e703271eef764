import BenchmarkSupport
import Foundation

/// What a call takes that records, at its worst: into a file and into a flight recorder, from one thread and from many.
enum Latency {
  private struct Kind: Hashable {
    var way: String
    var threads: Int
  }

  static func run(_ context: Context) throws -> [Row] {
    let count = context.amount(2_000_000, short: 64_000)
    let numbers = [1, 4, 64, 128]
    let kinds = numbers.flatMap { threads in ["floor", "file", "ring"].map { Kind(way: $0, threads: threads) } }
    let taken = try interleaved(kinds, rounds: context.isShort ? 1 : 5) { kind in
      let words = ["latency", "\(count)", context.file("latency.optrace"), kind.way, "\(kind.threads)"]
      let child = try Child.run([context.workload] + words, keepsOutput: true)
      guard child.status == 0 else { throw Failed(what: "Workload \(words.joined(separator: " "))") }
      return try JSONDecoder().decode(Latencies.Figures.self, from: child.output)
    }
    return kinds.flatMap { kind in
      let figures = taken[kind] ?? []
      let place = kind.way == "floor" ? "two readings of the clock" : "a mark into a \(kind.way)"
      let name = "\(place), \(kind.threads) thread\(kind.threads == 1 ? "" : "s")"
      let goal = kind.way == "floor" ? nil : 20_000.0
      return [
        Row("latency", "\(name): p50", Spread(figures.map(\.p50)), "ns"),
        Row("latency", "\(name): p99", Spread(figures.map(\.p99)), "ns"),
        Row("latency", "\(name): p99.9", Spread(figures.map(\.p999)), "ns", atMost: goal),
        Row("latency", "\(name): longest", Spread(figures.map(\.longest)), "ns"),
      ]
    }
  }
}
