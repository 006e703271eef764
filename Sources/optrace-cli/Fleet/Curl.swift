import Foundation
import OpTraceFormat
import OpTraceModel

/// Requests by the program `curl`: it speaks https, knows proxies and certificates, and is on nearly every machine.
struct Curl {
  /// What came of a request.
  enum Answer: Equatable {
    /// The server's status, and what it said.
    case answered(status: Int, body: String)
    /// `curl`'s own status, and what it said: there was no connection, or it broke.
    case failed(status: Int32, why: String)
  }

  private let program: String

  /// Throws ``Failure`` where there is none.
  init() throws {
    let found = RawPath.programFolders.lazy.map { "\($0)/curl" }.first { access($0.asPath, X_OK) == 0 }
    guard let found else {
      throw Failure(
        message: "there is no 'curl' here, which talks to the server: install it (apt-get install curl)",
        status: .cannotWrite)
    }
    program = found
  }

  /// Sends a POST and waits for the answer's end. What is secret stands in `headers`, which no list of processes shows.
  ///
  /// - Parameters:
  ///   - body: a text; nil: what `file` has.
  ///   - file: an open file, read from where it stands.
  ///   - patience: seconds in which nothing moves, until it is given up.
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
    let (status, output) = try run(["curl", "-q", "-K", "/dev/fd/3"], settings: settings, input: file)
    let parts = output.split(separator: "\n", omittingEmptySubsequences: false)
    if status == 0, let last = parts.last, let number = Int(last) {
      return .answered(status: number, body: parts.dropLast().joined(separator: "\n"))
    }
    let lines = parts.filter { $0.hasPrefix("curl: ") }.map { $0.dropFirst("curl: ".count) }
    return .failed(status: status, why: lines.last.map { String($0) } ?? "curl ended with \(status)")
  }

  /// As curl's files of settings have texts.
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

  /// Runs it among our own processes, so that Ctrl-C ends both.
  private func run(_ words: [String], settings: String, input: Int32?) throws -> (status: Int32, output: String) {
    let problem = Failure(message: "cannot run '\(program)': \(reason(errno))", status: .cannotWrite)
    guard let told = Pipe(), let answer = Pipe() else { throw problem }
    // Less than a pipe holds, so nobody has to read meanwhile.
    let bytes = Array(settings.utf8)
    guard bytes.count < 60_000, FileHandleWriter.writeAll(bytes, to: told.end.number) == nil else { throw problem }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, told.start.number, 3)
    posix_spawn_file_actions_adddup2(&actions, answer.end.number, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, answer.end.number, STDERR_FILENO)
    var list = words.map { strdup($0) } + [nil]
    defer { for word in list { free(word) } }
    var process = pid_t()
    let error = posix_spawn(&process, program.asPath, &actions, nil, &list, environ)
    guard error == 0 else {
      throw Failure(message: "cannot run '\(program)': \(reason(error))", status: .cannotWrite)
    }
    _ = told.end.close()
    _ = answer.end.close()
    let output = Self.all(of: answer.start.number)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, String(decoding: output, as: UTF8.self))
  }

  /// The beginning and the end of what comes out: a server may say more than anybody reads.
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

  /// Both ends above the numbers that the child's streams get, and closed in it.
  private struct Pipe: ~Copyable {
    let start: OwnedDescriptor
    let end: OwnedDescriptor

    init?() {
      var pair: [Int32] = [-1, -1]
      guard pipe(&pair) == 0 else { return nil }
      let high = pair.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
      for number in pair { close(number) }
      guard let start = OwnedDescriptor(high[0]) else {
        _ = OwnedDescriptor(high[1])
        return nil
      }
      guard let end = OwnedDescriptor(high[1]) else { return nil }
      self.start = start
      self.end = end
    }
  }
}
