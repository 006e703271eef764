import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTracePageParts
import OpTraceText

/// The enumerations whose values are numbers in the tables, and those whose words have a meaning of their own on the
/// page. They are part of the document, so that the page needs no list of its own: it finds a number by its word.
enum ReportEnumerations {
  /// The enumerations as JSON. Lists are in the order of the numbers. `kinds`, `pieceKinds` and `stateWords` are next
  /// to this in the document.
  static func json(_ lanes: PageLanes) -> JSONValue {
    .members([
      "flags": .object(ReportFlags.names.map { .init($0.key, .integer($0.value.rawValue)) }),
      "frameFlags": .object(ReportFrameFlags.names.map { .init($0.key, .integer($0.value.rawValue)) }),
      "callFlags": .object(ReportCallFlags.names.map { .init($0.key, .integer($0.value.rawValue)) }),
      "details": .array(lanes.detailKinds.map { .string($0) }),
      "counters": .array(lanes.counterKinds.map { .string($0) }),
      "severities": .array(Finding.Severity.allCases.map { .string($0.rawValue) }),
      "verdicts": .array(Diagnosis.Verdict.allCases.map { .string($0.rawValue) }),
      "modes": .array(TraceHeader.Mode.allCases.map { .string($0.rawValue) }),
      "priorities": .object(TaskRecord.priorityNames.map { .init(String($0.key), .string($0.value)) }),
    ])
  }
}

/// What a task does in a piece of its life: the three kinds of ``TaskPiece``, then the reasons for suspensions.
struct ReportPieceKind {
  static let words = TaskPiece.Kind.allCases.map { "\($0)" } + TaskRecord.Reason.allCases.map { "\($0)" }
  let rawValue: Int

  init(of piece: TaskPiece, _ task: TaskRecord) {
    self.init(piece.kind, piece.kind == .suspended ? task.reason(of: piece) : nil)
  }

  private init(_ kind: TaskPiece.Kind, _ reason: TaskRecord.Reason?) {
    rawValue = reason.map { TaskPiece.Kind.allCases.count + Int($0.rawValue) } ?? Int(kind.rawValue)
  }

  /// Returns the suspended time by reason, in the order of the numbers.
  static func suspensions(_ times: TaskTimes) -> [(kind: ReportPieceKind, time: Nanoseconds)] {
    ([nil] + TaskRecord.Reason.allCases).compactMap { reason in
      times.suspended[reason].map { (ReportPieceKind(.suspended, reason), $0) }
    }
  }
}

/// The state that work is shown in: that of the trace, and what the doctor adds.
enum ReportState: Int, CaseIterable {
  case finished, executing, ready, pending, cancelled, failed, deadlocked, stalled, unknown

  static let words = allCases.map { "\($0)" }

  init(_ state: OperationState) {
    switch state {
    case .finished: self = .finished
    case .executing: self = .executing
    case .ready: self = .ready
    case .pending: self = .pending
    case .cancelled: self = .cancelled
    case .failed: self = .failed
    }
  }

  init(of operation: borrowing OperationRecord, at row: Int, _ stuck: borrowing StuckPart) {
    if stuck.cycles[row] != nil {
      self = .deadlocked
    } else if stuck.stalled.contains(row) || stuck.culprits.contains(row) {
      self = .stalled
    } else {
      self = operation.isOutcomeKnown ? Self(operation.state) : .unknown
    }
  }
}

/// Boolean facts about work.
struct ReportFlags: OptionSet {
  let rawValue: Int
  static let asynchronous = Self(rawValue: 1)
  static let barrier = Self(rawValue: 2)
  static let leavesThread = Self(rawValue: 4)
  static let external = Self(rawValue: 8)
  static let partial = Self(rawValue: 16)
  static let unknown = Self(rawValue: 64)
  /// The wait that the three times count as a wait for dependencies, or for a slot, was a wait for a barrier.
  static let barrierForDependencies = Self(rawValue: 128)
  static let barrierForSlot = Self(rawValue: 256)
  /// A task that its parent waits for.
  static let child = Self(rawValue: 512)

  static let names: KeyValuePairs<String, Self> = [
    "asynchronous": asynchronous, "barrier": barrier, "leavesThread": leavesThread, "external": external,
    "partial": partial, "unknown": unknown, "barrierForDependencies": barrierForDependencies,
    "barrierForSlot": barrierForSlot, "child": child,
  ]

  init(rawValue: Int) { self.rawValue = rawValue }

  init(of operation: borrowing OperationRecord, _ barriers: BarrierWaits.Parts) {
    self = []
    if barriers.contains(.dependencies) { insert(.barrierForDependencies) }
    if barriers.contains(.slot) { insert(.barrierForSlot) }
    if operation.isAsynchronous { insert(.asynchronous) }
    if operation.isBarrier { insert(.barrier) }
    if operation.leavesThread { insert(.leavesThread) }
    if operation.coverage == .external { insert(.external) }
    if operation.coverage == .partial { insert(.partial) }
    if !operation.isOutcomeKnown { insert(.unknown) }
  }
}

/// Boolean facts about a function on a stack.
struct ReportFrameFlags: OptionSet {
  let rawValue: Int
  static let guessed = Self(rawValue: 1)
  static let inlined = Self(rawValue: 2)
  static let own = Self(rawValue: 4)

  static let names: KeyValuePairs<String, Self> = ["guessed": guessed, "inlined": inlined, "own": own]

  init(rawValue: Int) { self.rawValue = rawValue }

  init(of frame: StackFrame) {
    self = []
    if frame.isGuessed { insert(.guessed) }
    if frame.isInlined { insert(.inlined) }
    if frame.isOwn { insert(.own) }
  }
}
