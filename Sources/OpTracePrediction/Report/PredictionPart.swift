import COpTracePredictionPage
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// What would help. The page gets it as `ReportExporter`'s `whatIf`.
  package static let prediction = ReportPart(
    "prediction",
    EmbeddedFiles(
      count: optrace_prediction_page_count(), name: optrace_prediction_page_name, text: optrace_prediction_page_text))
}
