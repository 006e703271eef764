public import OpTraceKernel
public import OpTraceModel

/// What is wrong in a trace, with proof.
///
/// Errors are reported only if the trace proves them: if records are missing, a finding is a warning that says so.
/// O(operations + dependencies + waits), and O(n log n) where something has to be sorted.
public struct Diagnosis: Sendable {
  /// The findings in one word. The raw value is the word in JSON.
  public enum Verdict: String, Sendable, CaseIterable {
    /// No findings, or only notes.
    case healthy
    /// The same, of a process that nobody recorded and of which not all could be read: what is missing may show otherwise.
    case unknown
    /// Something is wrong or slow, and nothing is proven to be stuck.
    case warning
    /// Nothing has moved for ``DoctorOptions/stallAfter``, work is open, and the reason is likely but not proven.
    case suspected
    /// Proven: something is stuck, but not in a cycle.
    case stalled
    /// Proven: a cycle of waits.
    case deadlocked
  }

  /// Errors first; findings of the same severity in the order of their rules. Findings of one kind are merged.
  public let findings: [Finding]
  /// The same findings before merging.
  package let single: [Finding]
  /// What is stuck at the end of the trace, and why.
  public let blockage: Blockage
  /// How long nothing moved before the end.
  public let silence: Nanoseconds
  /// Whether nothing has moved for ``DoctorOptions/stallAfter`` although work is open.
  package let isStandstill: Bool
  private let context: DoctorContext
  /// What it was made by.
  package let rules: RuleSet

  /// - Parameters:
  ///   - symptom: run only the rules for this symptom; nil: all of them.
  ///   - known: facts about this trace that need not be computed once more.
  package init(
    of trace: Trace, options: DoctorOptions = .init(), only symptom: DoctorRule.Symptom? = nil, by set: RuleSet,
    knowing known: [any DoctorFacts] = []
  ) {
    let context = DoctorContext(trace, options, set.facts(of: trace, for: symptom, knowing: known))
    let rules = set.rules(for: symptom)
    let witnesses = set.witnesses(for: symptom)
    let progress = WorkProgress.reporter()
    // Rules are independent of each other.
    let results = SideBySide.map(rules.count + witnesses.count) { number in
      progress.report(number, of: rules.count + witnesses.count)
      return number < rules.count ? rules[number].find(context) : witnesses[number - rules.count].find(context)
    }
    var found = results.prefix(rules.count).flatMap(\.self)
    let codes = Set(found.map(\.code))
    found += results.dropFirst(rules.count).flatMap(\.self).filter { !codes.contains($0.code) }
    if found.contains(where: { $0.severity == .error }), let contradiction = context.contradiction() {
      let reason = "the trace contradicts itself, so records are missing that were not counted: \(contradiction)"
      found = found.map { $0.severity == .error ? context.unproven($0, because: reason) : $0 }
    }
    if let missing = trace.origin?.leftOut, let first = missing.first {
      // A cycle needs nothing else. What nobody ends may be ended by what was left out.
      let reason =
        missing.count == 1 ? first : "\(missing.count) parts of the process could not be read, such as: \(first)"
      found = found.map { $0.severity == .error && !$0.isDeadlock ? context.unproven($0, because: reason) : $0 }
    }
    if trace.hasNoTimes { found = found.map(\.withoutUnknownTimes) }
    // That work may still resume its submitter is worth a note only while nothing moves.
    if !context.isStalled { found.removeAll { $0.severity == .note && $0.isDeadlock } }
    let order = Finding.Severity.allCases
    single = order.flatMap { severity in Self.ranked(found.filter { $0.severity == severity }) }
      .map { context.completed($0.inOrderOfTime) }
    findings = context.causes(Finding.grouped(single))
    blockage = context.blockage
    silence = context.silence
    isStandstill = context.isStandstill
    self.context = context
    self.rules = set
  }

  /// What is left where nothing moves. O(threads + open work).
  package var rest: Rest {
    Rest(
      isStandstill: isStandstill, doors: context.doors, waiting: context.waiting,
      isIdleForGood: context.isStalled && context.isDeadWorld && !context.trace.hasOpenWork
        && context.trace.isOfRunning)
  }

