import Foundation
import OpTrace
import OpTraceModel
import OpTraceTracing
import Testing
import Tracing

/// A run whose spans are recorded.
struct Recorded {
  let recorder: TraceRecorder
  let tracer: RecordingTracer

  init(beside other: (any Tracer)? = nil, tasks: Bool = false, ring: Bool = false) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("spans-\(UUID().uuidString).optrace")
    let configuration = TraceRecorder.Configuration(
      mode: ring ? .flightRecorder(capacity: 1 << 20) : .streaming, recordsTasks: tasks)
    recorder = try TraceRecorder(writingTo: file, configuration: configuration)
    TraceRecorder.default = recorder
    tracer = RecordingTracer(beside: other)
  }

  /// What was recorded. It keeps the rules of the format.
  func end() throws -> Trace {
    TraceRecorder.default = nil
    try recorder.stop()
    defer { try? FileManager.default.removeItem(at: recorder.url) }
    #expect(try TraceValidator.check(path: recorder.url.path).violations.map { "\($0)" } == [])
    return try TraceReader.read(path: recorder.url.path)
  }
}

extension Trace {
  func span(_ name: String) throws -> SpanRecord { try #require(spans.first { $0.name == name }, "\(name)") }
}

extension SpanRecord {
  /// `error: no disk`
  var outcome: String? { status.map { [$0.code.rawValue, $0.message].compactMap(\.self).joined(separator: ": ") } }
  subscript(key: String) -> String? { attributes.first { $0.key == key }?.value }
}

typealias Headers = [String: String]

struct HeaderFields: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout Headers) { carrier[key] = value }
  func extract(key: String, from carrier: Headers) -> String? { carrier[key] }
}

extension Instrument {
  func context(of headers: Headers) -> ServiceContext {
    var context = ServiceContext.topLevel
    extract(headers, into: &context, using: HeaderFields())
    return context
  }

  func headers(of context: ServiceContext) -> Headers {
    var headers = Headers()
    inject(context, into: &headers, using: HeaderFields())
    return headers
  }
}

/// A backend of others that speaks `traceparent` and keeps what it is told.
///
/// Sendable: `Log` is.
final class OtherTracer: Tracer, Sendable {
  static let traceID = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
  private enum Key: ServiceContextKey { typealias Value = String }
  let log = Log<String>()

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> OtherSpan {
    log.add("start \(operationName) \(kind)")
    var context = context()
    context[Key.self] = "00-\(Self.traceID)-\(String(repeating: "0", count: 15))\(log.all.count % 9 + 1)-00"
    return OtherSpan(context: context, operationName: operationName, log: log)
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let parent = context[Key.self] else { return }
    injector.inject(parent, forKey: "Traceparent", into: &carrier)
  }

  @available(*, deprecated) func forceFlush() { log.add("flush") }
}

struct OtherSpan: Span {
  let context: ServiceContext
  let log: Log<String>
  private let name: String
  var isRecording: Bool { true }
  var operationName: String {
    get { name }
    nonmutating set { log.add("name \(newValue)") }
  }
  var attributes: SpanAttributes {
    get { [:] }
    nonmutating set { log.add("attributes \(newValue.count)") }
  }

  init(context: ServiceContext, operationName: String, log: Log<String>) {
    self.context = context
    name = operationName
    self.log = log
  }

  func setStatus(_ status: SpanStatus) { log.add("status \(status.code)") }
  func addEvent(_ event: SpanEvent) { log.add("event \(event.name)") }
  func addLink(_ link: SpanLink) { log.add("link") }
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) { log.add("error \(error)") }
  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { log.add("end \(operationName)") }
}
