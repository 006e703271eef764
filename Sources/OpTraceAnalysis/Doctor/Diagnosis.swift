public import OpTraceModel

/// What is wrong in a trace, with proof.
///
/// Errors are claimed only where the trace proves them: where records are missing, a finding is a warning that says so.
/// O(operations + dependencies + waits), and O(n log n) where something has to be put in order.
public struct Diagnosis: Sendable {
  /// The findings in one word. The raw value is the word in JSON.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Nothing to say, or notes alone.
    case healthy
    /// Something is wrong or slow, and nothing is proven to be stuck.
    case warning
    /// Proven: something never goes on, and that is no cycle of waiting.
    case stalled
    /// Proven: a cycle of waiting.
    case deadlocked
  }

  /// Errors first; of one severity those of ``DoctorRule/table``'s first rules. Those of one kind are one.
  public let findings: [Finding]
  /// The same, each alone.
  package let single: [Finding]
  /// Who cannot go on at the end of the trace, and because of whom.
  public let blockage: Blockage
  /// How long nothing moved before the end.
  public let silence: Nanoseconds

  /// - Parameter symptom: only the rules for this one are asked; nil: all.
  public init(of trace: Trace, options: DoctorOptions = .init(), only symptom: DoctorRule.Symptom? = nil) {
    let context = DoctorContext(trace, options)
    let rules = DoctorRule.table.filter { symptom == nil || $0.symptom == symptom }
    let progress = WorkProgress.reporter()
    // No rule knows of another.
    var found = SideBySide.map(rules.count) { number in
      progress.report(number, of: rules.count)
      return rules[number].find(context)
    }
    .flatMap(\.self)
    if found.contains(where: { $0.severity == .error }), let contradiction = context.contradiction() {
      let reason = "the trace contradicts itself, so records are missing that nobody counted: \(contradiction)"
      found = found.map { $0.severity == .error ? context.unproven($0, because: reason) : $0 }
    }
    let order = Finding.Severity.allCases
    single = order.flatMap { severity in found.filter { $0.severity == severity } }
      .map { context.withKind($0.inOrderOfTime) }
    findings = Finding.grouped(single)
    blockage = context.blockage
    silence = context.silence
  }

  /// Keeps what another look at the same process, a moment later, says as well: what it was in the middle of is left out.
  ///
  /// O(findings squared + operations that they name).
  public func confirmed(by later: Diagnosis) -> [Finding] {
    let before = single.map { (code: $0.code, operations: Set($0.operations), chain: Set($0.chain)) }
    return Finding.grouped(
      later.single.filter { new in
        before.contains {
          $0.code == new.code
            && !($0.operations.isDisjoint(with: new.operations) && $0.chain.isDisjoint(with: new.chain))
        }
      })
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
    return findings.contains { $0.severity != .note } ? .warning : .healthy
  }

  /// The codes that are cycles of waiting.
  static let deadlocks: Set<String> = [
    "dependency-cycle", "queue-self-wait", "wait-cycle", "main-thread-deadlock", "lock-cycle", "dispatch-cycle",
  ]
}

/// How to look at a trace.
public struct DoctorOptions: Sendable {
  /// Silence proves something only when nothing moved for longer than this.
  public var stallAfter: Nanoseconds = 5_000_000_000
  /// The end of the silence where the process still runs, on the trace's clock; nil: the trace's end.
  public var now: Nanoseconds?

  /// Five seconds of silence, up to the trace's end.
  public init() {}
}
