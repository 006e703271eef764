package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// How long a run would take with changes.
  package static let prediction = Capability(ReportPart.prediction)
}
