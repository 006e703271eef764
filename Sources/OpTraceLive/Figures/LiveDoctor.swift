package import OpTraceAnalysis
package import OpTraceModel

/// Looks for what is stuck in a program that is being watched, as often as that pays.
///
/// It looks when something has stood still for a second: an operation that executes or is ready, one that is pending while nothing else
/// goes on, or a thread that waits. It looks at most once a second, and not more often than costs a twentieth of the time. What two looks say is
/// told, as by `optrace doctor` of a living process: what the first found in the middle of something is not there any more.
package struct LiveDoctor {
  /// Between two looks.
  static let pause: Nanoseconds = 1_000_000_000
  /// A look is followed by so many times its own cost without one.
  private static let rest: Int64 = 20

  private var last: (diagnosis: Diagnosis, now: Nanoseconds)?
  private var notBefore: Nanoseconds = .min
  /// What two looks have said.
  private(set) package var findings: [Finding] = []
  /// A first look has found something, which a second is to confirm.
  package var isSuspicious: Bool { last?.diagnosis.findings.isEmpty == false }

  package init() {}

  /// Whether a look is due at this moment, on the trace's clock.
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
      || status.dispatch.contains { ($0.oldest ?? 0) >= Self.pause }
      || status.tasks.contains { $0.oldest >= Self.pause }
  }

  /// Looks. `cost`: takes the time of `body`, in nanoseconds.
  package mutating func look(
    at trace: Trace, now: Nanoseconds, stallAfter: Nanoseconds, cost: (() -> Void) -> Nanoseconds
  ) {
    var options = DoctorOptions()
    options.now = now
    options.stallAfter = stallAfter
    var found: Diagnosis?
    let spent = cost { found = Diagnosis(of: trace, options: options, only: .stuck) }
    guard let found else { return }
    if let last, now - last.now >= Self.pause / 2 { findings = last.diagnosis.confirmed(by: found) }
    last = (found, now)
    notBefore = now &+ max(Self.pause, spent.multipliedReportingOverflow(by: Self.rest).partialValue)
  }

  /// All goes on: nothing is left of what was said.
  package mutating func clear() { (last, findings) = (nil, []) }

  /// A trace that is over is looked at once.
  package static func findings(of trace: Trace, stallAfter: Nanoseconds) -> [Finding] {
    var options = DoctorOptions()
    options.stallAfter = stallAfter
    return Diagnosis(of: trace, options: options, only: .stuck).findings
  }
}
