import OpTraceAnalysis
public import OpTraceModel
public import OpTracePrediction
public import OpTraceText

/// Writes a trace as one HTML page that needs nothing else: timeline, graph, why it was slow, what is wrong.
///
/// Script and style are the same in every page; the trace stands in it as data, in columns of integers and one list of
/// texts, in which no `<` is left: whatever a name contains, it stays a text.
public struct ReportExporter: Sendable {
  /// More lanes than these say no more, and take the place of other rows.
  private static let waitLanes = 12

  private let trace: Trace
  private let graph: EmbeddedGraph?
  private let graphNote: String?
  private let foresight: WhatIf?
  private let comparison: JSONValue?
  private let page: ReportPage
  private let isServed: Bool
  private let isLive: Bool

  /// - Parameters:
  ///   - page: what is the same in every report; `OpTraceReport` has the project's own as `.standard`.
  ///   - graph: the drawing, or nil where there is none; `graphNote` then says why.
  ///   - foresight: changes that would make the run faster, the best first; nil where nobody has asked for any.
  ///   - comparison: what differs between the two runs of the trace, as ``OpTraceComparison/Comparison`` says it in JSON; nil: it is one run.
  ///   - isServed: the page comes from `optrace view`, and may ask it for news.
  ///   - isLive: the trace still grows, so that it should.
  public init(
    _ trace: Trace, page: ReportPage, graph: EmbeddedGraph?, graphNote: String? = nil, foresight: WhatIf? = nil,
    comparison: JSONValue? = nil, isServed: Bool = false, isLive: Bool = false
  ) {
    self.trace = trace
    self.graph = graph
    self.graphNote = graphNote ?? graph?.note
    self.foresight = foresight
    self.comparison = comparison
    self.page = page
    self.isServed = isServed
    self.isLive = isLive
  }

  /// O(n log n), about 400 bytes per operation meanwhile. Throws what `sink` throws.
  public func write(to sink: ByteSink) throws {
    let style = page.style + (graph?.style ?? "")
    try ByteWriter.write(to: sink) { writer in
      for (text, next) in page.pieces {
        writer.string(text)
        switch next {
        case .policy: writer.string(page.policy(style: style, isServed: isServed))
        case .live: if isLive { writer.text("<meta name=\"optrace-live\" content=\"state\">") }
        case .title: writer.string(TextEscaping.xml(trace.header.processName))
        case .style: writer.string(style)
        case .graph: writer.string(graph?.svg ?? "")
        case .data: try writeData(to: writer)
        case .script: writer.string(page.script)
        case nil: break
        }
        try writer.check()
      }
    }
  }

  private func writeData(to page: ByteWriter) throws {
    // `<` stands only inside of texts, where its number says the same: no text can end the element that holds the data.
    let writer = ByteWriter { bytes in
      for byte in bytes { if byte == UInt8(ascii: "<") { page.text("\\u003c") } else { page.byte(byte) } }
    }
    // Finding out what to say, putting it into columns, and writing these take about as long.
    let progress = WorkProgress.teller()
    var options = TimelineOptions()
    options.waitLanes = Self.waitLanes
    let ((timeline, summary), (diagnosis, stuck)) = both(
      { [options] in (Timeline(trace, options: options), Summary(of: trace)) },
      {
        let diagnosis = Diagnosis(of: trace)
        return (diagnosis, StuckPart(of: trace, diagnosis))
      })
    progress.tell(1, of: 3)
    let tables = ReportTables(
      trace, timeline, CounterValues(timeline, trace), summary.criticalPath, stuck, boxes: graph?.boxes ?? [:])
    let document = ReportDocument(
      trace: trace, doctor: DoctorReport(of: trace, diagnosis), summary: summary, timeline: timeline,
      threads: tables.threads, queueRows: tables.queueRows, titles: QueueTitles(trace), graphNote: graphNote,
      foresight: foresight, comparison: comparison)
    writer.text("{\"version\":1,\"document\":")
    document.json.write(to: writer, level: nil)
    writer.text(",\n\"tables\":{")
    for (place, table) in tables.all.enumerated() {
      progress.tell(2 * tables.all.count + place, of: 3 * tables.all.count)
      if place > 0 { writer.text(",\n") }
      table.write(to: writer)
    }
    writer.text("},\n\"strings\":[")
    for (place, text) in tables.strings.enumerated() {
      if place > 0 { writer.byte(UInt8(ascii: ",")) }
      writer.json(text)
    }
    writer.text("]}")
    try writer.finish()
  }
}
