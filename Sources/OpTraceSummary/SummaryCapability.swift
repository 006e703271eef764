package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// The figures of a run, and what makes it longer than it needs to be.
  package static let summary = Capability(RuleSet.summary, ReportPart.why)
}
