import Testing

@testable import optrace_cli

/// Who gets what of `optrace view`, without a server.
@Suite("The command view: its rules")
struct ViewRulesTests {
  private static let token = "0123456789abcdef0123456789abcdef"
  private static let host = ("Host", "127.0.0.1:4711")

  private func verdict(_ method: String, _ target: String, _ headers: (String, String)...) -> PageSite.Verdict {
    let request = LocalRequest(method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) })
    return PageSite.verdict(on: request, token: Self.token, port: 4711)
  }

  @Test("the page and its state, for those who know the address")
  func own() {
    let page = "/\(Self.token)/"
    #expect(verdict("GET", page, Self.host) == .page)
    #expect(verdict("HEAD", page, Self.host) == .page)
    #expect(verdict("GET", page + "?tab=graph", Self.host) == .page)
    #expect(verdict("GET", page + "state", ("host", "LocalHost:4711")) == .state)
    #expect(verdict("GET", "/\(Self.token)", Self.host) == .moved)
  }

  @Test("what is new, since what the page says that it has; whatever else it says is no revision")
  func news() {
    let data = "/\(Self.token)/data"
    #expect(verdict("GET", data + "?since=5", Self.host) == .news(since: 5, withGraph: false))
    #expect(verdict("HEAD", data + "?graph&since=12", Self.host) == .news(since: 12, withGraph: true))
    let nonsense = [
      "", "?", "?since", "?since=", "?since=x", "?since=1e9", "?since=99999999999999999999", "?Since=1", "?xsince=1",
      "?&&=&", "?=5",
    ]
    for query in nonsense {
      #expect(verdict("GET", data + query, Self.host) == .news(since: nil, withGraph: false), "\(query)")
    }
    #expect(verdict("GET", data + "?since=-1", Self.host) == .news(since: -1, withGraph: false))
    for target in [
      "/data?since=5", data + "/", data + "/?since=5", "/\(Self.token)/data.json", "/\(Self.token)/DATA",
    ] {
      #expect(verdict("GET", target, Self.host) == .refused(.notFound), "\(target)")
    }
    #expect(verdict("POST", data, Self.host) == .refused(.method(allowed: "GET, HEAD")))
    #expect(verdict("GET", data, Self.host, ("Origin", "https://evil.example")) == .refused(.foreign))
    #expect(verdict("GET", data, Self.host, ("Sec-Fetch-Site", "cross-site")) == .refused(.foreign))
    #expect(verdict("GET", data, ("Host", "evil.example:4711")) == .refused(.misdirected))
  }

  @Test(
    "any other path is not there",
    arguments: [
      "/", "", "*", "//", "/state", "/favicon.ico", "/0123456789abcdef0123456789abcdee/", "/\(token)//",
      "//\(token)/",
      "/\(token)/../", "/\(token)/..", "/\(token)/%2e%2e", "/%2e%2e/\(token)/", "/\(token)/./", "/\(token)/state/",
      "/\(token.uppercased())/", "/\(token)%2F", "/\(token)/STATE", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
      "http://127.0.0.1:4711/\(token)/", "/\(token)/" + String(repeating: "a", count: 10_000), "/\(token)/\u{0}",
      "/?/\(token)/",
    ])
  func otherPaths(target: String) {
    #expect(verdict("GET", target, Self.host) == .refused(.notFound))
  }

  @Test(
    "another host is not ours: a name that somebody made to lead here",
    arguments: [
      "evil.example", "evil.example:4711", "127.0.0.1", "localhost", "127.0.0.1:4712", "127.0.0.1.evil.example:4711",
      "[::1]:4711", "127.0.0.1:4711 ", "0.0.0.0:4711", "",
    ])
  func otherHosts(name: String) {
    #expect(verdict("GET", "/\(Self.token)/", ("Host", name)) == .refused(.misdirected))
  }

  @Test("no host, or two of them, is no request")
  func oneHost() {
    #expect(verdict("GET", "/\(Self.token)/") == .refused(.malformed))
    #expect(verdict("GET", "/\(Self.token)/", Self.host, ("Host", "evil.example")) == .refused(.malformed))
  }

  @Test("another site's page gets nothing, the address known or not")
  func otherSites() {
    for path in ["/\(Self.token)/", "/\(Self.token)/state", "/"] {
      for origin in ["https://evil.example", "null", "http://127.0.0.1:4712", "https://127.0.0.1:4711", ""] {
        #expect(verdict("GET", path, Self.host, ("Origin", origin)) == .refused(.foreign), "\(origin)")
      }
      for site in ["cross-site", "same-site", "whatever", ""] {
        #expect(verdict("GET", path, Self.host, ("Sec-Fetch-Site", site)) == .refused(.foreign), "\(site)")
      }
      let both = verdict("GET", path, Self.host, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site"))
      #expect(both == .refused(.foreign))
    }
  }

  @Test("a click on the address, and the page itself, are no other site")
  func ownSite() {
    let page = "/\(Self.token)/"
    #expect(verdict("GET", page, Self.host, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")) == .page)
    #expect(verdict("GET", page + "state", Self.host, ("Sec-Fetch-Site", "same-origin")) == .state)
    #expect(verdict("GET", page + "state", Self.host, ("Origin", "http://127.0.0.1:4711")) == .state)
  }

  @Test(
    "other methods are refused, whatever the path", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
  func otherMethods(method: String) {
    #expect(verdict(method, "/\(Self.token)/", Self.host) == .refused(.method(allowed: "GET, HEAD")))
    #expect(verdict(method, "/", Self.host) == .refused(.method(allowed: "GET, HEAD")))
  }

  @Test("an address has 128 random bits")
  func tokens() {
    let tokens = (0..<200).map { _ in AddressToken.make() }
    #expect(Set(tokens).count == tokens.count)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    let differing = (0..<32).allSatisfy { place in Set(tokens.map { Array($0)[place] }).count > 8 }
    #expect(differing)
  }

  private func timeline(_ method: String, _ target: String, _ headers: (String, String)...) -> PerfettoSite.Verdict {
    let request = LocalRequest(
      method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) })
    return PerfettoSite.verdict(on: request, path: "/\(Self.token)/run.pftrace", port: 9001)
  }

  @Test("the timeline is for Perfetto's page alone")
  func perfetto() {
    let path = "/\(Self.token)/run.pftrace"
    let host = ("Host", "127.0.0.1:9001")
    let perfetto = ("Origin", "https://ui.perfetto.dev")
    #expect(timeline("GET", path, host, perfetto) == .timeline)
    #expect(timeline("HEAD", path, host, perfetto) == .timeline)
    #expect(timeline("GET", path, host) == .refused(.foreign))
    for origin in [
      "https://evil.example", "http://ui.perfetto.dev", "https://ui.perfetto.dev.evil.example", "null",
      "https://ui.perfetto.dev:444", "https://UI.perfetto.dev",
    ] {
      #expect(timeline("GET", path, host, ("Origin", origin)) == .refused(.foreign), "\(origin)")
      #expect(timeline("OPTIONS", path, host, ("Origin", origin)) == .refused(.foreign), "\(origin)")
    }
    #expect(timeline("GET", path, host, perfetto, ("Origin", "https://evil.example")) == .refused(.foreign))
    #expect(timeline("GET", path, ("Host", "evil.example:9001"), perfetto) == .refused(.misdirected))
    #expect(timeline("GET", "/run.pftrace", host, perfetto) == .refused(.notFound))
    #expect(timeline("POST", path, host, perfetto) == .refused(.method(allowed: "GET, HEAD, OPTIONS")))
    #expect(timeline("OPTIONS", path, host, perfetto) == .preflight(asksForPrivateNetwork: false))
    let asks = ("Access-Control-Request-Private-Network", "true")
    #expect(timeline("OPTIONS", path, host, perfetto, asks) == .preflight(asksForPrivateNetwork: true))
  }

  @Test("BROWSER names commands, one after the other; the address goes in where it says")
  func browsers() {
    let address = "http://127.0.0.1:1/x/"
    func commands(_ wish: String) -> [[String]] { Browser.commands(for: address, environment: ["BROWSER": wish]) }
    #expect(commands("firefox") == [["firefox", address]])
    #expect(commands("open -a %s --new:w3m") == [["open", "-a", address, "--new"], ["w3m", address]])
    #expect(commands("firefox --url=%s") == [["firefox", "--url=\(address)"]])
    let own = commands("")
    #expect(own.count == 1 && own.first?.last == address)
    #expect(commands(" : ") == own)
  }
}
