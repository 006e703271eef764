import OpTraceKernel
public import OpTraceModel
public import OpTraceText

/// Writes a trace as lines of OTLP's JSON (https://opentelemetry.io/docs/specs/otlp, the form of the file exporter),
/// which the collector's `otlpjsonfile` receiver reads. There is one span per operation, from its enqueueing to its
/// finish.
///
/// Links lead to its dependencies and to the operation that held its slot; its parent is the operation whose code added
/// it. Operations that are connected by dependencies and parents form one trace. What the program itself named becomes
/// spans and events. The ids of traces and spans are the same each time a trace is exported.
public struct OTLPExporter {
  /// The most bytes on a line. The collector's receiver cuts lines longer than 1 MiB.
  private static let lineBytes = 1 << 18
  /// The most links of one span, so that a line stays short. The span says how many were left out.
  static let mostLinks = 1000

  /// The semantic conventions that name the attributes.
  private static var schema: StaticString { "https://opentelemetry.io/schemas/1.44.0" }

  private let content: OTLPContent

  /// Prepares the export. O(n log n).
  public init(_ trace: Trace) { content = OTLPContent(trace) }

  /// The numbers of spans and links that were written, and of links that were left out of spans with too many.
  public struct Written: Sendable, Equatable {
    /// The number of spans, of operations and of what the program named.
    public var spans = 0
    /// The number of links to dependencies and slot holders.
    public var links = 0
    /// The number of links left out of spans with more than 1,000.
    public var droppedLinks = 0

    /// Starts at zero.
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

  /// Returns what all spans of a line have in common: the process, and the source of the data.
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
    // The schema of the resource does not apply to the spans.
    writer.text(",\"scopeSpans\":[{\"schemaUrl\":\"")
    writer.text(schema)
    writer.text("\",\"scope\":{\"name\":\"optrace\"},\"spans\":[")
    // This sink does not throw.
    try? writer.finish()
    return bytes
  }
}
