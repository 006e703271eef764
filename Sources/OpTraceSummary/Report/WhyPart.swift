import COpTraceSummaryPage
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// Why a run was slow: a tab with the critical path, and where the rest of the time went.
  package static let why = ReportPart(
    "why",
    EmbeddedFiles(
      count: optrace_summary_page_count(), name: optrace_summary_page_name, text: optrace_summary_page_text)
  ) { trace -> ReportPart.Conclusions in
    let (summary, activity) = (Summary(of: trace), trace.activity)
    return Conclusions(facts: [summary.criticalPath]) { ReportSummary(summary, activity, $0).write(to: $1) }
  }
}
