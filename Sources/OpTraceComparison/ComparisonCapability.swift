package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// What differs between runs.
  package static let comparison = Capability(ReportPart.comparison)
}
