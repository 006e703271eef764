import OpTraceDoctor
import OpTraceKernel
import OpTracePageParts
import OpTraceModel
import OpTraceText

/// What a report contains besides the trace, and how its data is put together.
struct ReportContent: Sendable {
  /// What parts show of their own, by their names.
  var parts: [String: PartContent] = [:]
  var whatIf: JSONValue?
  var comparison: JSONValue?
  var calls: [ReportCall] = []

  /// Takes new content of parts in the place of what they had.
  mutating func take(_ contents: [PartContent]) {
    for content in contents { parts[content.part] = content }
  }

  /// Writes the data as JSON. `revision` is for a page that grows: the number of this revision, and of the one that it
  /// continues (nil: it contains everything). If `hasParts` is false, what parts conclude is not written, and the page keeps
  /// what it has. `news`: content that the page does not have in its HTML.
  func write(
    _ trace: Trace, _ lanes: PageLanes, _ analysis: ReportAnalysis, _ tables: ReportTables,
    revision: (number: Int, since: Int?)? = nil, firstString: Int = 0, news: [PartContent] = [],
    hasParts: Bool = true, to writer: ByteWriter
  ) {
    let progress = WorkProgress.reporter()
    let document = ReportDocument(
      trace: trace, doctor: analysis.doctor, lanes: lanes, names: tables.names,
      titles: QueueTitles(trace), whatIf: whatIf, comparison: comparison, calls: calls)
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
    writer.text(",\"document\":")
    document.json.write(to: writer, level: nil)
    let isWhole = revision?.since == nil
    for part in analysis.parts {
      let new = news.first { $0.part == part.name }
      if let content = new ?? (isWhole ? parts[part.name] : nil) {
        writeKey(part.name, to: writer)
        content.write(new != nil, writer)
      } else if hasParts, let write = part.conclusions.write {
        writeKey(part.name, to: writer)
        write(trace, writer)
      }
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

  private func writeKey(_ name: String, to writer: ByteWriter) {
    writer.text(",\n")
    writer.json(name)
    writer.text(":")
  }
}
