import OpTraceAnalysis
import OpTraceExport

/// A finding as text for people.
enum FindingLines {
  static func text(_ finding: Finding) -> String {
    var lines = ["\(finding.severity.rawValue): \(finding.title) [\(finding.code)]", "  \(finding.explanation)"]
    for evidence in finding.evidence {
      let time = evidence.time.map { "\(DurationText.text($0)): " } ?? ""
      lines.append("  - \(time)\(evidence.text)")
    }
    if finding.behind > 0 { lines.append("  \(finding.behind) more operations are behind them.") }
    lines.append("  fix: \(finding.fix)")
    return lines.map { TextEscaping.oneLine($0) }.joined(separator: "\n")
  }
}
