import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http). Requests that may succeed later are repeated.
struct ClickHouseServer {
  /// The address without secrets.
  let name: String
  private let base: String
  private let headers: [String]
  private let database: String
  private let retries: Int
  private let patience: Int
  private let curl: Curl

  /// The server refused a statement.
  struct Refusal: Error, Equatable {
    /// ClickHouse's error code; nil: the answer had none.
    var code: Int?
    var message: String

    static let unknownTable = 60
    static let unknownDatabase = 81
  }

  /// The user and the password come from the URL, or from `CLICKHOUSE_USER` and `CLICKHOUSE_PASSWORD`. Throws ``Failure``.
  ///
  /// - Parameters:
  ///   - passwordFile: a file whose first line is the password; nil: there is none.
  ///   - patience: seconds that a request may make no progress.
  init(
    url: String, database: String, passwordFile: String?, retries: Int, patience: Int, environment: [String: String]
  ) throws {
    guard var parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
    else {
      throw Failure.usage(
        "--url takes 'http://HOST:8123' or 'https://HOST:8443', not '\(printable(Self.shown(url)))'")
    }
    let user = parts.user ?? environment["CLICKHOUSE_USER"]
    if passwordFile != nil, parts.password != nil {
      throw Failure.usage("both --url and --password-file have a password: omit one")
    }
    let password = try passwordFile.map(Self.password) ?? parts.password ?? environment["CLICKHOUSE_PASSWORD"]
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    if parts.path.isEmpty { parts.path = "/" }
    // These are set by each request.
    parts.queryItems = parts.queryItems?.filter { !["query", "database"].contains($0.name) }
    base = parts.string ?? url
    parts.query = nil
    name = parts.string ?? ""
    headers =
      (user.map { ["X-ClickHouse-User: \(Self.line($0))"] } ?? [])
      + (password.map { ["X-ClickHouse-Key: \(Self.line($0))"] } ?? [])
    (self.database, self.retries, self.patience) = (database, retries, patience)
    curl = try Curl()
  }

  private static func password(in file: String) throws -> String {
    func problem(_ what: String) -> Failure {
      Failure(message: "cannot read the password in '\(printable(file))': \(what)", status: .noInput)
    }
    if isFolder(file) { throw problem("it is a folder") }
    guard let descriptor = OwnedDescriptor(open(file.asPath, O_RDONLY | O_CLOEXEC)) else {
      throw problem(reason(errno))
    }
    // It may be a shell's pipe. A longer first line is not a password.
    var bytes = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        read(descriptor.number, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw problem(reason(errno)) }
      if more == 0 { break }
      count += more
    }
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty else { throw problem("its first line is empty") }
    return String(decoding: line, as: UTF8.self)
  }

  /// Without the password, even if the URL is malformed.
  private static func shown(_ url: String) -> String {
    guard let at = url.lastIndex(of: "@") else { return url }
    let start = url.range(of: "://")?.upperBound ?? url.startIndex
    return start < at ? url[..<start] + "…" + url[at...] : url
  }

  private static func line(_ text: String) -> String { text.filter { !$0.isNewline } }

  /// Runs a statement and returns the answer. Throws ``Refusal``, or ``Failure`` if there is no answer.
  @discardableResult
  func run(_ statement: String, in database: String? = nil) throws -> String {
    try asked {
      try curl.post(url(nil, in: database), headers: headers, body: statement, file: nil, patience: patience)
    }
  }

  /// Runs a statement that reads `file`. Each try reads it from its beginning.
  func run(_ statement: String, sending file: Int32) throws {
    try asked {
      lseek(file, 0, SEEK_SET)
      return try curl.post(url(statement, in: nil), headers: headers, body: nil, file: file, patience: patience)
    }
  }

  /// With `wait_end_of_query`, the status of the answer says whether all of it succeeded.
  private func url(_ query: String?, in database: String?) -> String {
    var items = [("database", database ?? self.database), ("wait_end_of_query", "1")]
    if let query { items.append(("query", query)) }
    let text = items.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "")" }
    return base + (base.contains("?") ? "&" : "?") + text.joined(separator: "&")
  }

  private static let plain = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  @discardableResult
  private func asked(_ request: () throws -> Curl.Answer) throws -> String {
    var attempt = 0
    while true {
      let why: String
      switch try request() {
      case .answered(200, let body) where Self.code(in: body) == nil: return body
      case .answered(let status, let body):
        let refusal = Refusal(code: Self.code(in: body), message: Self.message(in: body, status))
        guard Self.isWorthRepeating(status, refusal.code) else { throw refusal }
        why = refusal.message
      case .failed(_, let message): why = message
      }
      guard attempt < retries else {
        let tries = counted(attempt + 1, "try", plural: "tries")
        throw Failure(
          message: "\(printable(name)) did not accept the request after \(tries): \(printable(why))",
          status: .cannotWrite)
      }
      // A quarter of a second, then twice as long each time.
      usleep(UInt32(min(250_000 << min(attempt, 7), 30_000_000)))
      attempt += 1
    }
  }

  // MARK: Answers

  /// `Code: 60. DB::Exception: …`
  static func code(in body: String) -> Int? {
    body.firstMatch(of: #/Code: ([0-9]+)\. DB::Exception/#).flatMap { Int($0.1) }
  }

  private static func message(in body: String, _ status: Int) -> String {
    let line = body.split(separator: "\n").first { $0.contains("DB::Exception") } ?? body.split(separator: "\n").first
    guard let line, !line.isEmpty else { return "status \(status)" }
    return line.count > 400 ? line.prefix(400) + "…" : String(line)
  }

  /// False for errors that would come again: a wrong name, a syntax error, a wrong password.
  private static func isWorthRepeating(_ status: Int, _ code: Int?) -> Bool {
    if let code { return busy.contains(code) }
    return status >= 500 || status == 408 || status == 429
  }

  /// ClickHouse's codes for: too many queries, memory, parts, timeouts, an unreachable Keeper, a full disk, broken connections.
  private static let busy: Set = [159, 202, 209, 210, 225, 236, 241, 242, 243, 252, 319, 394, 999]
}
