import OpTraceModel

/// What the program's own spans say of units: the method, the route, the status, the request's id.
struct UnitSpans {
  private struct Key: Hashable {
    var work: WorkID
    var began: Nanoseconds
  }

  private var spans: [Key: SpanRecord] = [:]

  /// Of each, the names of today's conventions of OpenTelemetry come first.
  private static let methods = ["http.request.method", "http.method", "rpc.method"]
  private static let routes = ["http.route", "url.path", "http.target"]
  private static let statuses = [
    "http.response.status_code", "http.status_code", "rpc.grpc.status_code", "rpc.response.status_code",
  ]
  private static let ids = ["http.request.id", "request.id", "request_id", "request-id", "hb.request.id"]

  /// O(spans).
  init(_ trace: Trace) {
    for span in trace.spans where span.context != nil && span.parent == nil {
      if let work = span.work { spans[Key(work: work, began: span.began.time)] = span }
    }
  }

  /// `GET /stock/{id}, 503, request 7f3a`; nil: nothing is said of it.
  func words(_ unit: Requests.Unit) -> String? {
    guard let span = spans[Key(work: unit.work, began: unit.began)] else { return nil }
    func value(_ keys: [String]) -> String? {
      keys.lazy.compactMap { key in span.attributes.first { $0.key == key }?.value }.first { !$0.isEmpty }
    }
    let method = value(Self.methods)
    let route = value(Self.routes)
    let call = [method, route].compactMap(\.self).joined(separator: " ")
    let failure = span.status?.code == .error ? span.status?.message : nil
    let words = [call, value(Self.statuses) ?? "", value(Self.ids).map { "request \($0)" } ?? "", failure ?? ""]
      .filter { !$0.isEmpty }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