  /// What is left where nothing moves, for answers without a finding.
  package struct Rest: Sendable {
    /// As in ``Diagnosis``.
    package var isStandstill = false
    /// What may still move the program in a standstill.
    package var doors: [Door] = []
    /// Who waits for what, the main thread first, where no rule finds a reason.
    package var waiting: [Door] = []
    /// Whether no work is open, the program has not ended, and nothing is left that could begin any: every thread is
    /// idle, and no timer, source or descriptor is waited for.
    package var isIdleForGood = false

    /// Of a program that moves, or whose state nobody asked for.
    package static let none = Rest()
  }

  /// Keeps the order, but puts findings about slow units last, those that explain most of the time first.
  private static func ranked(_ findings: [Finding]) -> [Finding] {
    let slow = findings.filter { $0.explains > 0 }.sorted { $0.explains > $1.explains }
    return findings.filter { $0.explains == 0 } + slow
  }

  /// Keeps the findings that a later reading of the same trace confirms, which drops transient states.
  ///
  /// O(f² + n) for f findings that name n operations.
  public func confirmed(by later: Diagnosis) -> [Finding] {
    let before = single.map {
      (code: $0.code, isStuck: $0.isStuck, operations: Set($0.operations), chain: Set($0.chain))
    }
    return later.context.causes(
      Finding.grouped(
        later.single.filter { new in
          // Nothing that it rests on is newer than the first reading, which may have had no snapshot of the threads.
          if new.isPassing, let last = new.evidence.compactMap(\.time).max(), last < context.end { return true }
          return before.contains {
            // In a standstill the same work is stuck in both readings, and the later one may know the reason better.
            guard $0.code == new.code || later.isStandstill && $0.isStuck && new.isStuck else { return false }
            // Findings about threads or tasks alone list no members, so compare only the codes.
            if new.operations.isEmpty, new.chain.isEmpty {
              return $0.code == new.code && $0.operations.isEmpty && $0.chain.isEmpty
            }
            return !($0.operations.isDisjoint(with: new.operations) && $0.chain.isDisjoint(with: new.chain))
          }
        }))
  }

  /// Something is proven to be wrong.
  public var hasErrors: Bool { findings.contains { $0.severity == .error } }
  /// The findings in one word: the worst of them decides.
  public var verdict: Verdict { Self.verdict(findings, of: context.trace) }

  /// These findings about a trace in one word: nothing found is healthy only where nothing was left out. O(findings).
  package static func verdict(_ findings: [Finding], of trace: Trace) -> Verdict {
    let word = verdict(findings)
    return word == .healthy && trace.origin?.leftOut.isEmpty == false ? .unknown : word
  }

  /// These findings in one word: the worst of them decides, and notes alone are healthy. O(findings).
  public static func verdict(_ findings: [Finding]) -> Verdict {
    let errors = findings.filter { $0.severity == .error }
    if errors.contains(where: \.isDeadlock) { return .deadlocked }
    if errors.contains(where: \.isStuck) { return .stalled }
    if findings.contains(where: \.isOfStandstill) { return .suspected }
    return findings.contains { $0.severity != .note } ? .warning : .healthy
  }
}

/// What the doctor assumes about a trace.
public struct DoctorOptions: Sendable {
  /// Silence counts only if nothing has moved for longer than this.
  public var stallAfter: Nanoseconds = 5_000_000_000
  /// Where the silence ends if the process still runs, on the trace's clock; nil: at the trace's end.
  public var now: Nanoseconds?
  /// Whether silence for ``stallAfter`` is enough to report a state that any code of the program may undo, such as a
  /// suspended queue, even if something may still move the program.
  package var isSilenceEnough = false

  /// Silence counts after five seconds, up to the trace's end.
  public init() {}
}

extension Trace {
  /// Marks operations that have not begun as partly recorded, unless an earlier reading of the same process shows them
  /// in the same state. O(operations · log operations of the earlier reading).
  ///
  /// A flight recorder continues while it is read. If the record of a start was overwritten meanwhile, a queue would
  /// seem to hold more operations than it ever had.
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
