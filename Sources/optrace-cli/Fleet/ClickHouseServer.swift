import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http), with as much patience as is of use.
struct ClickHouseServer {
  /// Without what is secret.
  let name: String
  private let base: String
  private let headers: [String]
  private let database: String
  private let retries: Int
  private let patience: Int
  private let curl: Curl

  /// What the server says no to.
  struct Refusal: Error, Equatable {
    /// ClickHouse's own number; nil: the answer had none.
    var code: Int?
    var message: String

    static let unknownTable = 60
    static let unknownDatabase = 81
  }

  /// The user and the password stand in the URL, else in `CLICKHOUSE_USER` and `CLICKHOUSE_PASSWORD`. Throws ``Failure``.
  ///
  /// - Parameters:
  ///   - passwordFile: a file with the password, and nothing else, in its first line; nil: there is none.
  ///   - patience: seconds in which a request may stand still.
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
      throw Failure.usage("the password stands in --url and in --password-file: leave one away")
    }
    let password = try passwordFile.map(Self.password) ?? parts.password ?? environment["CLICKHOUSE_PASSWORD"]
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    if parts.path.isEmpty { parts.path = "/" }
    // One that is named here is ours to choose.
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
    // A pipe of a shell, too; more than that is no password.
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

  /// Nobody's password is shown, not even in what cannot be read.
  private static func shown(_ url: String) -> String {
    guard let at = url.lastIndex(of: "@") else { return url }
    let start = url.range(of: "://")?.upperBound ?? url.startIndex
    return start < at ? url[..<start] + "…" + url[at...] : url
  }

  private static func line(_ text: String) -> String { text.filter { !$0.isNewline } }

  /// Runs a statement; what it says. Throws ``Refusal``, or ``Failure`` where nobody answers.
  @discardableResult
  func run(_ statement: String, in database: String? = nil) throws -> String {
    try asked {
      try curl.post(url(nil, in: database), headers: headers, body: statement, file: nil, patience: patience)
    }
  }

  /// Runs a statement that reads `file`, from its beginning at each try.
  func run(_ statement: String, sending file: Int32) throws {
    try asked {
      lseek(file, 0, SEEK_SET)
      return try curl.post(url(statement, in: nil), headers: headers, body: nil, file: file, patience: patience)
    }
  }

  /// The answer is held back until it is known to be good.
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
          message: "\(printable(name)) does not take it after \(tries): \(printable(why))", status: .cannotWrite)
      }
      // A quarter of a second, then twice as long each time.
      usleep(UInt32(min(250_000 << min(attempt, 7), 30_000_000)))
      attempt += 1
    }
  }

  // MARK: What the server says

  /// `Code: 60. DB::Exception: …`
  static func code(in body: String) -> Int? {
    body.firstMatch(of: #/Code: ([0-9]+)\. DB::Exception/#).flatMap { Int($0.1) }
  }

  private static func message(in body: String, _ status: Int) -> String {
    let line = body.split(separator: "\n").first { $0.contains("DB::Exception") } ?? body.split(separator: "\n").first
    guard let line, !line.isEmpty else { return "status \(status)" }
    return line.count > 400 ? line.prefix(400) + "…" : String(line)
  }

  /// Not what would be refused again: a wrong name, a wrong word, a wrong password.
  private static func isWorthRepeating(_ status: Int, _ code: Int?) -> Bool {
    if let code { return busy.contains(code) }
    return status >= 500 || status == 408 || status == 429
  }

  /// ClickHouse's numbers for: too many queries, memory, parts, timeouts, a keeper that is away, a disk that is full, broken
  /// connections.
  private static let busy: Set = [159, 202, 209, 210, 225, 236, 241, 242, 243, 252, 319, 394, 999]
}
