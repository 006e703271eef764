import Foundation
import OpTraceDoctor
import OpTraceFormat
import OpTraceText

/// What may hang another time and is known: `--known` and `--write-known`. A line each, by functions and files, so that it stays the same
/// in other builds.
struct KnownFindings {
  private let known: Set<String>
  private let output: String?
  private var seen: Set<String> = []

  private static let head = """
    # What may hang another time, and is known: 'optrace record --fail-on order --known FILE' does not fail for it.
    # Written by --write-known. A line each; lines that begin with # do not count.

    """

  /// Throws ``Failure`` if there is no such file.
  init(from path: String?, to output: String?) throws {
    self.output = output
    guard let path else {
      known = []
      return
    }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw Failure(
        message: "cannot read '\(printable(path))': --known needs a file that --write-known has written",
        status: .noInput)
    }
    known = Set(
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map { $0.trimmingCharacters(in: .whitespaces) })
  }

  /// Takes what is known out of findings, and says how many. With `--write-known` all of them are known from now on.
  mutating func take(from findings: inout [Finding]) -> Int {
    let count = findings.count
    findings.removeAll { finding in
      guard finding.isLatent, let line = finding.key.map(Self.line) else { return false }
      seen.insert(line)
      return output != nil || known.contains(line)
    }
    return count - findings.count
  }

  /// Names come from the program: none may end its line.
  private static func line(_ key: String) -> String { printable(key).trimmingCharacters(in: .whitespaces) }

  func write() throws {
    guard let output else { return }
    try Output(path: output).write(RawPath.bytes(of: Self.head + seen.sorted().map { $0 + "\n" }.joined()))
  }
}
