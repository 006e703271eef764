/// Serves a timeline to Perfetto's page, and to nobody else.
struct PerfettoSite: LocalSite {
  /// The only port that the page's content security policy allows.
  static let port = 9001
  static let origin = "https://ui.perfetto.dev"

  let token: String
  /// The name of the file.
  let name: String
  let timeline: [UInt8]
  let whenFetched: @Sendable () -> Void

  enum Verdict: Equatable {
    case timeline
    /// The browser asks whether the page may fetch it, and in particular whether a public site may fetch from this machine.
    case preflight(asksForPrivateNetwork: Bool)
    case refused(Refusal)
  }

  var path: String { "/\(token)/\(name)" }
  func address(port: Int) -> String { "\(Self.origin)/#!/?url=http://127.0.0.1:\(port)\(path)" }

  static func verdict(on request: LocalRequest, path: String, port: Int) -> Verdict {
    if let refusal = request.refusalOfHost(port: port) { return .refused(refusal) }
    guard request.values("origin") == [origin] else { return .refused(.foreign) }
    guard ["GET", "HEAD", "OPTIONS"].contains(request.method) else {
      return .refused(.method(allowed: "GET, HEAD, OPTIONS"))
    }
    guard AddressToken.matches(request.path, path) else { return .refused(.notFound) }
    guard request.method == "OPTIONS" else { return .timeline }
    let asks = request.values("access-control-request-private-network").contains { $0.lowercased() == "true" }
    return .preflight(asksForPrivateNetwork: asks)
  }

  func reply(to request: LocalRequest, port: Int) -> LocalReply {
    var headers = [
      ("access-control-allow-origin", Self.origin), ("cache-control", "no-store"), ("vary", "Origin"),
      ("x-content-type-options", "nosniff"),
    ]
    switch Self.verdict(on: request, path: path, port: port) {
    case .timeline:
      headers.append(("content-type", "application/octet-stream"))
      let isHeadOnly = request.method == "HEAD"
      return .now(
        LocalAnswer(
          status: 200, headers: headers, body: timeline, isHeadOnly: isHeadOnly,
          whenFetched: isHeadOnly ? nil : whenFetched))
    case .preflight(let asksForPrivateNetwork):
      headers.append(("access-control-allow-methods", "GET, HEAD"))
      if asksForPrivateNetwork { headers.append(("access-control-allow-private-network", "true")) }
      return .now(LocalAnswer(status: 204, headers: headers))
    case .refused(let refusal):
      return .now(.refusal(refusal))
    }
  }
}
