/// The head of a request. Bodies are never read.
struct LocalRequest: Sendable {
  var method: String
  /// As received, without decoding or normalizing, so that only the exact address matches.
  var target: String
  var headers: [(name: String, value: String)] = []

  /// Every value of this field. The name is in lower case.
  func values(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The target up to a question mark.
  var path: Substring { target.prefix { $0 != "?" } }

  /// The value of this parameter; empty if it has none, as `graph` in `since=5&graph`; nil if it is not there.
  func query(_ name: String) -> Substring? {
    for part in target.dropFirst(path.count + 1).split(separator: "&") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if words[0] == name { return words.count > 1 ? words[1] : "" }
    }
    return nil
  }
}

/// The answer to a request. A refusal has no body, so it reveals nothing.
struct LocalAnswer: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  /// Shared with other answers, not copied.
  var body: [UInt8] = []
  /// For HEAD: the length of the body is sent, the body is not.
  var isHeadOnly = false
  /// Called when the client has taken all of the body.
  var whenFetched: (@Sendable () -> Void)?

  static func refusal(_ refusal: Refusal) -> LocalAnswer {
    LocalAnswer(status: refusal.status, headers: refusal.allowed.map { [("allow", $0)] } ?? [])
  }

  /// The bytes before the body. Every connection is for one answer.
  var head: ArraySlice<UInt8> {
    var text = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if status != 204 { text += "content-length: \(body.count)\r\n" }
    return ArraySlice((text + "connection: close\r\n\r\n").utf8)
  }

  private static let phrases = [
    200: "OK", 204: "No Content", 308: "Permanent Redirect", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
  ]
}

/// Why a request is refused.
enum Refusal: Equatable, Sendable {
  /// It is not HTTP, or has no `Host`.
  case malformed
  /// It comes from another site's page.
  case foreign
  case notFound
  case method(allowed: String)
  /// It exceeds the limits of ``RequestHead``.
  case tooLong
  /// It names another host, whose name somebody may have made to resolve to this machine (DNS rebinding).
  case misdirected

  var status: Int {
    switch self {
    case .malformed: 400
    case .foreign: 403
    case .notFound: 404
    case .method: 405
    case .misdirected: 421
    case .tooLong: 431
    }
  }

  var allowed: String? {
    guard case .method(let allowed) = self else { return nil }
    return allowed
  }
}

/// What a server serves.
protocol LocalSite: Sendable {
  /// Decides on a request to `port`. It must be quick: the server waits for it.
  func reply(to request: LocalRequest, port: Int) -> LocalReply
}

enum LocalReply: Sendable {
  case now(LocalAnswer)
  /// An answer that takes time. They are made one after the other, on a thread of their own.
  case later(@Sendable () -> LocalAnswer)
}

extension LocalRequest {
  /// Nil if `Host` names this server. A page of another site can make its own name resolve to this machine, but it cannot change the
  /// `Host` that its browser sends.
  func refusalOfHost(port: Int) -> Refusal? {
    let hosts = values("host")
    guard hosts.count == 1, let host = hosts.first?.lowercased() else { return .malformed }
    var own = ["127.0.0.1:\(port)", "localhost:\(port)"]
    if port == 80 { own += ["127.0.0.1", "localhost"] }
    return own.contains(host) ? nil : .misdirected
  }
}

/// A part of an address that nobody can guess: 128 bits of the system's random numbers.
enum AddressToken {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map { (half: UInt64) in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }

  /// Whether both are the same, in a time that does not depend on how much of them is.
  static func matches(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    let (left, right) = (Array(one.utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
