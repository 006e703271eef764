package import OpTraceDoctor

extension Capability {
  /// What is stuck or wrong.
  package static let hangs = Capability(RuleSet.hangs)
}
