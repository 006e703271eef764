import OpTraceKernel
package import OpTraceModel
package import OpTracePageParts
public import OpTraceText

/// Writes a trace as one self-contained HTML page: timeline, graph, why it was slow, what is wrong.
///
/// Script and style are the same on every page. The trace is on the page as data: columns of integers, and one list of
/// texts. No `<` is left in these, so whatever a name contains, it remains text.
public struct ReportExporter: Sendable {
  private let trace: Trace
  private let page: ReportPage
  private let isServed: Bool
  private var content: ReportContent
  /// What the page shows, if it has been computed already. Otherwise it is computed when the page is written.
  package var prepared: PreparedReport?
  /// The calls between spans of this trace and spans of others, which have pages next to this one.
  package var calls: [ReportCall] {
    get { content.calls }
    set { content.calls = newValue }
  }

  /// - Parameters:
  ///   - page: what is the same in every report.
  ///   - contents: what parts show of their own.
  ///   - whatIf: changes that would make the run faster, as returned by `WhatIf.pageJSON`. Nil: nobody asked for any.
  ///   - comparison: the differences between the two runs of the trace, as the JSON of `Comparison`. Nil: it is one
  ///     run.
  ///   - isServed: whether the page comes from `optrace view`, and may ask it for news.
  package init(
    _ trace: Trace, page: ReportPage, contents: [PartContent], whatIf: JSONValue? = nil,
    comparison: JSONValue? = nil, isServed: Bool = false
  ) {
    self.trace = trace
    self.page = page
    self.isServed = isServed
    content = ReportContent(whatIf: whatIf, comparison: comparison)
    content.take(contents)
  }

  /// Writes the page. O(n log n), with about 200 bytes per operation in the meantime, besides the trace. Throws what
  /// `sink` throws.
  public func write(to sink: ByteSink) throws {
    try write(to: sink, isLive: false) { writer in
      let prepared = prepared ?? PreparedReport(of: trace, for: page)
      guard let tables = prepared.tables ?? prepared.withTables(of: trace).tables else { return }
      content.write(trace, prepared.lanes, prepared.analysis, tables, to: writer)
    }
  }

  /// Writes the page of a trace that grows: the page asks for more, and `growing` answers. Otherwise the same as
  /// ``write(to:)``.
  public func write(to sink: ByteSink, growing: inout GrowingReport) throws {
    var bytes: [UInt8] = []
    try growing.begin(trace, content, page, prepared ?? PreparedReport(of: trace, for: page)) { bytes += $0 }
    try write(to: sink, isLive: true) { writer in writer.bytes(bytes) }
  }

  private func write(to sink: ByteSink, isLive: Bool, _ writeData: (ByteWriter) -> Void) throws {
    let contents = page.parts.compactMap { content.parts[$0.name] }
    let style = page.style + contents.map(\.style).joined()
    try ByteWriter.write(to: sink) { writer in
      for (text, next) in page.pieces {
        writer.string(text)
        switch next {
        case .policy: writer.string(page.policy(style: style, isServed: isServed))
        case .live: if isLive { writer.text("<meta name=\"optrace-live\" content=\"data\">") }
        case .title: writer.string(TextEscaping.xml(trace.header.processName))
        case .style: writer.string(style)
        case .parts: for one in contents { writer.string(one.section) }
        case .data:
          let guarded = ByteWriter { Self.writeGuarded($0, to: writer) }
          writeData(guarded)
          try guarded.finish()
        case .script: writer.string(page.script)
        case nil: break
        }
        try writer.check()
      }
    }
  }

  /// Writes the data with every `<` escaped. It occurs only inside texts, where an escape means the same. So no text
  /// can close the element that contains the data.
  private static func writeGuarded(_ bytes: UnsafeRawBufferPointer, to writer: ByteWriter) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
      writer.bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      writer.text("\\u003c")
      start = index + 1
    }
    writer.bytes(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
}
