import COpTraceGraphPage
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// The dependency graph: a tab with a drawing. A page gets it as ``EmbeddedGraph/content``.
  package static let graph = ReportPart(
    "graph",
    EmbeddedFiles(count: optrace_graph_page_count(), name: optrace_graph_page_name, text: optrace_graph_page_text))
}
