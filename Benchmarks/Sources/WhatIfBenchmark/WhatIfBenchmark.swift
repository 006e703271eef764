import BenchmarkSupport
import Foundation

/// How near predictions come: `WhatIfBenchmark OPTRACE [--runs N] [--short] [SHAPE…]`.
///
/// Each shape of WhatIfPrograms is recorded once as it is. From that trace `optrace whatif` predicts each of its changes; then the program
/// runs for real with the change, and its recorded wall time is compared.
///
/// With `--short` some shapes alone, and status 1 where predictions are of little use: half of them at least have to be nearer
/// by half than to say that nothing changes. That holds on a busy machine too; the figures are for a quiet one.
@main
enum WhatIfBenchmark {
  struct Case {
    var isKnown: Bool
    var shape: String
    var change: String
    /// Seconds.
    var predicted: Double?
    var low: Double
    var high: Double
    var recorded: Double
    var real: [Double]
    var isTrusted: Bool

    private var middle: Double { real.sorted()[real.count / 2] }
    /// Shares of the real wall time.
    var error: Double { predicted.map { abs($0 - middle) / middle } ?? 1 }
    /// What one is off who says that nothing changes.
    var naiveError: Double { abs(recorded - middle) / middle }
    var heldRuns: Int { real.filter { low <= $0 && $0 <= high }.count }

    var row: String {
      let predicted = predicted.map { String(format: "%.1f", $0 * 1000) } ?? "never"
      return String(
        format: "%@ %@ %8@ %8.1f to %7.1f %8.1f %6.2f %%  %@%@",
        shape.padding(toLength: 12, withPad: " ", startingAt: 0),
        change.padding(toLength: 34, withPad: " ", startingAt: 0), predicted as NSString, low * 1000, high * 1000,
        middle * 1000, error * 100, heldRuns == real.count ? "in range" : "OUTSIDE", isTrusted ? "" : ", not trusted")
    }
  }

  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var runs = 1
    if let index = arguments.firstIndex(of: "--runs"), index + 1 < arguments.count,
      let count = Int(arguments[index + 1])
    {
      runs = max(1, count)
      arguments.removeSubrange(index...index + 1)
    }
    let isShort = arguments.contains("--short")
    arguments.removeAll { $0 == "--short" }
    guard let optrace = arguments.first else {
      FileHandle.standardError.write(Data("usage: WhatIfBenchmark OPTRACE [--runs N] [--short] [SHAPE…]\n".utf8))
      exit(64)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-whatif-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("WhatIfPrograms").path
    let lister = Lister(optrace: optrace, programs: programs, folder: folder, runs: runs)
    var cases: [Case] = []
    print("shape        change                             predicted      range (ms)      real    error")
    if isShort { arguments += Self.shortShapes }
    for (isKnown, shape, changes) in try lister.shapes() where arguments.count == 1 || arguments.contains(shape) {
      for result in try lister.measure(isKnown, shape, changes) {
        print(result.row)
        fflush(nil)
        cases.append(result)
      }
    }
    print("\n" + Errors("known shapes", cases.filter(\.isKnown)).text)
    print(Errors("new shapes", cases.filter { !$0.isKnown }).text)
    print(Errors("all", cases).text)
    if isShort, cases.isEmpty || cases.filter({ $0.error <= $0.naiveError / 2 }).count * 2 < cases.count {
      FileHandle.standardError.write(Data("WhatIfBenchmark: most predictions are of little use\n".utf8))
      exit(1)
    }
  }

  /// Quick ones, in which little is a matter of chance.
  private static let shortShapes = ["tree", "gates", "clock", "retry"]
}

/// Records programs and asks for predictions.
struct Lister {
  let optrace: String
  let programs: String
  let folder: URL
  let runs: Int

  func shapes() throws -> [(isKnown: Bool, name: String, changes: [String])] {
    let list = try Child.run([programs], keepsOutput: true)
    return String(decoding: list.output, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\t").map(String.init)
      return words.count > 2 ? (words[0] == "known", words[1], Array(words.dropFirst(2))) : nil
    }
  }

  func measure(_ isKnown: Bool, _ shape: String, _ changes: [String]) throws -> [WhatIfBenchmark.Case] {
    let base = try record(shape, "", "base")
    var words = [optrace, "whatif", base, "--json"]
    for change in changes { words += ["--scenario", change] }
    let answer = try Child.run(words, keepsOutput: true)
    guard let document = try JSONSerialization.jsonObject(with: answer.output) as? [String: Any],
      let scenarios = document["scenarios"] as? [[String: Any]], scenarios.count == changes.count,
      let replay = document["replay"] as? [String: Any]
    else { throw Failed(what: words.joined(separator: " ")) }
    return try zip(changes, scenarios).map { change, scenario in
      let real = try (0..<runs).map { try wall(of: try record(shape, change, "changed\($0)")) }
      return WhatIfBenchmark.Case(
        isKnown: isKnown, shape: shape, change: change, predicted: scenario["wallSeconds"] as? Double,
        low: scenario["lowSeconds"] as? Double ?? 0, high: scenario["highSeconds"] as? Double ?? 0,
        recorded: document["recordedSeconds"] as? Double ?? 0, real: real,
        isTrusted: replay["trusted"] as? Bool ?? false)
    }
  }

  private func record(_ shape: String, _ change: String, _ name: String) throws -> String {
    let file = folder.appendingPathComponent("\(shape).\(name).optrace").path
    setenv("WHATIF_CHANGES", change, 1)
    defer { unsetenv("WHATIF_CHANGES") }
    let words = [optrace, "record", "-o", file, "--", programs, shape]
    guard try Child.run(words, showsErrors: false).status == 0 else { throw Failed(what: words.joined(separator: " ")) }
    return file
  }

  private func wall(of trace: String) throws -> Double {
    let answer = try Child.run([optrace, "summary", "--json", trace], keepsOutput: true)
    let document = try JSONSerialization.jsonObject(with: answer.output) as? [String: Any]
    guard let wall = document?["wallSeconds"] as? Double, wall > 0 else { throw Failed(what: "summary of \(trace)") }
    return wall
  }
}

/// How far many predictions were off.
struct Errors {
  let text: String

  init(_ title: String, _ cases: [WhatIfBenchmark.Case]) {
    guard !cases.isEmpty else {
      text = "\(title): none"
      return
    }
    let errors = cases.map(\.error).sorted()
    let naive = cases.map(\.naiveError).sorted()
    func at(_ share: Double, _ list: [Double]) -> String {
      String(format: "%.2f", list[min(list.count - 1, Int(Double(list.count) * share))] * 100)
    }
    let near = errors.filter { $0 <= 0.05 }.count
    let held = cases.reduce(0) { $0 + $1.heldRuns }
    let all = cases.reduce(0) { $0 + $1.real.count }
    text =
      "\(title): \(cases.count) predictions; error median \(at(0.5, errors)) %, 90 % \(at(0.9, errors)) %, "
      + "worst \(at(1, errors)) %; within 5 %: \(near * 100 / cases.count) %; the range held \(held * 100 / all) % of real runs; "
      + "\"nothing changes\": median \(at(0.5, naive)) %, worst \(at(1, naive)) %"
  }
}
