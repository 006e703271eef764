import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceModel

/// Where profiles are pushed, and how: one request.
struct PushReceiver: Sendable {
  enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
    case otlp, pyroscope

    /// Where receivers usually take it.
    var path: String {
      switch self {
      case .otlp: "/v1development/profiles"
      case .pyroscope: "/push.v1.PusherService/Push"
      }
    }

    /// The name for messages.
    var words: String {
      switch self {
      case .otlp: "OTLP profiles"
      case .pyroscope: "pprof for Pyroscope"
      }
    }
  }

  /// A URL that can be pushed to.
  struct Address: Sendable {
    let format: Format
    /// Without secrets.
    let url: String
    /// `NAME:PASSWORD`, from the URL; nil: it has none.
    let credentials: String?

    /// Nil: it is no address of http or https.
    init?(_ text: String, format: Format?) {
      guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
        ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
      else { return nil }
      let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
      self.format = format ?? (path.hasSuffix(Format.pyroscope.path) ? .pyroscope : .otlp)
      switch self.format {
      case .otlp: parts.path = path.isEmpty ? Format.otlp.path : parts.path
      // Pyroscope may be below a path of a proxy, but the last part never changes.
      case .pyroscope: parts.path = path.hasSuffix(Format.pyroscope.path) ? path : path + Format.pyroscope.path
      }
      credentials = parts.user.map { "\($0):\(parts.password ?? "")" }
      (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
      guard let url = parts.string else { return nil }
      self.url = url
    }

    /// Without the password, even if the URL is malformed.
    static func shown(_ url: String) -> String {
      guard let at = url.lastIndex(of: "@") else { return url }
      let start = url.range(of: "://")?.upperBound ?? url.startIndex
      return start < at ? url[..<start] + "…" + url[at...] : url
    }
  }

  let address: Address
  /// The address for messages.
  var name: String { printable(address.url) }
  /// Seconds that a request may take.
  let timeout: Double
  private let headers: [String]
  private let curl: Curl

  /// Throws ``Failure``, or a `ValidationError`.
  init(_ options: PushOptions, url: String) throws {
    address = try options.receiverAddress(url)
    timeout = try options.timeout()
    var headers: [String]
    switch address.format {
    case .otlp: headers = ["Content-Type: application/x-protobuf", "Content-Encoding: gzip"]
    case .pyroscope: headers = ["Content-Type: application/proto", "Connect-Protocol-Version: 1"]
    }
    if let credentials = address.credentials {
      headers.append("Authorization: Basic \(Data(credentials.utf8).base64EncodedString())")
    }
    self.headers = headers + (try options.pushHeaders.map(Self.headers) ?? [])
    curl = try Curl()
  }

  private static func headers(in file: String) throws -> [String] {
    func problem(_ what: String) -> Failure {
      Failure(message: "cannot read the headers in '\(printable(file))': \(what)", status: .noInput)
    }
    if isFolder(file) { throw problem("it is a folder") }
    guard let descriptor = OwnedDescriptor(open(file.asPath, O_RDONLY | O_CLOEXEC)) else {
      throw problem(reason(errno))
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    // More is no list of headers.
    while bytes.count < 32_768 {
      let count = read(descriptor.number, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw problem(reason(errno)) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    // The value may be a secret, so it is not shown.
    if let wrong = lines.firstIndex(where: { !$0.contains(":") || $0.hasPrefix(":") }) {
      throw problem("its header \(wrong + 1) has no 'Name: value'")
    }
    return lines
  }

  /// Sends one body. Blocks until there is an answer, or for ``timeout``.
  func send(_ body: [UInt8], within limit: Double) -> PushOutcome {
    do {
      switch try curl.send(body, to: address.url, headers: headers, timeout: max(0.1, min(timeout, limit))) {
      case .success(let reply): return PushOutcome(reply, format: address.format)
      case .failure(let problem): return .retry(after: nil, why: problem.why)
      }
    } catch {
      return .retry(after: nil, why: (error as? Failure)?.message ?? "\(error)")
    }
  }
}
