@testable import OpTraceKernel
@testable import OpTraceDoctor
import OpTraceAnalysis
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

import OpTraceText

@Suite("Findings for other tools: annotations and SARIF") struct DoctorFormatTests {
  private static let roots = SourceRoots(["/home/runner/work/shop", "/src"])

  private func finding(_ severity: Finding.Severity, _ code: DoctorCode, at location: CodeLocation?) -> Finding {
    let trouble = Trouble(code, DoctorRule.of(code)?.symptom ?? .misuse)
    var finding = Finding(trouble, severity, ending: .unknown, title: "what", explanation: "Because.", fix: "Do not.")
    finding.location = location
    return finding
  }

  private func report(_ findings: Finding...) -> DoctorReport {
    DoctorReport(of: HandmadeTrace().trace, findings: findings, by: .all)
  }

  @Test(
    "paths are relative to the first root that contains them",
    arguments: [
      ("/home/runner/work/shop/Sources/A.swift", "Sources/A.swift"), ("/src/B.swift", "B.swift"),
      ("/src/../other/B.swift", "../other/B.swift"),
      ("/home/runner/work/shopping/A.swift", "/home/runner/work/shopping/A.swift"),
      ("/src//x/./B.swift", "x/B.swift"), ("App/C.swift", "App/C.swift"), ("/src", "/src"),
    ]) func paths(path: String, expected: String)
  {
    #expect(Self.roots.path(of: path) == expected)
  }

  @Test("each finding is a GitHub workflow command with its line")
  func annotations() {
    let text = report(
      finding(.error, "wait-cycle", at: CodeLocation(function: "f()", file: "/src/Main.swift", line: 12)),
      finding(.warning, "never-finished", at: CodeLocation(function: "f()")),
      finding(.note, "blocking-wait", at: CodeLocation(file: "/other/B.swift"))
    ).annotations(roots: Self.roots, addition: "Test 'x' stalled.")
    let rest = "%0AFix: Do not.%0ATest 'x' stalled."
    #expect(
      text == """
        ::error file=Main.swift,line=12,title=wait-cycle::what%0ABecause.\(rest)
        ::warning title=never-finished::what%0ABecause.%0ACertainty: likely.\(rest)
        ::notice file=/other/B.swift,title=blocking-wait::what%0ABecause.%0ACertainty: likely.\(rest)

        """)
    #expect(report().annotations(roots: Self.roots) == "")
  }

  @Test("characters that would end a property, a message or a line are escaped for GitHub")
  func escaping() {
    let command = WorkflowCommand(
      .error, file: "a:b,c%\n.swift", line: 1, title: "x:y,z", message: "50 %, a: b\r\n::warning::c\u{1B}[2J")
    #expect(
      command.text
        == "::error file=a%3Ab%2Cc%25%0A.swift,line=1,title=x%3Ay%2Cz::50 %25, a: b%0D%0A::warning::c\u{FFFD}[2J\n")
  }

  @Test("SARIF has one run, the rules that occur, and a result for each finding")
  func sarif() throws {
    let report = report(
      finding(.error, "wait-cycle", at: CodeLocation(function: "run()", file: "/src/My App/Ü.swift", line: 12)),
      finding(.note, "blocking-wait", at: CodeLocation(file: "/other/B:1.swift", line: 0)),
      finding(.warning, "wait-cycle", at: nil))
    let bytes = report.sarif(version: "1.2.3", roots: Self.roots).exactBytes
    let log = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(log["version"] as? String == "2.1.0" && (log["$schema"] as? String)?.hasSuffix("sarif-2.1.0.json") == true)
    let runs = try #require(log["runs"] as? [[String: Any]])
    #expect(runs.count == 1)
    let driver = try #require((runs[0]["tool"] as? [String: [String: Any]])?["driver"])
    #expect(driver["name"] as? String == "OpTrace" && driver["version"] as? String == "1.2.3")
    let rules = try #require(driver["rules"] as? [[String: Any]])
    // Each rule occurs once, in the order of the doctor's table.
    #expect(rules.map { $0["id"] as? String } == ["wait-cycle", "blocking-wait"])
    for rule in rules {
      for key in ["shortDescription", "help"] {
        #expect((rule[key] as? [String: String])?["text"]?.isEmpty == false, "\(key)")
      }
    }
    let results = try #require(runs[0]["results"] as? [[String: Any]])
    #expect(results.map { $0["level"] as? String } == ["error", "note", "warning"])
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      #expect((result["message"] as? [String: String])?["text"] == "what. Because. Fix: Do not.")
    }
    let certainties = results.map { ($0["properties"] as? [String: Any])?["certainty"] as? String }
    #expect(certainties == ["proven", "likely", "likely"])

    let locations = results.map { $0["locations"] as? [[String: Any]] ?? [] }
    #expect(locations.map(\.count) == [1, 1, 0])
    let first = try #require(locations[0][0]["physicalLocation"] as? [String: [String: Any]])
    let artifact = ["uri": "My%20App/%C3%9C.swift", "uriBaseId": "%SRCROOT%"]
    #expect(first["artifactLocation"] as? [String: String] == artifact)
    #expect(first["region"]?["startLine"] as? Int == 12)
    let names = try #require(locations[0][0]["logicalLocations"] as? [[String: String]])
    #expect(names.map { $0["fullyQualifiedName"] } == ["run()"])
    let second = try #require(locations[1][0]["physicalLocation"] as? [String: [String: Any]])
    #expect(second["artifactLocation"] as? [String: String] == ["uri": "file:///other/B%3A1.swift"])
    #expect(second["region"] == nil && locations[1][0]["logicalLocations"] == nil)
  }

  @Test("SARIF of a healthy program has no results")
  func healthy() throws {
    let bytes = report().sarif(version: "1", roots: Self.roots).exactBytes
    let log = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    #expect((run["results"] as? [Any])?.isEmpty == true)
  }
}
