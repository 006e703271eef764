public import OpTraceAnalysis
import OpTraceExport
import OpTraceModel

/// What a process's queues look like at one moment, and what the doctor says of it: what a ``Watchdog``, a
/// ``SignalReport`` and the errors of `withDeadlockDetection` tell.
public struct QueueReport: Sendable, CustomStringConvertible {
  /// What the doctor found wrong, errors first. Empty: nothing is proven; the queues may just be busy.
  public let findings: [Finding]
  /// The worst of the findings in one word.
  public let verdict: Diagnosis.Verdict
  /// How long no operation, no queue and no wait has changed.
  public let silence: Duration
  /// The queues with their operations, and the threads that wait, as lines of text.
  public let queues: String
  private let process: String

  /// Only what is wrong is told: a note may be made of a healthy program.
  init(_ trace: Trace, now: Nanoseconds, findings: [Finding], silence: Nanoseconds) {
    self.findings = findings.filter { $0.severity != .note }
    verdict = Diagnosis.verdict(findings)
    self.silence = .nanoseconds(silence)
    queues = QueueLines(trace, now: now).text
    process = "\(TextEscaping.oneLine(trace.header.processName)) (process \(trace.header.processID))"
  }

  init(_ live: LiveTrace, _ diagnosis: Diagnosis) {
    self.init(live.trace, now: live.now, findings: diagnosis.findings, silence: diagnosis.silence)
  }

  /// The whole report: a headline, the queues, the findings. Ends without a line end.
  public var description: String {
    let still = "nothing has moved for \(DurationText.text(silence.nanoseconds))"
    var parts = ["optrace: queues of \(process): \(still)", queues]
    parts += findings.map { FindingLines.text($0) }
    if !hasErrors { parts.append("No deadlock is proven: what executes may just take long.") }
    return parts.joined(separator: "\n\n")
  }

  var hasErrors: Bool { findings.contains { $0.severity == .error } }
}
