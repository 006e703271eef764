package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// Time from left to right.
  package static let timeline = Capability(ReportPart.timeline)
}
