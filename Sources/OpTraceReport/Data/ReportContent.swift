import OpTraceGraph
import OpTraceRequests
import OpTraceTimeline
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// What a report contains besides the trace, and how its data is put together.
struct ReportContent: Sendable {
  /// The options of the timeline. More lanes than these would add nothing, and take room from other rows.
  static let timelineOptions: TimelineOptions = {
    var options = TimelineOptions(rules: .report)
    options.waitLanes = 12
    options.drawsArrows = false
    return options
  }()

  /// The boxes of the drawing that contain several operations.
  var folds: [GraphPicture.Fold] = []
  var graphNote: String?
  var whatIf: JSONValue?
  var comparison: JSONValue?
  var calls: [ReportCall] = []

  /// Writes the data as JSON. `revision` is for a page that grows: the number of this revision, and of the one that it
  /// continues (nil: it contains everything). If `hasRequests` is false, the requests of the analysis are not written,
  /// and the page keeps what it has.
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
      // The drawing is split into lines, because a text in this JSON is a single line.
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
      // Putting everything into columns takes about as long as writing the columns.
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
