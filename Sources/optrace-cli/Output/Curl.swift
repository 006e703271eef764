import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceProcesses

/// Makes requests with the program `curl`: it speaks https, knows proxies and certificates, and is on nearly every
/// machine. A client in Swift would be a library that takes minutes to build (async-http-client), or one that loads all
/// of Foundation's networking into each call of the command; a process for a request a minute costs less.
struct Curl: Sendable {
  enum Answer: Equatable {
    /// The server's status and text.
    case answered(status: Int, body: String)
    /// `curl`'s own status and message: there was no connection, or it broke.
    case failed(status: Int32, why: String)
  }

  /// What a server has answered.
  struct Reply: Equatable {
    var status: Int
    /// With names in small letters.
    var headers: [String: String]
    var body: [UInt8]
  }

  /// There was no connection, or it broke, or it took too long.
  struct NoReply: Error, Equatable {
    /// `curl`'s own message.
    var why: String
  }

  private let program: String

  /// Throws ``Failure`` where there is none.
  init() throws {
    let found = RawPath.programFolders.lazy.map { "\($0)/curl" }.first { access($0.asPath, X_OK) == 0 }
    guard let found else {
      throw Failure(
        message: "'curl' is not installed; it is needed to talk to the server: apt-get install curl",
        status: .cannotWrite)
    }
    program = found
  }

  /// Sends a POST and waits until the answer is complete. Secrets belong in `headers`, which no list of processes shows.
  ///
  /// - Parameters:
  ///   - body: a text; nil: the content of `file`.
  ///   - file: an open file, read from its current position.
  ///   - patience: seconds without progress until the request is given up.
  func post(_ url: String, headers: [String], body: String?, file: Int32?, patience: Int) throws -> Answer {
    var settings = """
      silent
      show-error
      globoff
      request = "POST"
      url = \(quoted(url))
      header = "Expect:"
      connect-timeout = \(min(10, patience))
      speed-limit = 1
      speed-time = \(patience)
      write-out = "\\n%{http_code}"

      """
    for header in headers { settings += "header = \(quoted(header))\n" }
    if let body { settings += "data-raw = \(quoted(body))\n" } else { settings += "upload-file = \"-\"\n" }
    let (status, bytes) = try run(["curl", "-q", "-K", "/dev/fd/3"], settings: settings, input: file)
    let output = String(decoding: bytes, as: UTF8.self)
    let parts = output.split(separator: "\n", omittingEmptySubsequences: false)
    if status == 0, let last = parts.last, let number = Int(last) {
      return .answered(status: number, body: parts.dropLast().joined(separator: "\n"))
    }
    return .failed(status: status, why: Self.complaint(output) ?? "curl ended with \(status)")
  }

  /// Sends a POST with a body of bytes, and waits until the answer is complete. Secrets belong in `headers`, which no list
  /// of processes shows. Ctrl-C at the terminal does not end it.
  ///
  /// - Parameter timeout: seconds until the request is given up, whatever it does.
  func send(_ body: [UInt8], to url: String, headers: [String], timeout: Double) throws -> Result<Reply, NoReply> {
    var settings = """
      silent
      show-error
      globoff
      include
      suppress-connect-headers
      url = \(quoted(url))
      header = "Expect:"
      connect-timeout = \(timeout)
      max-time = \(timeout)
      write-out = "\\n%{http_code}"
      data-binary = "@-"

      """
    for header in headers { settings += "header = \(quoted(header))\n" }
    guard var pipe = SystemPipe() else {
      throw Failure(message: "cannot run '\(program)': \(reason(errno))", status: .cannotWrite)
    }
    let end = fcntl(pipe.end, F_DUPFD_CLOEXEC, 0)
    pipe.closeEnd()
    // On a thread of its own: curl may answer before it has read everything.
    Thread {
      _ = FileHandleWriter.writeAll(body, to: end)
      close(end)
    }.start()
    let (status, output) = try run(
      ["curl", "-q", "-K", "/dev/fd/3"], settings: settings, input: pipe.start, blocked: [SIGINT, SIGTERM, SIGHUP])
    if status == 0, let reply = Self.reply(output) { return .success(reply) }
    let text = String(decoding: output, as: UTF8.self)
    return .failure(NoReply(why: Self.complaint(text) ?? "curl ended with \(status)"))
  }

  /// Parses the output: the head of the answer, an empty line, the body, and the status on a line of its own. There may
  /// be several heads, of which the last is the answer's.
  static func reply(_ output: [UInt8]) -> Reply? {
    guard let lastLine = output.lastIndex(of: UInt8(ascii: "\n")),
      let status = Int(String(decoding: output[(lastLine + 1)...], as: UTF8.self)), status > 0
    else { return nil }
    var rest = output[..<lastLine]
    var headers: [String: String] = [:]
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
      guard let first = lines.first, first.hasPrefix("HTTP/") else { break }
      rest = rest[end.upperBound...]
      headers = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      // "100 Continue" and the like come before the answer.
      guard let number = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) }), number < 200 else { break }
    }
    return Reply(status: status, headers: headers, body: Array(rest))
  }

  /// The last of curl's own messages in its output.
  private static func complaint(_ output: String) -> String? {
    output.split(separator: "\n").last { $0.hasPrefix("curl: ") }.map { String($0.dropFirst("curl: ".count)) }
  }

  /// Quoted as in curl's configuration files.
  private func quoted(_ text: String) -> String {
    var result = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "\""
  }

  /// Runs it among our own processes, so that Ctrl-C ends both, unless it blocks that signal.
  private func run(
    _ words: [String], settings: String, input: Int32?, blocked: [Int32] = []
  ) throws -> (status: Int32, output: [UInt8]) {
    func failure(_ number: Int32) -> Failure {
      Failure(message: "cannot run '\(program)': \(reason(number))", status: .cannotWrite)
    }
    guard var configuration = SystemPipe() else { throw failure(errno) }
    guard var answer = SystemPipe() else { throw failure(errno) }
    // Less than a pipe holds, so nobody has to read meanwhile.
    let bytes = Array(settings.utf8)
    guard bytes.count < 60_000 else { throw failure(E2BIG) }
    if let number = FileHandleWriter.writeAll(bytes, to: configuration.end) { throw failure(number) }
    var curl = Program(path: program.asPath, words: words.map(\.asPath))
    curl.input = input.map { .descriptor($0) } ?? .nothing
    (curl.output, curl.errors) = (.descriptor(answer.end), .descriptor(answer.end))
    curl.descriptors = [(3, configuration.start)]
    for number in blocked { sigaddset(&curl.blocked, number) }
    let running: RunningProgram
    do { running = try curl.start() } catch { throw failure(error.number) }
    configuration.closeEnd()
    answer.closeEnd()
    let output = Self.all(of: answer.start)
    return (running.wait().shellStatus, output)
  }

  /// The beginning and the end of the output: a server may send more than anybody reads.
  private static func all(of descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return result }
      if result.count > 1 << 20 { result.removeSubrange((1 << 16)..<(result.count - (1 << 16))) }
      result += piece[..<count]
    }
  }
}
