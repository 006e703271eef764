import Foundation
import Tracing

/// A small tracer that sends finished spans to an OpenTelemetry collector, as JSON over HTTP. A service takes its backend's own.
///
/// Sendable: `finished` is only touched under `lock`.
final class CollectorTracer: Tracer, @unchecked Sendable {
  private let service: String
  private let port: UInt16
  private let lock = NSLock()
  private var finished: [[String: Any]] = []

  init(service: String, port: UInt16) {
    self.service = service
    self.port = port
  }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> CollectorSpan {
    CollectorSpan(operationName, in: context(), at: instant().nanosecondsSinceEpoch) { span in
      self.lock.withLock { self.finished.append(span) }
    }
  }

  /// Sends what is finished; false where the collector did not take it.
  func send() -> Bool {
    let spans = lock.withLock {
      defer { finished = [] }
      return finished
    }
    let resource = ["attributes": CollectorSpan.json(["service.name": .string(service)])]
    for start in stride(from: 0, to: spans.count, by: 100) {
      let part = Array(spans[start..<min(start + 100, spans.count)])
      let message = ["resourceSpans": [["resource": resource, "scopeSpans": [["spans": part]]]]]
      guard let body = try? JSONSerialization.data(withJSONObject: message),
        Sockets.post(body, port: port, path: "/v1/traces")
      else { return false }
    }
    return true
  }

  func forceFlush() { _ = send() }
  func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
  where Carrier == Inject.Carrier {}
  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Carrier == Extract.Carrier {}
}

/// Who a span is, as W3C has it.
struct SpanIdentity: Sendable {
  private enum Key: ServiceContextKey { typealias Value = SpanIdentity }
  var trace = Self.hex(2)
  var span = Self.hex(1)

  private static func hex(_ words: Int) -> String {
    (0..<words).map { _ in String(UInt64.random(in: 1 ... .max), radix: 16) }
      .map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }

  static func of(_ context: ServiceContext) -> SpanIdentity? { context[Key.self] }
  func put(into context: inout ServiceContext) { context[Key.self] = self }
}

/// Sendable: all that changes is only touched under `lock`.
final class CollectorSpan: Span, @unchecked Sendable {
  let context: ServiceContext
  private let identity: SpanIdentity
  private let parent: SpanIdentity?
  private let start: UInt64
  private let onEnd: @Sendable ([String: Any]) -> Void
  private let lock = NSLock()
  private var name: String
  private var values: SpanAttributes = [:]
  private var events: [SpanEvent] = []
  private var links: [SpanLink] = []
  private var status: SpanStatus?
  private var hasEnded = false

  init(
    _ name: String, in context: ServiceContext, at start: UInt64, _ onEnd: @escaping @Sendable ([String: Any]) -> Void
  ) {
    self.name = name
    self.start = start
    self.onEnd = onEnd
    parent = SpanIdentity.of(context)
    var identity = SpanIdentity()
    if let parent { identity.trace = parent.trace }
    self.identity = identity
    var own = context
    identity.put(into: &own)
    self.context = own
  }

  var isRecording: Bool { lock.withLock { !hasEnded } }
  var operationName: String {
    get { lock.withLock { name } }
    set { lock.withLock { name = newValue } }
  }
  var attributes: SpanAttributes {
    get { lock.withLock { values } }
    set { lock.withLock { values = newValue } }
  }
  func setStatus(_ status: SpanStatus) { lock.withLock { self.status = status } }
  func addEvent(_ event: SpanEvent) { lock.withLock { events.append(event) } }
  func addLink(_ link: SpanLink) { lock.withLock { links.append(link) } }
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) { setStatus(SpanStatus(code: .error, message: "\(error)")) }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let end = instant().nanosecondsSinceEpoch
    let span: [String: Any]? = lock.withLock {
      if hasEnded { return nil }
      hasEnded = true
      return json(end)
    }
    if let span { onEnd(span) }
  }

  private func json(_ end: UInt64) -> [String: Any] {
    var span: [String: Any] = [
      "traceId": identity.trace, "spanId": identity.span, "name": name, "kind": 1, "startTimeUnixNano": "\(start)",
      "endTimeUnixNano": "\(end)", "attributes": Self.json(values),
      "events": events.map { ["name": $0.name, "timeUnixNano": "\($0.nanosecondsSinceEpoch)"] },
      "links": links.compactMap { link in
        SpanIdentity.of(link.context).map {
          ["traceId": $0.trace, "spanId": $0.span, "attributes": Self.json(link.attributes)] as [String: Any]
        }
      },
    ]
    if let parent { span["parentSpanId"] = parent.span }
    if let status { span["status"] = ["code": status.code == .error ? 2 : 1, "message": status.message ?? ""] }
    return span
  }

  static func json(_ attributes: SpanAttributes) -> [[String: Any]] {
    var list: [[String: Any]] = []
    attributes.forEach { key, value in
      let typed: [String: Any]? =
        switch value {
        case .string(let text): ["stringValue": text]
        case .int64(let number): ["intValue": "\(number)"]
        case .bool(let flag): ["boolValue": flag]
        default: nil
        }
      if let typed { list.append(["key": key, "value": typed]) }
    }
    return list
  }
}
