import Foundation
import OpTraceAnalysis
import Testing

/// `Documentation/doctor.md` has a section for each rule, in the table's order, with its severity.
@Suite struct DoctorDocumentTests {
  private let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Documentation/doctor.md")

  @Test func everyCodeHasASection() throws {
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let sections = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
    let codes = DoctorRule.table.map(\.code.rawValue)
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

  /// What others have to know of a finding is data on it, so that a rule is one file.
  @Test func everyCodeIsWrittenOnlyByItsRule() throws {
    let sources = path.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
      .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    var places: [String: [String]] = [:]
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Modules below know nothing of findings, and demo programs are named after what they show.
      guard file.path.contains("/OpTraceDoctor/") || text.contains("import OpTraceDoctor") else { continue }
      // A witness names the code of a rule that it knows nothing else of.
      if text.contains("extension DoctorWitness") { continue }
      for rule in DoctorRule.table where text.contains("\"\(rule.code)\"") {
        places[rule.code.rawValue, default: []].append(file.lastPathComponent)
      }
    }
    for rule in DoctorRule.table {
      #expect(places[rule.code.rawValue]?.count == 1, "\(rule.code): \(places[rule.code.rawValue] ?? [])")
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
      let expected = DoctorRule.table.filter { $0.symptom == symptom }.map(\.code.rawValue)
      #expect(codes.map(String.init) == expected, "\(heading)")
    }
  }
}
