import COpTraceTimelinePage
import OpTraceDoctor
import OpTraceModel
package import OpTracePageParts
import OpTraceText

extension ReportPart {
  /// The timeline: a tab with threads and queues from left to right. It arranges the lanes of the page.
  package static let timeline = ReportPart(
    "timeline",
    EmbeddedFiles(
      count: optrace_timeline_page_count(), name: optrace_timeline_page_name, text: optrace_timeline_page_text),
    lanes: { PageLanes(of: $0, $1) })
}
