import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Findings as workflow commands of GitHub Actions: each becomes an annotation of the run, at its line of the source.
extension DoctorReport {
  /// A line for each finding: `::error file=Sources/App/Main.swift,line=12,title=wait-cycle::…`. Empty if there is none.
  /// - Parameters:
  ///   - roots: what paths are relative to. GitHub finds a file by its path in the checkout.
  ///   - addition: one more line of each message, as the test that stalled; nil: none.
  package func annotations(roots: SourceRoots, addition: String? = nil) -> String {
    findings.map { finding in
      var lines = [finding.title, finding.explanation]
      if finding.certainty != .proven { lines.append("Certainty: \(finding.certainty.rawValue).") }
      if !finding.fix.isEmpty { lines.append("Fix: \(finding.fix)") }
      if let addition { lines.append(addition) }
      return WorkflowCommand(
        finding.severity, file: finding.location?.file.map(roots.path(of:)), line: finding.location?.line,
        title: finding.code.rawValue, message: lines.filter { !$0.isEmpty }.joined(separator: "\n")
      ).text
    }.joined()
  }
}

/// One annotation, as GitHub's runner reads it from the output of a step.
package struct WorkflowCommand: Sendable {
  /// The command, with its line end.
  package let text: String

  /// - Parameters:
  ///   - severity: an error, a warning, or a notice.
  ///   - file: its path in the checkout; nil: not known. Then the line says nothing either.
  ///   - line: from 1; nil: not known.
  ///   - title: shown in bold.
  ///   - message: may have several lines.
  package init(_ severity: Finding.Severity, file: String?, line: Int?, title: String, message: String) {
    var properties: [String] = []
    if let file {
      properties.append("file=\(Self.property(file))")
      if let line { properties.append("line=\(line)") }
    }
    properties.append("title=\(Self.property(title))")
    text = "::\(Self.name(of: severity)) \(properties.joined(separator: ","))::\(Self.data(message))\n"
  }

  private static func name(of severity: Finding.Severity) -> String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }

  /// What stands behind the command: the runner reads up to the line's end.
  static func data(_ text: String) -> String { escaped(text, also: "") }

  /// The value of a property, which colons and commas would end.
  static func property(_ text: String) -> String { escaped(text, also: ":,") }

  private static func escaped(_ text: String, also special: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case ":" where special.contains(":"): result += "%3A"
      case "," where special.contains(","): result += "%2C"
      // A log is read in a terminal, too.
      default: result += TerminalText.printable(String(scalar))
      }
    }
    return result
  }
}
