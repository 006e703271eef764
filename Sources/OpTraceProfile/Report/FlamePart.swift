import COpTraceProfilePage
import OpTraceModel
package import OpTracePageParts
import OpTraceSamples
import OpTraceText

extension ReportPart {
  /// Where processor time went: a tab with the flame graph of the whole run, and one for selected work. The samples are
  /// among the page's tables, as the timeline has them too. Its own data is which share of the processor time they are.
  package static let flame = ReportPart(
    "flame",
    EmbeddedFiles(
      count: optrace_profile_page_count(), name: optrace_profile_page_name, text: optrace_profile_page_text)
  ) { trace -> ReportPart.Conclusions in
    guard !trace.samples.isEmpty else { return Conclusions(write: nil) }
    let share = Profile.Facts(trace, from: nil, to: nil).sampledShare
    return Conclusions { _, writer in
      JSONValue.members(["share": .optional(share) { .number($0) }]).write(to: writer, level: nil)
    }
  }
}
