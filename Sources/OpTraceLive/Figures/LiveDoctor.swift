package import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel

/// Finds what is stuck in a program that is being watched, as often as its cost allows.
///
/// It runs if something has not moved for a second: an operation that executes or is ready, one that is pending while
/// nothing else runs, or a thread that waits. It runs at most once a second, and takes at most a twentieth of the time.
/// Like `optrace doctor` for a living process, it reports only what two runs confirm, which drops transient states.
package struct LiveDoctor {
  /// The shortest time between two runs.
  static let pause: Nanoseconds = 1_000_000_000
  /// The pause after a run, as a multiple of its cost.
  private static let rest: Int64 = 20

  private var last: (diagnosis: Diagnosis, now: Nanoseconds)?
  private var notBefore: Nanoseconds = .min
  /// What two runs have confirmed.
  private(set) package var findings: [Finding] = []
  /// Whether a first run has found something that a second has yet to confirm.
  package var isSuspicious: Bool { last?.diagnosis.findings.isEmpty == false }

  private let rules: RuleSet

  package init(by rules: RuleSet) { self.rules = rules }

  /// Whether a run is due at this moment, on the trace's clock.
  package func isDue(_ status: LiveStatus, _ trace: Trace) -> Bool {
    guard status.now >= notBefore else { return false }
    return isStill(status, trace) || !findings.isEmpty || isSuspicious
  }

  private func isStill(_ status: LiveStatus, _ trace: Trace) -> Bool {
    if let longest = status.executing.first, longest.time >= Self.pause { return true }
    if status.queues.contains(where: { ($0.oldestReady ?? 0) >= Self.pause }) { return true }
    let isIdle = status.queues.allSatisfy { $0.executing + $0.ready == 0 }
    if isIdle, status.queues.contains(where: { $0.pending > 0 }) { return true }
    let since = status.now - Self.pause
    return trace.waits.contains { $0.ended == nil && $0.began < since }
      || status.waiting.contains { ($0.time ?? Self.pause) >= Self.pause }
      || status.dispatch.contains { ($0.oldest ?? 0) >= Self.pause }
      || status.tasks.contains { $0.oldest >= Self.pause }
  }

  /// - Parameter cost: runs the body and returns how long it took, in nanoseconds.
  package mutating func check(
    _ trace: Trace, now: Nanoseconds, stallAfter: Nanoseconds, cost: (() -> Void) -> Nanoseconds
  ) {
    var options = DoctorOptions()
    options.now = now
    options.stallAfter = stallAfter
    var found: Diagnosis?
    let spent = cost { found = Diagnosis(of: trace, options: options, only: .stuck, by: rules) }
    guard let found else { return }
    if let last, now - last.now >= Self.pause / 2 { findings = last.diagnosis.confirmed(by: found) }
    last = (found, now)
    notBefore = now &+ max(Self.pause, spent.multipliedReportingOverflow(by: Self.rest).partialValue)
  }

  /// Everything moves: drops all findings.
  package mutating func clear() { (last, findings) = (nil, []) }

  /// The findings of a trace that is over: one run is enough.
  package static func findings(of trace: Trace, stallAfter: Nanoseconds, by rules: RuleSet) -> [Finding] {
    var options = DoctorOptions()
    options.stallAfter = stallAfter
    return Diagnosis(of: trace, options: options, only: .stuck, by: rules).findings
  }
}
