import OpTraceKernel
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
    /// The trace shows it, and nothing outside the trace can undo it. Every error is proven.
    case proven
    /// The trace shows nothing that could undo it, but does not show everything that could.
    case likely
    /// Something that a trace does not show may undo it: a timer, input, another process.
    case possible
  }

  /// A finding that follows from another one, and needs no fix of its own.
  public struct Consequence: Sendable, Equatable {
    /// The code with which it would be reported on its own.
    public var code: DoctorCode
    /// What happens, in one line without a full stop.
    public var title: String
  }

  /// One fact that the trace shows, as text that names operations and queues. The text is not yet escaped for a
  /// terminal.
  public struct Evidence: Sendable, Equatable {
    /// When it happened, in nanoseconds since the trace's start; nil: it is no single moment.
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

  /// The code, such as `dependency-cycle`; each is of one ``DoctorRule``.
  public var code: DoctorCode { trouble.code }
  /// Whether it is about something stuck, wrong or slow.
  public var symptom: DoctorRule.Symptom { trouble.symptom }
  /// What its rule looks for.
  package let trouble: Trouble
  /// How much it matters; it is an error only if the trace proves it.
  public var severity: Severity
  /// How sure it is. What a rule measured is proven; what it concludes from silence is likely or possible.
  public var certainty: Certainty {
    if severity == .error { return .proven }
    if isLatent { return .possible }
    if severity == .note { return isStuck ? .possible : .likely }
    return isProven && !isStuck ? .proven : .likely
  }
  /// Whether it tells of what did not happen in this run and may happen in another one.
  package var isLatent = false
  /// What says that it is the same finding in another run and another build; nil: nothing does.
  package var key: String?
  /// Whether nothing had moved for ``DoctorOptions/stallAfter`` when the finding was made, although work was open.
  package var isOfStandstill = false
  /// False if records are missing from the interval that the proof needs. Such a finding is no error.
  public var isProven = true
  /// What happens, in one line without a full stop.
  public var title: String
  /// Why, in some sentences.
  public var explanation: String
  /// The operations at fault, the most telling first.
  public var operations: [OperationID] = []
  /// The queues that take part.
  public var queues: [QueueID] = []
  /// The operations of a cycle: each waits for the next, the last for the first. Empty if there is no such cycle.
  public var cycle: [OperationID] = []
  /// All members of a cycle, including threads, locks and queues: each waits for the next, the last for the first.
  /// Empty if there is no cycle.
  public var chain: [ChainMember] = []
  /// How many more operations are stuck because of these.
  public var behind = 0
  /// Where the code waits, or where the work was submitted; nil: not known.
  public package(set) var location: CodeLocation?
  /// Other findings that follow from this one.
  public package(set) var consequences: [Consequence] = []
  /// The facts that show it, in the order of time; facts without a time come last.
  public var evidence: [Evidence] = []
  /// What to change.
  public var fix: String
  /// Whether it tells of a state that hurts and may pass, or is over. Then nothing is called stuck for it.
  package var isPassing = false
  /// The share of the slow units' time that it explains, from 0 to 1, by which findings about slowness are sorted. 0:
  /// not known.
  package var explains = 0.0
  /// Who could end it.
  package let endedBy: Ending
  /// What its mistake may be, if it is not what it tells of.
  package var reason: Trouble.Reason
  /// Whether it comes before all others as their cause: it may be why nothing else goes on.
  package var isFirstCause = false
  /// Which of the things that its rule reports it tells of. Only findings with the same are merged.
  package var form = Form.usual
  /// Only findings of the same kind are merged; nil: never merged.
  package var kind: Kind?
  /// What the title of merged findings says they are about; nil: they get the title of the first, and the number of
  /// others.
  package var subject: Subject?

  package init(
    _ trouble: Trouble, _ severity: Severity, ending: Ending, title: String, explanation: String, fix: String
  ) {
    self.trouble = trouble
    self.severity = severity
    endedBy = ending
    reason = trouble.reason
    self.title = title
    self.explanation = explanation
    self.fix = fix
  }
}

extension Finding {
  /// The finding with its evidence in the order of time; facts of the same moment stay in the order of the rule.
  package var inOrderOfTime: Finding {
    var finding = self
    finding.evidence =
      evidence.enumerated().sorted { ($0.element.time ?? .max, $0.offset) < ($1.element.time ?? .max, $1.offset) }
      .map(\.element)
    return finding
  }
}
