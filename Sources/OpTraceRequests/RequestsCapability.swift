package import OpTraceDoctor
import OpTraceLive
import OpTracePageParts
import OpTraceTables

extension Capability {
  /// Units of work, such as requests, and why some are slow.
  package static let requests = Capability(
    RuleSet.requests, TableSet.requests, SectionSet.services, ReportPart.requests)
}
