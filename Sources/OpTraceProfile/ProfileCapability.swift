package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// Where processor time went.
  package static let profile = Capability(ReportPart.flame)
}
