import OpTraceAnalysis
public import OpTraceModel
public import OpTraceText

/// The data of a page whose trace grows: a whole first, then time after time what has changed. Each is a revision with a number, which is
/// sent with it, so that a page which missed one can say so, and gets a whole.
///
/// O(n) of the trace each time, of which what is written is the smaller part; the page has the rest.
public struct GrowingReport: Sendable {
  /// What the page that has all of it holds.
  public private(set) var revision = 0
  private var content = ReportContent()
  private var analysis: ReportAnalysis?
  private var tables: ReportTables?

  /// Nothing is sent yet.
  public init() {}

  /// A whole, for a page that has nothing.
  mutating func begin(_ trace: Trace, _ content: ReportContent, _ parts: ReportParts, to sink: ByteSink) throws {
    self.content = content
    try write(trace, parts.timeline, parts.analysis, isWhole: true, drawing: nil, to: sink)
  }

  /// The same for a page that missed a revision, or of a program that has ended: with the drawing of `graph`, where there is one, and what
  /// would help.
  public mutating func writeWhole(
    _ trace: Trace, graph: EmbeddedGraph? = nil, whatIf: JSONValue? = nil, to sink: ByteSink
  ) throws {
    take(graph)
    content.whatIf = whatIf
    let parts = ReportParts(of: trace)
    try write(trace, parts.timeline, parts.analysis, isWhole: true, drawing: graph, to: sink)
  }

  /// What has changed since the last revision.
  ///
  /// - Parameters:
  ///   - analysis: what is concluded now; nil: the last conclusions still hold.
  ///   - graph: where it was drawn anew.
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
    // A queue that has come since is in no summary yet.
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
