public import OpTraceAnalysis
public import OpTraceModel

/// What the doctor says of a trace, or of a process that is still running, ready to be written as text or as JSON.
public struct DoctorReport: Sendable {
  /// One look at a trace.
  public struct Look: Sendable {
    /// The trace as it was read.
    public var trace: Trace
    /// The present on the trace's clock, where the process still runs.
    public var now: Nanoseconds?

    /// A look at this trace; `now`: the present on its clock, in nanoseconds since its start, where the process still runs.
    public init(_ trace: Trace, now: Nanoseconds? = nil) {
      self.trace = trace
      self.now = now
    }
  }

  /// What happened between two looks at a running process.
  public struct Movement: Sendable, Equatable {
    /// From the first look to the second.
    public var apart: Nanoseconds
    /// Operations that were seen for the first time.
    public var added = 0
    /// Operations that began.
    public var started = 0
    /// Operations that came to their ends.
    public var finished = 0
    /// Some operation, queue or wait changed.
    public var hasMoved: Bool
  }

  /// The trace of the last look.
  public let trace: Trace
  /// What the doctor says, errors first.
  public let findings: [Finding]
  /// How long nothing had moved at the end.
  public let silence: Nanoseconds
  /// The trace's end, or the present.
  public let end: Nanoseconds
  /// Nil: a trace that was looked at once.
  public let movement: Movement?

  /// The worst of the findings in one word.
  public var verdict: Diagnosis.Verdict { Diagnosis.verdict(findings) }
  /// Something is proven to be wrong.
  public var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// From how much silence on it is taken for a sign, in nanoseconds: five seconds.
  public static var defaultStallAfter: Nanoseconds { DoctorOptions().stallAfter }

  /// What a trace shows.
  public init(of look: Look, stallAfter: Nanoseconds = defaultStallAfter) {
    let diagnosis = Self.diagnosis(of: look, stallAfter)
    trace = look.trace
    findings = diagnosis.findings
    silence = diagnosis.silence
    end = max(look.now ?? look.trace.end, look.trace.end)
    movement = nil
  }

  /// What a look at a trace has found already.
  package init(of trace: Trace, _ diagnosis: Diagnosis) {
    self.trace = trace
    findings = diagnosis.findings
    silence = diagnosis.silence
    end = trace.end
    movement = nil
  }

  /// What a program that is watched has been found to have, up to now.
  package init(of trace: Trace, findings: [Finding]) {
    self.trace = trace
    self.findings = findings
    silence = 0
    end = trace.end
    movement = nil
  }

  /// What a running process shows in both of two looks: what it was only in the middle of is left out.
  public init(of first: Look, then second: Look, stallAfter: Nanoseconds = defaultStallAfter) {
    let later = Self.diagnosis(of: second, stallAfter)
    trace = second.trace
    findings = Self.diagnosis(of: first, stallAfter).confirmed(by: later)
    silence = later.silence
    end = max(second.now ?? second.trace.end, second.trace.end)
    let apart = max(0, end - max(first.now ?? first.trace.end, first.trace.end))
    movement = Movement(from: first.trace, to: second.trace, apart: apart, hasMoved: later.silence < apart)
  }

  private static func diagnosis(of look: Look, _ stallAfter: Nanoseconds) -> Diagnosis {
    var options = DoctorOptions()
    options.stallAfter = stallAfter
    options.now = look.now
    return Diagnosis(of: look.trace, options: options)
  }
}

extension DoctorReport.Movement {
  /// A flight recorder may have dropped what was over at the first look.
  fileprivate init(from first: Trace, to second: Trace, apart: Nanoseconds, hasMoved: Bool) {
    self.init(apart: apart, hasMoved: hasMoved)
    for operation in second.operations {
      let before = first.operation(operation.id)
      if before == nil { added += 1 }
      if operation.started != nil, before?.started == nil { started += 1 }
      if operation.finished != nil, before?.finished == nil { finished += 1 }
    }
  }
}

extension DoctorReport {
  /// Where an operation stands at the end, and since when.
  func standing(of operation: OperationRecord) -> (word: String, since: Nanoseconds?) {
    guard operation.isOutcomeKnown else { return ("unknown", nil) }
    let state = operation.state
    let since: Nanoseconds? =
      switch state {
      case .pending: operation.enqueued?.time
      case .ready: operation.runnable
      case .executing: operation.started?.time ?? operation.executionBegan?.time
      case .finished, .cancelled, .failed: nil
      }
    return (state.rawValue, since.map { max(0, end - $0) })
  }

  /// All whose fate is known and that are not over.
  var unfinished: Int { trace.operations.count { $0.finished == nil && $0.isOutcomeKnown && $0.released == nil } }
}
