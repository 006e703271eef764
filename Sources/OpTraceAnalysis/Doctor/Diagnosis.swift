public import OpTraceModel

/// What is wrong in a trace, with proof.
///
/// Errors are reported only if the trace proves them: if records are missing, a finding is a warning that says so.
/// O(operations + dependencies + waits), and O(n log n) where something has to be put in order.
public struct Diagnosis: Sendable {
  /// The findings in one word. The raw value is the word in JSON.
  public enum Verdict: String, Sendable, CaseIterable {
    /// No findings, or only notes.
    case healthy
    /// Something is wrong or slow, and nothing is proven to be stuck.
    case warning
    /// Nothing has moved for ``DoctorOptions/stallAfter``, work is open, and the reason is likely but not proven.
    case suspected
    /// Proven: something is stuck, but not in a cycle.
    case stalled
    /// Proven: a cycle of waits.
    case deadlocked
  }

  /// Errors first; within one severity in the order of ``DoctorRule/table``. Findings of one kind are merged.
  public let findings: [Finding]
  /// The same, not merged.
  package let single: [Finding]
  /// What is stuck at the end of the trace, and why.
  public let blockage: Blockage
  /// How long nothing moved before the end.
  public let silence: Nanoseconds
  /// Nothing has moved for ``DoctorOptions/stallAfter``, and work is open.
  package let isStandstill: Bool
  /// What may still move the program then.
  package let doors: [Door]
  private let context: DoctorContext

  /// - Parameter symptom: run only the rules for this symptom; nil: all rules.
  public init(of trace: Trace, options: DoctorOptions = .init(), only symptom: DoctorRule.Symptom? = nil) {
    self.init(of: trace, options: options, only: symptom, knowing: Requests(of: trace))
  }

  /// `requests`: all units of work of the trace; made only where a rule asks for them.
  package init(
    of trace: Trace, options: DoctorOptions = .init(), only symptom: DoctorRule.Symptom? = nil,
    knowing requests: @autoclosure () -> Requests
  ) {
    let asks = (symptom == nil || symptom == .slow) && !trace.tasks.isEmpty
    let context = DoctorContext(trace, options, asks ? requests() : Requests())
    let rules = DoctorRule.table.filter { symptom == nil || $0.symptom == symptom }
    let progress = WorkProgress.reporter()
    // Rules are independent of each other.
    var found = SideBySide.map(rules.count) { number in
      progress.report(number, of: rules.count)
      return rules[number].find(context)
    }
    .flatMap(\.self)
    if found.contains(where: { $0.severity == .error }), let contradiction = context.contradiction() {
      let reason = "the trace contradicts itself, so records are missing that were not counted: \(contradiction)"
      found = found.map { $0.severity == .error ? context.unproven($0, because: reason) : $0 }
    }
    // That work may still resume what submitted it is worth a word only when nothing moves.
    if !context.isStalled { found.removeAll { $0.severity == .note && Self.deadlocks.contains($0.code) } }
    let order = Finding.Severity.allCases
    single = order.flatMap { severity in Self.ranked(found.filter { $0.severity == severity }) }
      .map { context.completed($0.inOrderOfTime) }
    findings = context.causes(Finding.grouped(single))
    blockage = context.blockage
    silence = context.silence
    isStandstill = context.isStandstill
    doors = context.doors
    self.context = context
  }

  /// In their order, but for those about slow units, of which those that explain most of their time come first.
  private static func ranked(_ findings: [Finding]) -> [Finding] {
    let slow = findings.filter { $0.explains > 0 }.sorted { $0.explains > $1.explains }
    return findings.filter { $0.explains == 0 } + slow
  }

  /// Keeps the findings that a later reading of the same trace confirms: transient states are left out.
  ///
  /// O(findings squared + operations that they name).
  public func confirmed(by later: Diagnosis) -> [Finding] {
    let before = single.map {
      (code: $0.code, isStuck: $0.isStuck, operations: Set($0.operations), chain: Set($0.chain))
    }
    return later.context.causes(
      Finding.grouped(
        later.single.filter { new in
          before.contains {
            // In a standstill the same work is stuck in both; the second may show better why.
            guard $0.code == new.code || later.isStandstill && $0.isStuck && new.isStuck else { return false }
            // About threads or tasks alone: these have no list, and the code says it all.
            if new.operations.isEmpty, new.chain.isEmpty {
              return $0.code == new.code && $0.operations.isEmpty && $0.chain.isEmpty
            }
            return !($0.operations.isDisjoint(with: new.operations) && $0.chain.isDisjoint(with: new.chain))
          }
        }))
  }

  /// Something is proven to be wrong.
  public var hasErrors: Bool { findings.contains { $0.severity == .error } }
  /// The worst of the findings in one word.
  public var verdict: Verdict { Self.verdict(findings) }

  /// The worst of these findings in one word; notes alone are healthy. O(findings).
  public static func verdict(_ findings: [Finding]) -> Verdict {
    let errors = findings.filter { $0.severity == .error }
    if errors.contains(where: { deadlocks.contains($0.code) }) { return .deadlocked }
    if errors.contains(where: { DoctorRule.of($0.code)?.symptom == .stuck }) { return .stalled }
    if findings.contains(where: \.isOfStandstill) { return .suspected }
    return findings.contains { $0.severity != .note } ? .warning : .healthy
  }

  /// The codes of cycles.
  static let deadlocks: Set<String> = [
    "dependency-cycle", "queue-self-wait", "wait-cycle", "main-thread-deadlock", "lock-cycle", "dispatch-cycle",
  ]
}

/// What the doctor assumes about a trace.
public struct DoctorOptions: Sendable {
  /// Silence counts only after nothing has moved for longer than this.
  public var stallAfter: Nanoseconds = 5_000_000_000
  /// The end of the silence where the process still runs, on the trace's clock; nil: the trace's end.
  public var now: Nanoseconds?
  /// What any code of the program may undo, such as a suspended queue, counts once nothing has moved for ``stallAfter``, whatever may
  /// still move.
  package var isSilenceEnough = false

  /// Five seconds of silence, up to the trace's end.
  public init() {}
}

extension Trace {
  /// Marks operations that have not begun as recorded in part, unless an earlier reading of the same process showed them in the same
  /// state. A flight recorder continues while it is read: the record of their start may have been overwritten meanwhile, and a queue would
  /// seem to hold more than it ever had. O(operations · log operations of the earlier reading).
  public mutating func doubtWhatOpened(since earlier: Trace) {
    for index in operations.indices where operations[index].hasNotBegun && operations[index].coverage == .full {
      let before = earlier.operation(operations[index].id)
      if before?.hasNotBegun != true { operations[index].coverage = .partial }
    }
  }
}

extension OperationRecord {
  fileprivate var hasNotBegun: Bool { started == nil && executionBegan == nil && finished == nil }
}
