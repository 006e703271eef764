import Foundation
import OpTraceAnalysis
import Testing

/// `Documentation/doctor.md` has a section for each rule, in the table's order, with its severity.
@Suite struct DoctorDocumentTests {
  private let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Documentation/doctor.md")

  @Test func everyCodeHasASection() throws {
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let sections = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
    let codes = DoctorRule.table.map(\.code)
    for code in codes where !sections.contains(code) { Issue.record("doctor.md has no section '### \(code)'") }
    for code in sections where !codes.contains(code) {
      Issue.record("doctor.md has a section '### \(code)', which is no rule")
    }
    #expect(sections == codes, "the sections are in the order of DoctorRule.table")
  }

  @Test func everySectionBeginsWithItsSeverity() throws {
    let text = try String(contentsOf: path, encoding: .utf8)
    for rule in DoctorRule.table {
      let begin = "### \(rule.code)\n\n**\(rule.severity.rawValue)**"
      let begins = text.contains(begin)
      #expect(begins, "doctor.md: \(rule.code) begins with **\(rule.severity.rawValue)**")
    }
  }

  @Test func everySymptomListsItsCodes() throws {
    let text = try String(contentsOf: path, encoding: .utf8)
    let headings = [
      "Nothing moves any more", "It works, but it is wrong", "It works, but it is slower than it needs to be",
    ]
    for (heading, symptom) in zip(headings, DoctorRule.Symptom.allCases) {
      let begin = try #require(text.range(of: "\n## \(heading)\n")).upperBound
      let end = text.range(of: "\n## ", range: begin..<text.endIndex)?.lowerBound ?? text.endIndex
      let codes = text[begin..<end].split(separator: "\n").filter { $0.hasPrefix("### ") }.map { $0.dropFirst(4) }
      let expected = DoctorRule.table.filter { $0.symptom == symptom }.map(\.code)
      #expect(codes.map(String.init) == expected, "\(heading)")
    }
  }
}
