import OpTraceKernel
package import OpTraceModel
package import OpTracePageParts
package import OpTraceText

/// The data of a page whose trace grows: first everything, then each time what has changed. Each revision has a number,
/// which is sent with it, so that a page that missed one can say so and get everything again.
///
/// Takes O(n) of the trace each time. Writing is the smaller part of that, because the page has most of the data
/// already.
public struct GrowingReport: Sendable {
  /// The revision of a page that has received everything so far.
  public private(set) var revision = 0
  private var page: ReportPage
  private var content = ReportContent()
  private var analysis: ReportAnalysis?
  private var tables: ReportTables?

  /// Starts with nothing sent.
  public init(page: ReportPage) { self.page = page }

  /// Writes everything, for a page that has nothing yet.
  mutating func begin(
    _ trace: Trace, _ content: ReportContent, _ page: ReportPage, _ prepared: PreparedReport, to sink: ByteSink
  ) throws {
    (self.content, self.page) = (content, page)
    try write(trace, prepared.lanes, prepared.analysis, isWhole: true, news: [], to: sink)
  }

  /// Writes everything for a page that missed a revision, or for one whose program has ended: including `contents`, new
  /// content of parts, and what would help.
  package mutating func writeWhole(
    _ trace: Trace, contents: [PartContent], whatIf: JSONValue? = nil, to sink: ByteSink
  ) throws {
    content.take(contents)
    content.whatIf = whatIf
    let prepared = PreparedReport(of: trace, for: page)
    try write(trace, prepared.lanes, prepared.analysis, isWhole: true, news: contents, to: sink)
  }

  /// Writes what has changed since the last revision.
  ///
  /// - Parameters:
  ///   - analysis: the current conclusions. Nil: the last ones still hold.
  ///   - contents: new content of parts.
  package mutating func writeGrowth(
    to trace: Trace, analysis: ReportAnalysis? = nil, contents: [PartContent], to sink: ByteSink
  ) throws {
    content.take(contents)
    let known = analysis ?? self.analysis ?? ReportAnalysis(of: trace, for: page)
    try write(
      trace, page.lanes(of: trace), known, isWhole: tables == nil, news: contents,
      isNews: analysis != nil, to: sink
    )
  }

  private mutating func write(
    _ trace: Trace, _ lanes: PageLanes, _ analysis: ReportAnalysis, isWhole: Bool, news: [PartContent],
    isNews: Bool = true, to sink: ByteSink
  ) throws {
    var last = isWhole ? nil : tables
    tables = nil
    let names = last?.takeNames() ?? ReportNames()
    let knownTexts = names.strings.count
    let now = ReportTables(
      trace, lanes, analysis.stuck, lives: true, after: last, names: consume names)
    last = nil
    let told = (number: revision + 1, since: isWhole ? nil : revision)
    try ByteWriter.write(to: sink) { writer in
      content.write(
        trace, lanes, analysis, now, revision: told, firstString: knownTexts, news: news,
        hasParts: isWhole || isNews, to: writer)
    }
    (revision, tables, self.analysis) = (told.number, now, analysis)
  }
}
