/// Serves the report page, its state and its updates to a browser on this machine.
struct PageSite: LocalSite {
  let token: String
  let report: ServedReport

  /// What a request asks for.
  enum Verdict: Equatable {
    case page, state
    /// The updates for a page that has this revision; nil: the request names no valid revision.
    case news(since: Int?, withGraph: Bool)
    /// The address lacks its last slash.
    case moved
    case refused(Refusal)
  }

  func verdict(on request: LocalRequest, port: Int) -> Verdict { Self.verdict(on: request, token: token, port: port) }

  static func verdict(on request: LocalRequest, token: String, port: Int) -> Verdict {
    if let refusal = request.refusalOfHost(port: port) { return .refused(refusal) }
    guard isOwn(request, port: port) else { return .refused(.foreign) }
    guard ["GET", "HEAD"].contains(request.method) else { return .refused(.method(allowed: "GET, HEAD")) }
    if AddressToken.matches(request.path, "/\(token)/") { return .page }
    if AddressToken.matches(request.path, "/\(token)/state") { return .state }
    if AddressToken.matches(request.path, "/\(token)/data") {
      return .news(since: request.query("since").flatMap { Int($0) }, withGraph: request.query("graph") != nil)
    }
    if AddressToken.matches(request.path, "/\(token)") { return .moved }
    return .refused(.notFound)
  }

  /// Whether the request comes from the page itself, or from somebody who typed or clicked the address. A client that is not a browser
  /// sends no such headers, and needs the address like everybody.
  private static func isOwn(_ request: LocalRequest, port: Int) -> Bool {
    let origins = request.values("origin")
    let own = ["http://127.0.0.1:\(port)", "http://localhost:\(port)"]
    guard origins.allSatisfy({ own.contains($0.lowercased()) }) else { return false }
    return request.values("sec-fetch-site").allSatisfy { ["none", "same-origin"].contains($0.lowercased()) }
  }

  func reply(to request: LocalRequest, port: Int) -> LocalReply {
    let isHeadOnly = request.method == "HEAD"
    @Sendable func answer(_ type: String, _ body: [UInt8]) -> LocalAnswer {
      LocalAnswer(
        status: 200, headers: Self.guards + [("content-type", type)], body: body, isHeadOnly: isHeadOnly)
    }
    switch verdict(on: request, port: port) {
    case .page:
      return .later { [report] in answer("text/html; charset=utf-8", report.page()) }
    case .state:
      return .later { [report] in answer("text/plain; charset=utf-8", Array(report.currentState().utf8)) }
    case .news(let revision, let withGraph):
      return .later { [report] in
        report.news(since: revision, withGraph: withGraph).map { answer("application/json", $0) }
          ?? .refusal(.notFound)
      }
    case .moved:
      return .now(LocalAnswer(status: 308, headers: Self.guards + [("location", "/\(token)/")]))
    case .refused(let refusal):
      return .now(.refusal(refusal))
    }
  }

  /// No page of another site may read or embed this one, or learn its address; and nothing stays in a cache.
  static let guards: [(name: String, value: String)] = [
    ("cache-control", "no-store"),
    (
      "content-security-policy",
      "default-src 'unsafe-inline' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
  ]
}
