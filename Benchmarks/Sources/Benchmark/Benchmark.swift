import BenchmarkSupport
import Foundation

/// All measurements, each against its goal: `Benchmark OPTRACE [--short] [--json FILE] [GROUP…]`.
///
/// A missed goal is reported and is no failure, as goals hold for a machine that does nothing else. What can't be measured is
/// one, and so is a count (of allocations, of lost records) that does not depend on the machine.
@main
enum Benchmark {
  private static let groups: [(name: String, run: @Sendable (Context) throws -> [Row])] = [
    ("event", Events.run), ("queue", QueueCost.run), ("stacks", StackCost.run), ("cpu", CPUTimes.run),
    ("walks", StackParts.run),
    ("threads", Threads.run), ("latency", Latency.run), ("processes", Processes.run), ("live", Live.run),
    ("top", Watching.run),
    ("size", Sizes.run),
    ("reading", Reading.run), ("drawing", Drawing.run), ("tables", Tables.run),
  ]

  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func flag(_ name: String) -> Bool {
      guard let index = arguments.firstIndex(of: name) else { return false }
      arguments.remove(at: index)
      return true
    }
    let isShort = flag("--short")
    var json: String?
    if let index = arguments.firstIndex(of: "--json"), index + 1 < arguments.count {
      json = arguments[index + 1]
      arguments.removeSubrange(index...index + 1)
    }
    guard let optrace = arguments.first,
      arguments.dropFirst().allSatisfy({ name in groups.contains { $0.name == name } })
    else {
      let names = groups.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(
        Data("usage: Benchmark OPTRACE [--short] [--json FILE] [GROUP…]\ngroups: \(names)\n".utf8))
      exit(64)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let context = Context(
      optrace: optrace, workload: beside.appendingPathComponent("Workload").path,
      makeTrace: beside.appendingPathComponent("MakeTrace").path,
      stackWorkload: beside.appendingPathComponent("StackWorkload").path, folder: folder, isShort: isShort)

    var rows: [Row] = []
    for group in groups where arguments.count == 1 || arguments.contains(group.name) {
      print("\(group.name)")
      let new = try group.run(context)
      for row in new { print(row.text(showsGoal: !isShort)) }
      fflush(nil)
      rows += new
    }
    let goals = rows.filter { $0.verdict != .none && (!isShort || $0.isGate) }
    let missed = goals.filter { $0.verdict == .missed }
    print("\n\(goals.count - missed.count) goals met, \(missed.count) missed")
    if let json {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(Results(version: 1, machine: Machine.current, rows: rows.map(Result.init))).write(
        to: URL(fileURLWithPath: json))
    }
    if missed.contains(where: \.isGate) {
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }
}

/// What `--json` writes. Times are in the unit beside them.
private struct Results: Codable {
  var version: Int
  var machine: Machine
  var rows: [Result]
}

private struct Result: Codable {
  var row: Row
  var verdict: Row.Verdict

  init(_ row: Row) {
    self.row = row
    verdict = row.verdict
  }
}

/// On what it was measured.
struct Machine: Codable {
  var system: String
  var processors: Int
  var memory: UInt64
  var date: Date

  static var current: Machine {
    let info = ProcessInfo.processInfo
    return Machine(
      system: info.operatingSystemVersionString, processors: info.activeProcessorCount, memory: info.physicalMemory,
      date: Date())
  }
}
