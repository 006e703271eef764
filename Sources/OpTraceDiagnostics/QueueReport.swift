public import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// What a process's queues look like at one moment, and what the doctor says of it: what a ``Watchdog``, a
/// ``SignalReport`` and the errors of `withDeadlockDetection` tell.
public struct QueueReport: Sendable, CustomStringConvertible {
  /// What the doctor has to say, errors first; notes too, such as that an operation still runs.
  public var findings: [Finding] { doctor.findings }
  /// The worst of the findings in one word.
  public var verdict: Diagnosis.Verdict { doctor.verdict }
  /// How long no operation, no queue and no wait has changed.
  public var silence: Duration { .nanoseconds(doctor.silence) }
  /// Something of this is proven to be wrong.
  public var hasErrors: Bool { doctor.hasErrors }
  /// The queues with their operations, and the threads that wait, as lines of text.
  public let queues: String
  private let doctor: DoctorReport

  init(_ doctor: DoctorReport) {
    self.doctor = doctor
    queues = QueueLines(doctor.trace, now: doctor.end).text
  }

  /// The whole report: a headline, the queues, the findings, the verdict. Ends without a line end.
  public var description: String {
    let header = doctor.trace.header
    let process = "\(TextEscaping.oneLine(header.processName)) (process \(header.processID))"
    let headline = "optrace: queues of \(process), where nothing has moved for \(DurationText.text(doctor.silence))"
    let text = DoctorText(doctor).text()
    return "\(headline)\n\n\(queues)\n\n\(text.hasSuffix("\n") ? String(text.dropLast()) : text)"
  }

  /// What the doctor says of some of the findings.
  func text(of findings: [Finding]) -> String {
    let text = DoctorText(doctor)
    return findings.map { text.text(of: $0) }.joined(separator: "\n\n")
  }
}
