import OpTraceComparison
import OpTraceDoctor
import OpTraceGraph
import OpTraceHangs
import OpTraceLive
import OpTracePage
import OpTracePageParts
import OpTracePrediction
import OpTraceProfile
import OpTraceRequests
import OpTraceSummary
import OpTraceTables
import OpTraceTimeline

extension RuleSet {
  /// The rules of all capabilities that the command has, in the order in which findings are reported.
  static let command = hangs + summary + requests
}

extension TableSet {
  /// The tables of all capabilities that the command has, in the order in which they are shown.
  static let command = recorded + requests + explained(by: .command)
}

extension SectionSet {
  /// The sections of all capabilities that the command has, in the order in which `top` shows them.
  static let command = services
}

extension ReportPage {
  /// The report's page with the parts of all capabilities that the command has, in the order of their tabs and sections.
  static let command = ReportPage(
    [.timeline, .graph, .why, .findings, .requests, .flame, .comparison, .prediction], rules: .command)
}
