package import OpTraceDoctor

extension Capability {
  /// Deadlocks that have not happened yet.
  package static let orders = Capability(RuleSet.orders)
}

extension RuleSet {
  /// What may hang in another run, as the orders of this one show.
  package static let orders = RuleSet([.lockOrderInversion, .blockingInTask])
}
