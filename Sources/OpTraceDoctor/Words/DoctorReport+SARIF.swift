import OpTraceKernel
package import OpTraceModel
package import OpTraceText

/// Findings as SARIF 2.1.0, the form in which code scanners and editors take what tools find.
extension DoctorReport {
  /// One run, with the rules that found something. O(findings).
  /// - Parameters:
  ///   - version: of OpTrace.
  ///   - roots: what paths are relative to; a file elsewhere has an absolute one.
  package func sarif(version: String, roots: SourceRoots) -> JSONValue {
    let codes = Set(findings.map(\.code))
    let rules = self.rules.rules.filter { codes.contains($0.code) }
    let indexes = Dictionary(rules.enumerated().map { ($1.code, $0) }, uniquingKeysWith: { first, _ in first })
    return .members([
      "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
      "version": .string("2.1.0"),
      "runs": .array([
        .members([
          "tool": .members([
            "driver": .members([
              "name": .string("OpTrace"),
              "version": .string(version),
              "rules": .array(rules.map(\.sarif)),
            ])
          ]),
          "results": .array(findings.map { result($0, index: indexes[$0.code], roots) }),
          "properties": .members(["verdict": .string(verdict.rawValue), "answer": .string(answer)]),
        ])
      ]),
    ])
  }

  private func result(_ finding: Finding, index: Int?, _ roots: SourceRoots) -> JSONValue {
    let sentences = [finding.title + ".", finding.explanation, finding.fix.isEmpty ? "" : "Fix: \(finding.fix)"]
    var members: [JSONValue.Member] = [.init("ruleId", .string(finding.code.rawValue))]
    if let index { members.append(.init("ruleIndex", .integer(index))) }
    members += [
      .init("level", .string(finding.severity.rawValue)),
      .init("message", .members(["text": .string(sentences.filter { !$0.isEmpty }.joined(separator: " "))])),
      .init("locations", .array(finding.location.flatMap { Self.location($0, roots) }.map { [$0] } ?? [])),
      .init(
        "properties",
        .members([
          "certainty": .string(finding.certainty.rawValue),
          "proven": .bool(finding.isProven),
          "behind": .integer(finding.behind),
        ])),
    ]
    return .object(members)
  }

  /// Nil: nothing is known of it.
  package static func location(_ location: CodeLocation, _ roots: SourceRoots) -> JSONValue? {
    var members: [JSONValue.Member] = []
    if let file = location.file {
      let path = roots.path(of: file)
      var physical = [JSONValue.Member("artifactLocation", artifact(path))]
      // Lines count from 1; the compiler's own code has line 0.
      if let line = location.line, line > 0 {
        physical.append(.init("region", .members(["startLine": .integer(line)])))
      }
      members.append(.init("physicalLocation", .object(physical)))
    }
    if let function = location.function {
      let name: JSONValue = .members(["fullyQualifiedName": .string(function), "kind": .string("function")])
      members.append(.init("logicalLocations", .array([name])))
    }
    return members.isEmpty ? nil : .object(members)
  }

  private static func artifact(_ path: String) -> JSONValue {
    path.hasPrefix("/")
      ? .members(["uri": .string("file://" + percentEncoded(path))])
      : .members(["uri": .string(percentEncoded(path)), "uriBaseId": .string("%SRCROOT%")])
  }

  /// All but what a path may hold as it is (RFC 3986, without the characters that have a meaning somewhere).
  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

extension DoctorRule {
  /// As SARIF describes a rule.
  fileprivate var sarif: JSONValue {
    let help = "\(guide.meaning)\n\nWrong:\n\n\(guide.wrong)\n\nRight:\n\n\(guide.right)"
    let markdown =
      "\(guide.meaning)\n\nWrong:\n\n```swift\n\(guide.wrong)\n```\n\nRight:\n\n```swift\n\(guide.right)\n```"
    return .members([
      "id": .string(code.rawValue),
      "shortDescription": .members(["text": .string(DoctorGuideText.firstSentence(of: guide.meaning))]),
      "fullDescription": .members(["text": .string(guide.meaning)]),
      "help": .members(["text": .string(help), "markdown": .string(markdown)]),
      "defaultConfiguration": .members(["level": .string(severity.rawValue)]),
      "properties": .members(["tags": .array([.string(symptom.rawValue)])]),
    ])
  }
}
