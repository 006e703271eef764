import OpTraceKernel
public import OpTraceModel
import OpTraceSummary
public import OpTraceText

/// The data of a page whose trace grows: first everything, then each time what has changed. Each revision has a number,
/// which is sent with it, so that a page that missed one can say so and get everything again.
///
/// Takes O(n) of the trace each time. Writing is the smaller part of that, because the page has most of the data
/// already.
public struct GrowingReport: Sendable {
  /// The revision of a page that has received everything so far.
  public private(set) var revision = 0
  private var content = ReportContent()
  private var analysis: ReportAnalysis?
  private var tables: ReportTables?

  /// Starts with nothing sent.
  public init() {}

  /// Writes everything, for a page that has nothing yet.
  mutating func begin(_ trace: Trace, _ content: ReportContent, _ parts: ReportParts, to sink: ByteSink) throws {
    self.content = content
    try write(trace, parts.timeline, parts.analysis, isWhole: true, drawing: nil, to: sink)
  }

  /// Writes everything for a page that missed a revision, or for one whose program has ended: including the drawing of
  /// `graph`, if there is one, and what would help.
  public mutating func writeWhole(
    _ trace: Trace, graph: EmbeddedGraph? = nil, whatIf: JSONValue? = nil, to sink: ByteSink
  ) throws {
    take(graph)
    content.whatIf = whatIf
    let parts = ReportParts(of: trace)
    try write(trace, parts.timeline, parts.analysis, isWhole: true, drawing: graph, to: sink)
  }

  /// Writes what has changed since the last revision.
  ///
  /// - Parameters:
  ///   - analysis: the current conclusions. Nil: the last ones still hold.
  ///   - graph: the drawing, if there is a new one.
  public mutating func writeGrowth(
    to trace: Trace, analysis: ReportAnalysis? = nil, graph: EmbeddedGraph? = nil, to sink: ByteSink
  ) throws {
    take(graph)
    let known = analysis ?? self.analysis ?? ReportAnalysis(of: trace)
    try write(
      trace, ReportTimeline(of: trace), known, isWhole: tables == nil, drawing: graph, isNews: analysis != nil, to: sink
    )
  }

  private mutating func take(_ graph: EmbeddedGraph?) {
    guard let graph else { return }
    (content.folds, content.graphNote) = (graph.folds, graph.note)
  }

  private mutating func write(
    _ trace: Trace, _ timeline: ReportTimeline, _ analysis: ReportAnalysis, isWhole: Bool, drawing: EmbeddedGraph?,
    isNews: Bool = true, to sink: ByteSink
  ) throws {
    var last = isWhole ? nil : tables
    tables = nil
    let names = last?.takeNames() ?? ReportNames()
    let knownTexts = names.strings.count
    var now = ReportTables(
      trace, timeline, analysis.summary.criticalPath, analysis.stuck, lives: true, after: last, names: consume names)
    now.addBoxes(of: content.folds, trace)
    last = nil
    // If a queue was added in the meantime, no summary contains it yet.
    let analysis = analysis.fits(now.names) ? analysis : ReportAnalysis(of: trace)
    let told = (number: revision + 1, since: isWhole ? nil : revision)
    try ByteWriter.write(to: sink) { writer in
      content.write(
        trace, timeline.timeline, analysis, now, revision: told, firstString: knownTexts, drawing: drawing,
        hasRequests: isWhole || isNews, to: writer)
    }
    (revision, tables, self.analysis) = (told.number, now, analysis)
  }
}
