import OpTraceAnalysis
import OpTraceModel

/// What it comes to, in a sentence that the terminal and the page share.
extension DoctorReport {
  /// The verdict, what was found and how much is not over, in one sentence with its full stop.
  public var sentence: String {
    let all = trace.operations.count
    let open = unfinished
    if verdict == .healthy {
      let text = "No deadlock, stall or misuse found in \(trace.workAmount)."
      guard open > 0 else { return text }
      return text
        + " \(grouped(open)) of \(trace.blocks.isEmpty && trace.tasks.isEmpty ? "them" : "the operations") \(open == 1 ? "is" : "are") not over"
        + (isSilent ? ", and nothing moved in the last \(DurationText.text(silence))." : ".")
    }
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
    // The word is no severity: it tells how far it has come, from healthy to deadlocked.
    let word = verdict == .warning && hasErrors ? "warning, not stalled" : verdict.rawValue
    var text = "\(word): \(listed(counts))"
    if open == 0 {
      text += " in \(trace.workAmount)"
    } else {
      text += "; \(grouped(open)) of \(counted(all, "operation")) \(open == 1 ? "is" : "are") not over"
      if isSilent { text += ", and nothing moved in the last \(DurationText.text(silence))" }
    }
    return text + "."
  }

  /// Nothing has moved for long enough that it is worth a word. Where it was looked at twice, what moved is told instead.
  private var isSilent: Bool { movement == nil && silence >= 1_000_000_000 }

  /// What is missing, and what that means; nil: nothing.
  package var lossSentence: String? {
    let loss = trace.loss
    var parts: [String] = []
    if loss.isDamaged { parts.append("it is damaged in \(counted(loss.damage.count, "place"))") }
    if loss.lostCount > 0 { parts.append("\(counted(Int(clamping: loss.lostCount), "record")) of it were lost") }
    if !loss.unknownKinds.isEmpty { parts.append("a newer OpTrace wrote records that this one does not know") }
    guard !parts.isEmpty else { return nil }
    return "The trace is not complete: \(listed(parts)). What is missing may tell otherwise."
  }

  /// What no trace of this program tells; nil: nothing.
  package var unknownWaitsSentence: String? { trace.unknownWaitsSentence }
}
