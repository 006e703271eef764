package import OpTraceDoctor
import OpTracePageParts

extension Capability {
  /// The dependency graph.
  package static let graph = Capability(ReportPart.graph)
}
