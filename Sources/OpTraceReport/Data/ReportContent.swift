import OpTraceGraph
import OpTraceTimeline
import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// What a report has besides the trace, and how its data is put together.
struct ReportContent: Sendable {
  /// More lanes than these add nothing, and take room from other rows.
  static let timelineOptions: TimelineOptions = {
    var options = TimelineOptions()
    options.waitLanes = 12
    options.drawsArrows = false
    return options
  }()

  /// The boxes of the drawing that hold many operations.
  var folds: [GraphPicture.Fold] = []
  var graphNote: String?
  var whatIf: JSONValue?
  var comparison: JSONValue?
  var calls: [ReportCall] = []

  /// The data as JSON. `revision`: of a page that grows, which one this is, and which one it goes on from (nil: it is a whole).
  /// `hasRequests`: those of the analysis are written; else the page keeps what it has of them.
  func write(
    _ trace: Trace, _ timeline: Timeline, _ analysis: ReportAnalysis, _ tables: ReportTables,
    revision: (number: Int, since: Int?)? = nil, firstString: Int = 0, drawing: EmbeddedGraph? = nil,
    hasRequests: Bool = true, to writer: ByteWriter
  ) {
    let progress = WorkProgress.reporter()
    let document = ReportDocument(
      trace: trace, doctor: analysis.doctor, summary: analysis.summary, timeline: timeline, names: tables.names,
      titles: QueueTitles(trace), graphNote: graphNote, whatIf: whatIf, comparison: comparison, calls: calls)
    writer.text("{\"version\":1")
    if let revision {
      writer.text(",\"revision\":")
      writer.number(revision.number)
      if let since = revision.since {
        writer.text(",\"since\":")
        writer.number(since)
      }
    }
    for (name, moved) in [("tracks", tables.living?.movedTracks), ("groups", tables.living?.movedGroups)] {
      guard let moved else { continue }
      writer.text(",")
      writer.json(name)
      writer.text(":")
      JSONValue.array(moved.map { .integer($0) }).write(to: writer, level: nil)
    }
    if let drawing {
      writer.text(",\"graph\":")
      // By lines: a text of this JSON has one.
      func lines(_ text: String) -> JSONValue {
        .array(text.split(separator: "\n", omittingEmptySubsequences: false).map { .string(String($0)) })
      }
      JSONValue.members(["svg": lines(drawing.svg), "style": lines(drawing.style)]).write(to: writer, level: nil)
    }
    writer.text(",\"document\":")
    document.json.write(to: writer, level: nil)
    if hasRequests, !analysis.requests.isEmpty {
      writer.text(",\n\"requests\":")
      ReportRequests(analysis.requests, trace).write(to: writer)
    }
    writer.text(",\n\"tables\":{")
    for (index, table) in tables.all.enumerated() {
      // Putting all into columns takes about as long as writing these.
      progress.report(tables.all.count + index, of: 2 * tables.all.count)
      if index > 0 { writer.text(",\n") }
      table.write(to: writer)
    }
    writer.text("},\n\"strings\":[")
    for (index, text) in tables.names.strings.dropFirst(firstString).enumerated() {
      if index > 0 { writer.byte(UInt8(ascii: ",")) }
      writer.json(text)
    }
    writer.text("]}")
  }
}
