import Testing

@testable import optrace_cli

/// Which requests `optrace view` answers, without a server.
@Suite("optrace view: rules")
struct ViewRulesTests {
  private static let token = "0123456789abcdef0123456789abcdef"
  private static let host = ("Host", "127.0.0.1:4711")

  private func verdict(_ method: String, _ target: String, _ headers: (String, String)...) -> PageSite.Verdict {
    let request = LocalRequest(method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) })
    return PageSite.verdict(on: request, token: Self.token, port: 4711)
  }

  @Test("The address leads to the page and its state")
  func own() {
    let page = "/\(Self.token)/"
    #expect(verdict("GET", page, Self.host) == .page)
    #expect(verdict("HEAD", page, Self.host) == .page)
    #expect(verdict("GET", page + "?tab=graph", Self.host) == .page)
    #expect(verdict("GET", page + "state", ("host", "LocalHost:4711")) == .state)
    #expect(verdict("GET", "/\(Self.token)", Self.host) == .moved)
  }

  @Test("Updates are asked for by revision; a malformed revision counts as none")
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
    "Any other path is not found",
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
    "Another Host is refused (DNS rebinding)",
    arguments: [
      "evil.example", "evil.example:4711", "127.0.0.1", "localhost", "127.0.0.1:4712", "127.0.0.1.evil.example:4711",
      "[::1]:4711", "127.0.0.1:4711 ", "0.0.0.0:4711", "",
    ])
  func otherHosts(name: String) {
    #expect(verdict("GET", "/\(Self.token)/", ("Host", name)) == .refused(.misdirected))
  }

  @Test("A request without Host, or with two, is malformed")
  func oneHost() {
    #expect(verdict("GET", "/\(Self.token)/") == .refused(.malformed))
    #expect(verdict("GET", "/\(Self.token)/", Self.host, ("Host", "evil.example")) == .refused(.malformed))
  }

  @Test("Another site's page is refused, whether it knows the address or not")
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

  @Test("A click on the address and the page itself are accepted")
  func ownSite() {
    let page = "/\(Self.token)/"
    #expect(verdict("GET", page, Self.host, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")) == .page)
    #expect(verdict("GET", page + "state", Self.host, ("Sec-Fetch-Site", "same-origin")) == .state)
    #expect(verdict("GET", page + "state", Self.host, ("Origin", "http://127.0.0.1:4711")) == .state)
  }

  @Test(
    "Other methods are refused, whatever the path", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
  func otherMethods(method: String) {
    #expect(verdict(method, "/\(Self.token)/", Self.host) == .refused(.method(allowed: "GET, HEAD")))
    #expect(verdict(method, "/", Self.host) == .refused(.method(allowed: "GET, HEAD")))
  }

  @Test("An address has 128 random bits")
  func tokens() {
    let tokens = (0..<200).map { _ in AddressToken.make() }
    #expect(Set(tokens).count == tokens.count)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    let differing = (0..<32).allSatisfy { index in Set(tokens.map { Array($0)[index] }).count > 8 }
    #expect(differing)
  }

  private func timeline(_ method: String, _ target: String, _ headers: (String, String)...) -> PerfettoSite.Verdict {
    let request = LocalRequest(
      method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) })
    return PerfettoSite.verdict(on: request, path: "/\(Self.token)/run.pftrace", port: 9001)
  }

  @Test("Only Perfetto's page gets the timeline")
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

  @Test("BROWSER names commands to try, with %s for the address")
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

/// Reading requests, without a server.
@Suite("optrace view: requests")
struct RequestHeadTests {
  private func read(_ text: String, at most: Int = 1 << 20) -> RequestHead.Progress {
    var head = RequestHead()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let progress = head.read(rest.prefix(most))
      guard case .incomplete = progress else { return progress }
      rest = rest.dropFirst(most)
    }
    return .incomplete
  }

  @Test("A request is read the same way in pieces of any size", arguments: [1, 2, 3, 7, 1000])
  func pieces(size: Int) throws {
    let text = "\r\n\r\nGET /a?b=%20c HTTP/1.1\r\nHost:  a:1\t\r\nHOST: b\r\nX-Empty:\r\n\r\nGET /next HTTP/1.1\r\n\r\n"
    guard case .complete(let request) = read(text, at: size) else {
      Issue.record("it is not complete")
      return
    }
    #expect(request.method == "GET" && request.target == "/a?b=%20c")
    #expect(request.values("host") == ["a:1", "b"] && request.values("x-empty") == [""])
    guard case .incomplete = read("GET / HTTP/1.1\r\nHost: a\r\n", at: size) else {
      Issue.record("it is complete")
      return
    }
  }

  @Test("The limits are exact: a line, all lines, and their number")
  func limits() {
    let start = "GET / HTTP/1.1\r\n"
    func isRefused(_ text: String) -> Bool {
      if case .refused(.tooLong) = read(text) { true } else { false }
    }
    func line(_ length: Int) -> String { "A:" + String(repeating: "b", count: length - 2) + "\r\n" }
    #expect(
      !isRefused(start + line(RequestHead.longestLine - 1)) && isRefused(start + line(RequestHead.longestLine + 1)))
    let most = String(repeating: "A: b\r\n", count: RequestHead.mostFields)
    #expect(!isRefused(start + most) && isRefused(start + most + "A: b\r\n"))
    let large = String(repeating: line(10_000), count: 6)
    #expect(!isRefused(start + large) && isRefused(start + large + line(10_000)))
  }
}
