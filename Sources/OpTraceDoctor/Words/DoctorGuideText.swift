import OpTraceKernel
public import OpTraceText

/// The doctor's own manual: what each code means.
public struct DoctorGuideText: Sendable {
  let style: TextStyle

  /// Texts of this style.
  public init(style: TextStyle = .plain) { self.style = style }

  /// One code: its meaning, a mistake in code, and the same code fixed.
  public func page(of rule: DoctorRule) -> String {
    var lines = style.head(rule.severity, rule.code.rawValue, rule.symptom.meaning)
    lines += [""] + TerminalText.wrapped(rule.guide.meaning, to: style.width)
    for (title, role, code) in [
      ("Wrong", TextStyle.Role.error, rule.guide.wrong), ("Right", .good, rule.guide.right),
    ] {
      lines += ["", style.paint(role, title)]
      lines += code.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// All codes, by symptom, with the first sentence of each.
  public func list(of all: RuleSet) -> String {
    let width = all.rules.reduce(0) { max($0, $1.code.rawValue.count) }
    let groups = DoctorRule.Symptom.allCases.compactMap { symptom -> String? in
      let rules = all.rules.filter { $0.symptom == symptom }
      guard !rules.isEmpty else { return nil }
      let lines = rules.flatMap { entry($0, width) }
      return ([style.paint(.strong, symptom.heading)] + lines).joined(separator: "\n") + "\n"
    }
    return groups.joined(separator: "\n")
  }

  private func entry(_ rule: DoctorRule, _ width: Int) -> [String] {
    let severity = Finding.Severity.allCases.reduce(0) { max($0, $1.rawValue.count) }
    let indent = 2 + width + 2 + severity + 2
    let lines = TerminalText.wrapped(Self.firstSentence(of: rule.guide.meaning), to: style.width - indent)
    let start =
      "  " + TerminalText.padded(rule.code.rawValue, width) + "  "
      + style.paint(DoctorText.role(of: rule.severity), TerminalText.padded(rule.severity.rawValue, severity)) + "  "
    return lines.enumerated().map { $0 == 0 ? start + $1 : String(repeating: " ", count: indent) + $1 }
  }

  static func firstSentence(of text: String) -> String {
    let words = text.split(separator: " ")
    guard let end = words.firstIndex(where: { $0.hasSuffix(".") || $0.hasSuffix(":") }) else { return text }
    let sentence = words[...end].joined(separator: " ")
    return sentence.hasSuffix(":") ? sentence.dropLast() + "." : sentence
  }
}

extension DoctorRule.Symptom {
  var meaning: String {
    switch self {
    case .stuck: "nothing moves any more"
    case .misuse: "it works, but it is wrong"
    case .slow: "it works, but it is slower than it needs to be"
    }
  }

  var heading: String { meaning.prefix(1).uppercased() + meaning.dropFirst() }
}
