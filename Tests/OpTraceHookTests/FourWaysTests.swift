import Foundation
import OpTraceModel
import TestSupport
import Testing

/// Each scenario is recorded in four ways, by an unoptimised and by an optimised program: the traces say the same.
///
/// `Expected/SCENARIO.txt` has the expected result: first what the program prints, then the trace. With
/// `OPTRACE_UPDATE_GOLDEN=1` these files are written from the traced types. Read the diff.
@Suite(.ownThread) struct FourWaysTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var scenario: Scenario
    var way: Way
    var build: Build
    var testDescription: String { "\(scenario.rawValue), \(way.rawValue), \(build.rawValue)" }
  }

  static let cases: [Case] = Scenario.allCases.flatMap { scenario in
    // A foreign operation without a queue is not recorded.
    Way.allCases.filter { $0 != .foreign || scenario != .byHand }.flatMap { way in
      way.builds.map { Case(scenario: scenario, way: way, build: $0) }
    }
  }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Expected")
  static let isUpdating = ProcessInfo.processInfo.environment["OPTRACE_UPDATE_GOLDEN"] != nil

  private func expected(_ scenario: Scenario) throws -> [String] {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent("\(scenario.rawValue).txt"), encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }

  @Test(arguments: cases) func everyWayTellsTheSame(_ item: Case) throws {
    let scratch = try Scratch()
    let ended = try Programs.run(item.scenario.rawValue, item.way, item.build, into: scratch.file("run.optrace"))
    let files = try scratch.traces
    try #require(files.map(\.lastPathComponent) == ["run.optrace"], "\(ended)")
    #expect(ended.status == 0, "\(ended)")
    let events = try TraceReader.events(path: files[0].path)
    let trace = TraceBuilder.build(events)
    #expect(faults(events, trace) == [])
    let found = ended.output.split(separator: "\n").map { "prints: \($0)" } + NormalTrace(trace: trace).lines
    if Self.isUpdating, item.way == .traced, item.build == .debug {
      try (found.joined(separator: "\n") + "\n").write(
        to: Self.folder.appendingPathComponent("\(item.scenario.rawValue).txt"), atomically: true, encoding: .utf8)
    }
    let differences = difference(found, try expected(item.scenario))
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
    if !item.way.isRecorded { #expect(ended.errors == "") }
  }

  /// The program prints the same without recording: recording does not change its behaviour.
  @Test(arguments: Scenario.allCases, Build.allCases)
  func unrecordedProgramDoesTheSame(_ scenario: Scenario, _ build: Build) throws {
    let ended = try Programs.run(scenario.rawValue, .recorded, build, into: nil)
    let lines = try expected(scenario).filter { $0.hasPrefix("prints: ") }.map { $0.dropFirst("prints: ".count) }
    #expect(ended == ProgramResult(status: 0, output: lines.map { $0 + "\n" }.joined(), errors: ""))
  }
}
