import OpTraceAnalysis
import OpTraceModel

/// The last lines: what it comes to, whether anything moves, what is missing, what to run next.
extension DoctorText {
  func verdict(_ hints: [Hint]) -> [String] {
    var lines = sentence
    if let loss { lines += wrapped(loss) }
    if let movement = report.movement { lines += wrapped(text(of: movement)) }
    let width = hints.reduce(0) { max($0, TerminalText.columns(of: $1.command)) }
    let widest = hints.reduce(0) { max($0, TerminalText.columns(of: $1.purpose)) }
    for hint in hints {
      // Commands are never broken: people copy them.
      guard 2 + width + 2 + widest <= style.width else {
        lines += [style.paint(.faint, "\(hint.purpose):"), "  " + style.paint(.strong, hint.command)]
        continue
      }
      lines.append(
        "  " + style.paint(.strong, TerminalText.padded(hint.command, width)) + "  " + style.paint(.faint, hint.purpose)
      )
    }
    return lines
  }

  private var sentence: [String] {
    let all = report.trace.operations.count
    let open = report.unfinished
    if report.verdict == .healthy {
      var text = "No deadlock, stall or misuse found in \(counted(all, "operation"))."
      if open > 0 {
        text += " \(grouped(open)) of them \(open == 1 ? "is" : "are") not over"
        let isLong = report.movement == nil && report.silence >= 1_000_000_000
        text += isLong ? ", and nothing moved in the last \(DurationText.text(report.silence))." : "."
      }
      return wrapped(text).map { style.paint(.good, $0) }
    }
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = report.findings.count { $0.severity == severity }
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
    var text = ": \(Self.list(counts))"
    if open == 0 {
      text += " in \(counted(all, "operation"))"
    } else {
      text += "; \(grouped(open)) of \(counted(all, "operation")) \(open == 1 ? "is" : "are") not over"
      if report.movement == nil, report.silence > 0 {
        text += ", and nothing moved in the last \(DurationText.text(report.silence))"
      }
    }
    // The verdict of misuse is a warning; the text does not hide that it is an error.
    let word = report.hasErrors && report.verdict == .warning ? "wrong" : report.verdict.rawValue
    let role: Role = report.hasErrors ? .error : .warning
    return wrapped(word + text + ".").enumerated().map {
      $0 == 0 ? style.paint(role, word) + $1.dropFirst(word.count) : $1
    }
  }

  private func text(of movement: DoctorReport.Movement) -> String {
    let looks = "between two looks \(DurationText.text(movement.apart)) apart"
    guard movement.hasMoved else {
      let silence = DurationText.text(report.silence)
      return report.unfinished == 0
        ? "Nothing moved \(looks): there was nothing to do."
        : "Nothing moved \(looks); nothing has moved for \(silence)."
    }
    let parts = [
      (movement.added, "added"), (movement.started, "started"), (movement.finished, "finished"),
    ].filter { $0.0 > 0 }
    guard let first = parts.first else { return "Queues or waits changed \(looks), and no operation began or ended." }
    let rest = parts.dropFirst().map { "\(grouped($0.0)) \($0.1)" }
    let all = ["\(counted(first.0, "operation")) \(first.0 == 1 ? "was" : "were") \(first.1)"] + rest
    return "\(Self.list(all)) \(looks): work goes on."
  }

  private var loss: String? {
    let loss = report.trace.loss
    var parts: [String] = []
    if loss.isDamaged { parts.append("it is damaged in \(counted(loss.damage.count, "place"))") }
    if loss.lostCount > 0 { parts.append("\(counted(Int(clamping: loss.lostCount), "record")) of it were lost") }
    if !loss.unknownKinds.isEmpty { parts.append("a newer OpTrace wrote records that this one does not know") }
    guard !parts.isEmpty else { return nil }
    return "The trace is not complete: \(Self.list(parts)). What is missing may tell otherwise."
  }

  private static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private func wrapped(_ text: String) -> [String] { TerminalText.wrapped(text, to: style.width) }
}
