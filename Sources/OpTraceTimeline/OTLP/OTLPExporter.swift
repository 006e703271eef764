import OpTraceAnalysis
public import OpTraceModel
public import OpTraceText

/// A trace as lines of OTLP's JSON (https://opentelemetry.io/docs/specs/otlp, the file exporter's form), which the collector's
/// `otlpjsonfile` receiver reads: one span an operation, from its enqueueing to its finish.
///
/// Links lead to its dependencies and to the operation that held its slot; its parent is the operation whose code added it.
/// Operations that hang together by dependencies and parents are one trace. What the program named itself are spans and events.
/// The numbers of traces and spans are the same whenever a trace is exported.
public struct OTLPExporter {
  /// The collector's receiver cuts lines that are longer than 1 MiB.
  private static let lineBytes = 1 << 18
  /// Of one span, so that a line stays short; the span says how many were left out.
  static let mostLinks = 1000

  /// The semantic conventions that attributes are named by.
  private static var schema: StaticString { "https://opentelemetry.io/schemas/1.44.0" }

  private let content: OTLPContent

  /// O(n log n).
  public init(_ trace: Trace) { content = OTLPContent(trace) }

  /// How many spans there are, and how many links of spans that have too many are left out.
  public struct Written: Sendable, Equatable {
    /// Of operations, and what the program named.
    public var spans = 0
    /// To dependencies and holders of slots.
    public var links = 0
    /// Of spans with more than 1,000.
    public var droppedLinks = 0

    /// Nothing yet.
    public init() {}
  }

  /// Writes all lines. Throws what `sink` throws.
  public func write(to sink: ByteSink) throws -> Written {
    try ByteWriter.write(to: sink) { writer in
      var line: [UInt8] = []
      let part = ByteWriter { line += $0 }
      let spans = OTLPSpans(content, part)
      let (head, tail) = (Self.head(of: content.trace), Array("]}]}]}\n".utf8))
      func end() throws {
        guard !line.isEmpty else { return }
        writer.bytes(head)
        writer.bytes(line)
        writer.bytes(tail)
        line.removeAll(keepingCapacity: true)
        try writer.check()
      }
      var written = Written()
      for number in 0..<spans.count where spans.isSpan(number) {
        if !line.isEmpty { part.byte(UInt8(ascii: ",")) }
        let one = spans.write(number)
        written.spans += 1
        written.links += one.links
        written.droppedLinks += one.dropped
        try part.finish()
        if line.count >= Self.lineBytes { try end() }
      }
      try end()
      return written
    }
  }

  /// What all spans of a line have in common: the process, and who says it.
  private static func head(of trace: Trace) -> [UInt8] {
    let header = trace.header
    func text(_ key: String, _ value: String) -> JSONValue {
      .members(["key": .string(key), "value": .members(["stringValue": .string(value)])])
    }
    func number(_ key: String, _ value: Int) -> JSONValue {
      .members(["key": .string(key), "value": .members(["intValue": .string(String(value))])])
    }
    var attributes = [
      text("service.name", header.processName.isEmpty ? "unknown_service" : header.processName),
      text("service.instance.id", header.hash),
      text("process.executable.name", header.processName), number("process.pid", Int(header.processID)),
      text("process.runtime.name", "swift"),
      text("telemetry.sdk.language", "swift"), text("telemetry.sdk.name", "optrace"),
      text("telemetry.sdk.version", header.writerVersion), text("optrace.trace", header.hash),
    ]
    if let processors = header.processors { attributes.append(number("optrace.processors", processors)) }
    if trace.loss.lostCount > 0 {
      attributes.append(number("optrace.lost", Int(clamping: trace.loss.lostCount)))
    }
    let resource = JSONValue.members(["attributes": .array(attributes)])
    var bytes: [UInt8] = []
    let writer = ByteWriter { bytes += $0 }
    writer.text("{\"resourceSpans\":[{\"schemaUrl\":\"")
    writer.text(schema)
    writer.text("\",\"resource\":")
    resource.write(to: writer, level: nil, isExact: true)
    // The resource's does not count for the spans.
    writer.text(",\"scopeSpans\":[{\"schemaUrl\":\"")
    writer.text(schema)
    writer.text("\",\"scope\":{\"name\":\"optrace\"},\"spans\":[")
    // The sink throws nothing.
    try? writer.finish()
    return bytes
  }
}
