import COpTraceComparisonPage
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// What differs between two runs. A page that shows both gets it as `ReportExporter`'s `comparison`.
  package static let comparison = ReportPart(
    "comparison",
    EmbeddedFiles(
      count: optrace_comparison_page_count(), name: optrace_comparison_page_name, text: optrace_comparison_page_text))
}
