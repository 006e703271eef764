public import OpTraceModel

/// One thing that the doctor has to say: what happens, who takes part, what shows it, and what to do.
public struct Finding: Sendable, Equatable {
  public enum Severity: String, Sendable, CaseIterable {
    case error, warning, note
  }

  /// One fact that the trace shows. Text that names operations and queues, not yet fit for a terminal.
  public struct Evidence: Sendable, Equatable {
    /// When, where it is a moment; nanoseconds since the trace's start.
    public var time: Nanoseconds?
    /// On which thread, where one is known.
    public var thread: ThreadID?
    public var text: String

    public init(at: Stamp? = nil, _ text: String) {
      time = at?.time
      thread = at?.thread
      self.text = text
    }

    public init(time: Nanoseconds?, _ text: String) {
      self.time = time
      self.text = text
    }
  }

  /// `dependency-cycle`; ``DoctorRule/table`` has them all.
  public var code: String
  public var severity: Severity
  /// False: something is missing from the trace inside the interval that the proof needs. No error then.
  public var isProven = true
  /// What happens, in one line without a full stop.
  public var title: String
  /// Why, in some sentences.
  public var explanation: String
  /// Those whose fault it is, the most telling first.
  public var operations: [OperationID] = []
  public var queues: [QueueID] = []
  /// Each waits for the next, the last for the first. Empty where there is no circle of operations.
  public var cycle: [OperationID] = []
  /// How many more operations do not go on because of these.
  public var behind = 0
  public var evidence: [Evidence] = []
  /// What to change.
  public var fix: String

  public init(_ code: String, _ severity: Severity, title: String, explanation: String, fix: String) {
    self.code = code
    self.severity = severity
    self.title = title
    self.explanation = explanation
    self.fix = fix
  }
}
