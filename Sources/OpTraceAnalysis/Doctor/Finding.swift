public import OpTraceModel

/// What the doctor reports: what happens, who takes part, the evidence, and a fix.
public struct Finding: Sendable, Equatable {
  /// How much it matters. The raw value is the word in texts and JSON.
  public enum Severity: String, Sendable, CaseIterable {
    /// Proven: something is stuck, or a rule is broken.
    case error
    /// Likely wrong, or proven in part.
    case warning
    /// Good to know.
    case note
  }

  /// How sure it is that this is what is wrong. The raw value is the word in texts and JSON.
  public enum Certainty: String, Sendable, CaseIterable {
    /// The trace shows it, and nothing that a trace leaves out can undo it. Every error is proven.
    case proven
    /// The trace shows nothing that could still undo it, but not everything that could.
    case likely
    /// Something that a trace does not follow may undo it: a timer, input, another process.
    case possible
  }

  /// A finding that follows from another one, and needs no remedy of its own.
  public struct Consequence: Sendable, Equatable {
    /// What it would be reported as, if it were the only one.
    public var code: String
    /// What happens, in one line without a full stop.
    public var title: String
  }

  /// One fact that the trace shows. Text that names operations and queues, not yet fit for a terminal.
  public struct Evidence: Sendable, Equatable {
    /// When, where it is a moment; nanoseconds since the trace's start.
    public var time: Nanoseconds?
    /// On which thread, where one is known.
    public var thread: ThreadID?
    /// What happened, in one line.
    public var text: String

    package init(at: Stamp? = nil, _ text: String) {
      time = at?.time
      thread = at?.thread
      self.text = text
    }

    package init(time: Nanoseconds?, _ text: String) {
      self.time = time
      self.text = text
    }
  }

  /// `dependency-cycle`; ``DoctorRule/table`` has them all.
  public var code: String
  /// How much it matters; an error only where the trace proves it.
  public var severity: Severity
  /// How sure it is. What a rule measured is proven; what it concludes from silence is likely or possible.
  public var certainty: Certainty {
    if severity == .error { return .proven }
    if severity == .note { return DoctorRule.of(code)?.symptom == .stuck ? .possible : .likely }
    return isProven && DoctorRule.of(code)?.symptom != .stuck ? .proven : .likely
  }
  /// Nothing had moved for ``DoctorOptions/stallAfter`` when it was made, and work was open.
  package internal(set) var isOfStandstill = false
  /// False: something is missing from the trace inside the interval that the proof needs. No error then.
  public var isProven = true
  /// What happens, in one line without a full stop.
  public var title: String
  /// Why, in some sentences.
  public var explanation: String
  /// Those whose fault it is, the most telling first.
  public var operations: [OperationID] = []
  /// The queues that take part.
  public var queues: [QueueID] = []
  /// Each waits for the next, the last for the first. Empty where there is no cycle of operations.
  public var cycle: [OperationID] = []
  /// All members of a cycle, in order: each waits for the next, the last for the first. Threads, locks and queues
  /// too. Empty where there is no cycle.
  public var chain: [ChainMember] = []
  /// How many more operations are stuck because of these.
  public var behind = 0
  /// Where the code waits, or where the work was submitted; nil: not known.
  public internal(set) var location: CodeLocation?
  /// Other findings that follow from this one.
  public internal(set) var consequences: [Consequence] = []
  /// What shows it: moments in the order of time, and behind them what has none.
  public var evidence: [Evidence] = []
  /// What to change.
  public var fix: String
  /// The share of slow units' time that it explains, from 0 to 1; what is slow is told in this order. 0: not known.
  var explains = 0.0
  /// Which of its rule's sentences it says, where there are several.
  var variant = 0
  /// Findings of the same kind are merged; nil: never merged.
  var kind: Kind?
  /// What it is about, in the title of merged findings; nil: these have the title of the first, and how many more there are.
  var subject: String?

  package init(_ code: String, _ severity: Severity, title: String, explanation: String, fix: String) {
    self.code = code
    self.severity = severity
    self.title = title
    self.explanation = explanation
    self.fix = fix
  }
}

extension Finding {
  /// Itself, with its evidence as it happened; what happened at one moment stays in the order of the rule.
  var inOrderOfTime: Finding {
    var finding = self
    finding.evidence =
      evidence.enumerated().sorted { ($0.element.time ?? .max, $0.offset) < ($1.element.time ?? .max, $1.offset) }
      .map(\.element)
    return finding
  }
}
