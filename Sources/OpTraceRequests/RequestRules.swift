package import OpTraceDoctor
package import OpTraceModel

extension RuleSet {
  /// What makes units of work slow.
  package static let requests = RuleSet(
    [
      .blockingCall,
      .lockContention,
      .eventLoopBlocked,
      .unevenLoops,
      .hotActor,
      .busyQueue,
      .poolExhausted,
      .cpuHotspot,
      .repeatedCalls,
      .stampede,
      .taskLeak,
      .streamBacklog,
      .retryStorm,
      .slowDependency,
      .growingBacklog,
    ]
  ).needing(Requests.self, for: .slow)
}

extension Requests: DoctorFacts {
  /// Only tasks are told apart as units that may be slow.
  package init(doctoring trace: Trace) { self = trace.tasks.isEmpty ? Requests() : Requests(of: trace) }
}

extension DoctorContext {
  /// Units of work; empty if no rule that was asked needs them.
  package var requests: Requests { facts(Requests.self) }
}
