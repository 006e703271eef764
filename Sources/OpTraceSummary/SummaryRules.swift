package import OpTraceDoctor

extension RuleSet {
  /// What makes a run longer than it needs to be.
  package static let summary = RuleSet([
    .priorityInversion,
    .blockingWait,
    .serialBottleneck,
    .dependencyChainCost,
  ])
}
