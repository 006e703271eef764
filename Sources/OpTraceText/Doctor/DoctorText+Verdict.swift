import OpTraceAnalysis
import OpTraceModel

/// The last lines: what it comes to, whether anything moves, what is missing, what to run next.
extension DoctorText {
  func verdict(_ hints: [Hint]) -> [String] {
    var lines = sentence
    if let loss = report.lossSentence { lines += wrapped(loss) }
    if let unknown = report.unknownWaitsSentence { lines += wrapped(unknown) }
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
    let lines = wrapped(report.sentence)
    if report.verdict == .healthy { return lines.map { style.paint(.good, $0) } }
    let word = report.verdict.rawValue
    return lines.enumerated().map {
      $0 == 0 ? style.paint(report.hasErrors ? .error : .warning, word) + $1.dropFirst(word.count) : $1
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
    return "\(listed(all)) \(looks): work goes on."
  }

  private func wrapped(_ text: String) -> [String] { TerminalText.wrapped(text, to: style.width) }
}
