import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// The doctor finds each code in its program, and nothing false in the fixed program. The table is printed.
@Suite("The doctor on real programs", .ownThread)
struct DoctorTableTests {
  /// Codes that are also true of a program, as consequences of its fault.
  static let alsoTrue: [DoctorCode: Set<DoctorCode>] = [
    // The pool starves because threads are blocked.
    "thread-pool-starvation": ["blocking-wait"],
    // The overtaken operation waits for a slot of a full queue. A chain of 2,000 operations keeps itself in memory.
    "priority-inversion": ["serial-bottleneck"],
    "dependency-chain-cost": ["retained-operation", "serial-bottleneck"],
  ]

  private struct Row: Sendable {
    var name: String
    var found: [Finding]
    var twin: [Finding]
  }

  @Test("the doctor finds each error in its program, and nothing in the fixed one")
  func table() async throws {
    var rows: [Row] = []
    var left = Scenario.broken[...]
    try await withThrowingTaskGroup(of: Row.self) { group in
      // Six at once, as the programs mostly wait.
      for _ in 0..<6 {
        guard let scenario = left.popFirst() else { break }
        group.addTask { try await Self.run(scenario) }
      }
      while let row = try await group.next() {
        rows.append(row)
        guard let scenario = left.popFirst() else { continue }
        group.addTask { try await Self.run(scenario) }
      }
    }
    #expect(rows.count == Scenario.broken.count)
    var text = "code x program: found / missed / false\n"
    for scenario in Scenario.broken {
      let row = try #require(rows.first { $0.name == scenario.name })
      let code = DoctorCode(rawValue: try #require(scenario.code))
      // Another thread of the program sleeps for a time, so this finding is likely, not proven.
      let isFound = row.found.contains {
        $0.code == code && ($0.isProven || code == "cancelled-never-finished" && $0.certainty == .likely)
      }
      let allowed = Self.alsoTrue[code] ?? []
      let wrong =
        row.found.filter { $0.code != code && !allowed.contains($0.code) }
        + row.twin.filter { Self.isTrouble($0) || $0.code == code && $0.severity == DoctorRule.of(code)?.severity }
      text += "  \(scenario.name.padding(toLength: 34, withPad: " ", startingAt: 0)) "
      text += (isFound ? "found" : "MISSED") + (wrong.isEmpty ? "" : ", FALSE: \(wrong.map(\.code))") + "\n"
      #expect(isFound, "\(scenario.name)")
      #expect(wrong.isEmpty, "\(scenario.name): \(wrong.map { "\($0.code): \($0.title)" })")
      for finding in row.found + row.twin { Self.checkSentences(finding) }
    }
    print(text)
  }

  /// No sentence begins with a small letter. One that began with code would.
  private static func checkSentences(_ finding: Finding) {
    for sentence in [finding.explanation, finding.fix].flatMap({ $0.components(separatedBy: ". ") }) {
      #expect(sentence.first?.isLowercase == false, "\(finding.code): \(sentence)")
    }
  }

  /// Warnings about slowness may be true of a healthy program. Other warnings and errors may not.
  static func isTrouble(_ finding: Finding) -> Bool {
    finding.severity == .error || (finding.severity == .warning && DoctorRule.of(finding.code)?.symptom != .slow)
  }

  private static func run(_ scenario: Scenario) async throws -> Row {
    let broken = try await BrokenRun(scenario.name)
    let twin = try await BrokenRun(scenario.name, fixed: true)
    var options = DoctorOptions()
    // The runs end after less silence than the doctor's default.
    options.stallAfter = 1_000_000_000
    return Row(
      name: scenario.name, found: Diagnosis(of: broken.trace, options: options).findings,
      twin: Diagnosis(of: twin.trace, options: options).findings)
  }
}
