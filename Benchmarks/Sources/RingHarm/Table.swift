import BenchmarkSupport
import Foundation

/// Threads × ring × throughput.
enum Table {
  /// Whether nothing is wrong; goals that depend on the machine are only said.
  static func run(_ bench: Bench) throws -> Bool {
    let options = bench.options
    var cells: [Cell] = []
    say(Cell.header)
    for shape in options.shapes {
      for threads in options.threads {
        let recorders = (options.hasFile ? [.file] : []) + options.rings.map { Recorder.ring($0) }
        var checks: [Recorder: [Check]] = [:]
        let runs = try interleaved([.plain] + recorders, rounds: options.rounds) { recorder in
          let run = try bench.run(shape, threads, recorder)
          if case .ring = recorder {
            checks[recorder, default: []].append(try Check(bench, shape, run.log))
            try keep(bench, "\(shape.rawValue)-\(threads)-\(recorder.name).optrace")
          }
          return run
        }
        for recorder in recorders {
          var cell = Cell(shape, threads, recorder, plain: runs[.plain] ?? [], recorded: runs[recorder] ?? [])
          for check in checks[recorder] ?? [] { cell.add(check) }
          if options.isShort, cell.ratio.median < 0.5 { cell.faults.append("less than half of the throughput") }
          say(cell.text)
          cells.append(cell)
        }
      }
    }
    let good = cells.filter { $0.ratio.median >= 0.95 }.count
    print("\n\(good) of \(cells.count) have at least 0.95 of the throughput; load average \(loadAverage())")
    if let json = options.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      try encoder.encode(cells).write(to: URL(fileURLWithPath: json))
    }
    return cells.allSatisfy(\.faults.isEmpty)
  }

  private static func keep(_ bench: Bench, _ name: String) throws {
    guard let keep = bench.options.keep else { return }
    try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
    let target = keep + "/" + name
    try? FileManager.default.removeItem(atPath: target)
    try FileManager.default.copyItem(atPath: bench.file("run.optrace"), toPath: target)
  }

  static func loadAverage() -> String {
    var loads = [Double](repeating: 0, count: 3)
    return getloadavg(&loads, 3) == 3 ? loads.map { String(format: "%.1f", $0) }.joined(separator: ", ") : "unknown"
  }
}
