import OpTraceModel
package import OpTraceText

/// A `Comparison` for people.
package struct ComparisonText: Sendable {
  private static let mostLines = 20
  private static let mostTimings = 30

  private let comparison: Comparison
  private let failed: [Gate.Condition]
  private let addition: String
  private let style: TextStyle

  /// - Parameters:
  ///   - failed: the conditions of a gate that hold.
  ///   - addition: a part of the caller's own, below the times.
  package init(
    _ comparison: Comparison, failed: [Gate.Condition] = [], addition: String = "", style: TextStyle = .plain
  ) {
    (self.comparison, self.failed, self.addition, self.style) = (comparison, failed, addition, style)
  }

  /// Ends with a line end. O(differences + patterns).
  package var text: String {
    [head, structure, findings, timings, addition, functions, verdict].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var head: String {
    var table = TextTable([.text(""), .number("runs"), .number("operations"), .number("wall")])
    for (name, side) in [("base", comparison.base), ("new", comparison.new)] {
      table.add([name, grouped(side.runs), ComparisonFigures.range(side.operations), side.wall.map(duration) ?? "none"])
    }
    var text = table.text(style)
    if let wall = comparison.wall {
      text +=
        "  wall time \(ComparisonFigures.ratio(wall.ratio)) (\(ComparisonFigures.ratio(wall.low)) to \(ComparisonFigures.ratio(wall.high)))"
      text += comparison.isTested ? ", p \(ComparisonFigures.probability(wall.p)): \(painted(wall.verdict))\n" : "\n"
    }
    return text
  }

  // MARK: - Structure

  private var structure: String {
    let structure = comparison.structure
    guard structure.isChanged else { return style.paint(.strong, "Structure") + "\n  the same\n" }
    return style.paint(.strong, "Structure") + "\n"
      + list("operations", structure.operations.map { ($0.counts, title($0.pattern)) })
      + list(
        "dependencies", structure.edges.map { ($0.counts, "\(title($0.waiter)) waits for \(title($0.dependency))") })
      + list("queues", structure.queues.map { ($0.counts, "'\(shown($0.queue))'") })
      + list(
        "limits",
        structure.limits.map {
          ($0.counts, "'\(shown($0.queue))' \($0.limit.map { "at most \(grouped($0))" } ?? "without a limit")")
        })
      + list(
        "at the end", structure.ends.map { ($0.counts, "\(title($0.pattern)) \($0.state?.rawValue ?? "unknown")") })
  }

  private func list(_ heading: String, _ items: [(counts: StructureDifferences.Counts, text: String)]) -> String {
    guard !items.isEmpty else { return "" }
    var text = "  \(heading)\n"
    for item in items.prefix(Self.mostLines) {
      let sign = style.paint(item.counts.isMore ? .good : .error, item.counts.isMore ? "+" : "-")
      text +=
        "    \(sign) \(item.text)  \(style.paint(.faint, "\(ComparisonFigures.range(item.counts.base)) → \(ComparisonFigures.range(item.counts.new))"))\n"
    }
    return text + more(items.count - Self.mostLines, indent: "    ")
  }

  private var findings: String {
    let findings = comparison.structure.findings
    guard !findings.isEmpty else { return "" }
    var text = style.paint(.strong, "Findings") + "\n"
    for finding in findings {
      let role: TextStyle.Role = finding.isNew ? finding.isError ? .error : .warning : .good
      text +=
        "  \(style.paint(role, finding.isNew ? "+" : "-")) \(shown(finding.code))\(finding.isError ? " (error)" : "")"
      text += "  \(style.paint(.faint, "\(counted(finding.runs.base, "run")) → \(counted(finding.runs.new, "run"))"))\n"
    }
    return text
  }

  // MARK: - Times

  private var timings: String {
    guard !comparison.timings.isEmpty else { return "" }
    var table = TextTable([
      .text("operations"), .text("queue"), .number("running"), .number("times"), .text("range"), .number("p"),
      .text("verdict"),
    ])
    for timing in comparison.timings.prefix(Self.mostTimings) {
      table.add([
        title(timing.pattern), timing.pattern.queue ?? "", duration(timing.running),
        ComparisonFigures.ratio(timing.ratio),
        "\(ComparisonFigures.ratio(timing.low)) to \(ComparisonFigures.ratio(timing.high))",
        comparison.isTested ? timing.p.map(ComparisonFigures.probability) ?? "" : "",
        comparison.isTested ? timing.verdict.rawValue : "",
      ])
    }
    var text = style.paint(.strong, "Times of operations") + "\n" + table.text(style)
    text += more(comparison.timings.count - Self.mostTimings, indent: "  ")
    if !comparison.isTested {
      text +=
        "  verdicts need at least \(counted(TimingRule.leastRuns, "run")) of each side: optrace record --runs 10\n"
    } else if let needed = comparison.runsNeeded {
      text +=
        "  with so many patterns, verdicts need at least \(counted(needed, "run")) of each side: optrace record --runs 10\n"
    }
    return text
  }

  private var functions: String {
    comparison.functions.map { FunctionDifferencesText(differences: $0, style: style).text } ?? ""
  }

  // MARK: - Words

  private var verdict: String {
    guard !failed.isEmpty else { return "" }
    return style.paint(.error, "fails on " + failed.map(\.rawValue).joined(separator: ", ")) + "\n"
  }

  private func title(_ pattern: WorkPattern) -> String { shown(pattern.title) }

  private func painted(_ verdict: TimingVerdict) -> String {
    switch verdict {
    case .slower: style.paint(.error, verdict.rawValue)
    case .faster: style.paint(.good, verdict.rawValue)
    case .same, .unclear: verdict.rawValue
    }
  }

  private func shown(_ text: String) -> String { TerminalText.printable(text) }

  private func more(_ count: Int, indent: String) -> String { count > 0 ? "\(indent)and \(grouped(count)) more\n" : "" }
}

/// Figures of a comparison as every output writes them.
package enum ComparisonFigures {
  /// `12`, `12 to 15`.
  static func range(_ counts: ClosedRange<Int>) -> String {
    counts.count == 1 ? grouped(counts.lowerBound) : "\(grouped(counts.lowerBound)) to \(grouped(counts.upperBound))"
  }

  /// `x1.07`.
  package static func ratio(_ value: Double) -> String {
    guard value.isFinite, value < 1000 else { return ">x1000" }
    let hundredths = Int((value * 100).rounded())
    if hundredths <= 0 { return "<x0.01" }
    return "x\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// `0.012`, `<0.001`.
  static func probability(_ value: Double) -> String {
    if value < 0.001 { return "<0.001" }
    let thousandths = String(Int((min(value, 1) * 1000).rounded()))
    if thousandths == "1000" { return "1" }
    return "0." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
  }
}

extension WorkPattern {
  /// The name, and behind it in parentheses what runs, where that is something else.
  package var title: String {
    let kind = function ?? className
    return kind == name || kind.isEmpty ? name : "\(name) (\(kind))"
  }
}
