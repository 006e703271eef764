import COpTraceRequestsPage
import OpTraceModel
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// Units of work: a tab with their kinds, where the time of the slow ones goes, and how event loops and actors are used.
  package static let requests = ReportPart(
    "requests",
    EmbeddedFiles(
      count: optrace_requests_page_count(), name: optrace_requests_page_name, text: optrace_requests_page_text)
  ) { trace -> ReportPart.Conclusions in
    let requests = Requests(of: trace, trees: ReportRequests.trees)
    let facts = trace.tasks.isEmpty ? [] : [requests]
    if requests.isEmpty { return Conclusions(facts: facts, write: nil) }
    return Conclusions(facts: facts) { ReportRequests(requests, $0).write(to: $1) }
  }
}
