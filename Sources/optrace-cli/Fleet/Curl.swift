import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceProcesses

/// Makes requests with the program `curl`: it speaks https, knows proxies and certificates, and is on nearly every machine.
struct Curl {
  enum Answer: Equatable {
    /// The server's status and text.
    case answered(status: Int, body: String)
    /// `curl`'s own status and message: there was no connection, or it broke.
    case failed(status: Int32, why: String)
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
    let (status, output) = try run(["curl", "-q", "-K", "/dev/fd/3"], settings: settings, input: file)
    let parts = output.split(separator: "\n", omittingEmptySubsequences: false)
    if status == 0, let last = parts.last, let number = Int(last) {
      return .answered(status: number, body: parts.dropLast().joined(separator: "\n"))
    }
    let lines = parts.filter { $0.hasPrefix("curl: ") }.map { $0.dropFirst("curl: ".count) }
    return .failed(status: status, why: lines.last.map { String($0) } ?? "curl ended with \(status)")
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

  /// Runs it among our own processes, so that Ctrl-C ends both.
  private func run(_ words: [String], settings: String, input: Int32?) throws -> (status: Int32, output: String) {
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
    let running: RunningProgram
    do { running = try curl.start() } catch { throw failure(error.number) }
    configuration.closeEnd()
    answer.closeEnd()
    let output = Self.all(of: answer.start)
    return (running.wait().shellStatus, String(decoding: output, as: UTF8.self))
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
