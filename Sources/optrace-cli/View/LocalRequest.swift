/// What is asked of the server: the head of a request. Bodies are never looked at.
struct LocalRequest: Sendable {
  var method: String
  /// As it came: nothing in it is decoded or put in order, so that only the exact address is the address.
  var target: String
  var headers: [(name: String, value: String)] = []

  /// Every value under that name, which is given in small letters.
  func values(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The target without what follows a question mark.
  var path: Substring { target.prefix { $0 != "?" } }

  /// What follows the question mark under this name: `since=5&graph` has two. Nil: nothing does.
  func query(_ name: String) -> Substring? {
    for part in target.dropFirst(path.count + 1).split(separator: "&") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if words[0] == name { return words.count > 1 ? words[1] : "" }
    }
    return nil
  }
}

/// What is sent back. No answer says more than it must: a refusal has no body.
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

/// Why a request gets nothing.
enum Refusal: Equatable, Sendable {
  /// It is no HTTP, or names no host.
  case malformed
  /// Another site's page asks.
  case foreign
  case notFound
  case method(allowed: String)
  /// It is longer than any that we know.
  case tooLong
  /// Meant for another host: a name of somebody else's that was made to lead here.
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

/// What stands behind an address on this machine.
protocol LocalSite: Sendable {
  /// Decides on a request to `port`, at once: the server waits for it.
  func reply(to request: LocalRequest, port: Int) -> LocalReply
}

enum LocalReply: Sendable {
  case now(LocalAnswer)
  /// What takes time to make: one answer after the other, on a thread that the server has for that.
  case later(@Sendable () -> LocalAnswer)
}

extension LocalRequest {
  /// Nil when it was sent to this server under its own name. A page of another site can make its name lead here, but
  /// not change what its browser says in `Host`.
  func refusalOfHost(port: Int) -> Refusal? {
    let hosts = values("host")
    guard hosts.count == 1, let host = hosts.first?.lowercased() else { return .malformed }
    var own = ["127.0.0.1:\(port)", "localhost:\(port)"]
    if port == 80 { own += ["127.0.0.1", "localhost"] }
    return own.contains(host) ? nil : .misdirected
  }
}

/// A part of an address that nobody can guess: 128 random bits of the system's generator.
enum AddressToken {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map { (half: UInt64) in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }

  /// Whether both are the same, in a time that does not tell how much of them is.
  static func matches(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    let (left, right) = (Array(one.utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
