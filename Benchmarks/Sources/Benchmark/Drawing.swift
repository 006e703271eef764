import BenchmarkSupport
import Foundation

/// The dependency graph as SVG, all of it; the smallest against Graphviz itself where that is installed.
enum Drawing {
  static func run(_ context: Context) throws -> [Row] {
    let rounds = context.isShort ? 1 : 5
    var rows: [Row] = []
    let small = try context.trace(1_000, "layered")
    let dot = context.file("small.dot")
    _ = try context.run(["graph", small, "--format", "dot", "-o", dot])
    if (try? Child.run(["dot", "-V"], showsErrors: false).status) == 0 {
      let runs = try interleaved(["optrace", "dot"], rounds: rounds) { kind in
        kind == "dot"
          ? try Child.run(["dot", "-Tsvg", "-o", context.file("small-dot.svg"), dot])
          : try context.run(["graph", small, "--full", "-o", context.file("small.svg")])
      }
      let ratio = ratios((runs["optrace"] ?? []).map(\.cpu), (runs["dot"] ?? []).map(\.cpu))
      rows.append(Row("drawing", "1,000 operations / Graphviz itself, CPU", ratio, "x", atMost: 1))
    }
    for (count, seconds, megabytes) in [(10_000, 2.0, nil), (100_000, 10.0, 500.0)] as [(Int, Double, Double?)] {
      if context.isShort, count > 10_000 { continue }
      for shape in ["layered", "pipeline"] {
        let trace = try context.trace(count, shape)
        let svg = context.file("large.svg")
        let runs = try (0..<rounds).map { _ in try context.run(["graph", trace, "--full", "-o", svg]) }
        let name = "\(count) operations, \(shape)"
        rows.append(Row("drawing", "\(name)", Spread(runs.map(\.wall)), "s", atMost: seconds))
        let memory = Spread(runs.map { Double($0.peak) / 1e6 })
        rows.append(Row("drawing", "\(name): memory", memory, "MB", atMost: megabytes))
        rows.append(Row("drawing", "\(name): file", Double(try context.size(svg)) / 1e6, "MB"))
      }
    }
    return rows
  }
}
