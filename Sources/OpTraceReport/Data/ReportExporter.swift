import OpTraceKernel
public import OpTraceModel
public import OpTraceText

/// Writes a trace as one self-contained HTML page: timeline, graph, why it was slow, what is wrong.
///
/// Script and style are the same on every page. The trace is on the page as data: columns of integers, and one list of
/// texts. No `<` is left in these, so whatever a name contains, it remains text.
public struct ReportExporter: Sendable {
  private let trace: Trace
  private let graph: EmbeddedGraph?
  private let page: ReportPage
  private let isServed: Bool
  private var content: ReportContent
  /// The parts, if they have been computed already. Otherwise they are computed when the page is written.
  package var parts: ReportParts?
  /// The calls between spans of this trace and spans of others, which have pages next to this one.
  package var calls: [ReportCall] {
    get { content.calls }
    set { content.calls = newValue }
  }

  /// - Parameters:
  ///   - page: what is the same in every report; `OpTraceReport` has the project's own as `.standard`.
  ///   - graph: the drawing. Nil: there is none, and `graphNote` says why.
  ///   - whatIf: changes that would make the run faster, as returned by `WhatIf.pageJSON`. Nil: nobody asked for any.
  ///   - comparison: the differences between the two runs of the trace, as the JSON of `Comparison`. Nil: it is one
  ///     run.
  ///   - isServed: whether the page comes from `optrace view`, and may ask it for news.
  public init(
    _ trace: Trace, page: ReportPage, graph: EmbeddedGraph?, graphNote: String? = nil, whatIf: JSONValue? = nil,
    comparison: JSONValue? = nil, isServed: Bool = false
  ) {
    self.trace = trace
    self.graph = graph
    self.page = page
    self.isServed = isServed
    content = ReportContent(
      folds: graph?.folds ?? [], graphNote: graphNote ?? graph?.note, whatIf: whatIf, comparison: comparison)
  }

  /// Writes the page. O(n log n), with about 200 bytes per operation in the meantime, besides the trace. Throws what
  /// `sink` throws.
  public func write(to sink: ByteSink) throws {
    try write(to: sink, isLive: false) { writer in
      let parts = parts ?? ReportParts(of: trace)
      guard var tables = parts.tables ?? parts.withTables(of: trace).tables else { return }
      tables.addBoxes(of: content.folds, trace)
      content.write(trace, parts.timeline.timeline, parts.analysis, tables, to: writer)
    }
  }

  /// Writes the page of a trace that grows: the page asks for more, and `growing` answers. Otherwise the same as
  /// ``write(to:)``.
  public func write(to sink: ByteSink, growing: inout GrowingReport) throws {
    var bytes: [UInt8] = []
    try growing.begin(trace, content, parts ?? ReportParts(of: trace)) { bytes += $0 }
    try write(to: sink, isLive: true) { writer in writer.bytes(bytes) }
  }

  private func write(to sink: ByteSink, isLive: Bool, _ writeData: (ByteWriter) -> Void) throws {
    let style = page.style + (graph?.style ?? "")
    try ByteWriter.write(to: sink) { writer in
      for (text, next) in page.pieces {
        writer.string(text)
        switch next {
        case .policy: writer.string(page.policy(style: style, isServed: isServed))
        case .live: if isLive { writer.text("<meta name=\"optrace-live\" content=\"data\">") }
        case .title: writer.string(TextEscaping.xml(trace.header.processName))
        case .style: writer.string(style)
        case .graph: writer.string(graph?.svg ?? "")
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
