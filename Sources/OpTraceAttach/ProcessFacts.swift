import COpTrace
import Foundation
import OpTraceSnapshot
import OpTraceSymbols

/// What the system says of a process, as far as it decides whether the recorder may be loaded into it.
struct ProcessFacts {
  let processID: UInt32
  private let status: [Substring: Substring]

  /// Nil: there is no such process.
  init?(_ processID: UInt32) {
    self.processID = processID
    guard let text = Self.text("/proc/\(processID)/status") else { return nil }
    status = Self.fields(text)
  }

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func fields(_ text: String) -> [Substring: Substring] {
    let pairs = text.split(separator: "\n").compactMap { line -> (Substring, Substring)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon], line[line.index(after: colon)...].drop { $0.isWhitespace })
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private func number(_ name: Substring) -> Int? { status[name].flatMap { Int($0) } }

  /// Throws if something of the process itself is in the way.
  /// - Parameter paths: what it must see at the same place as this program.
  func check(paths: [String]) throws(AttachTrouble) {
    if let letter = status["State"]?.first, "Tt".contains(letter), number("TracerPid") ?? 0 == 0 { throw .stopped }
    if let tracer = number("TracerPid"), tracer > 0 { throw .traced(by: UInt32(tracer)) }
    guard Self.areSame("/proc/self/ns/pid", "/proc/\(processID)/ns/pid") else { throw .otherProcessIDs }
    for path in paths where !seesSameFile(path) { throw .otherFiles(path) }
    guard filters <= (Self.own?.filters ?? 0) else { throw .filtered }
  }

  private static let own = ProcessFacts(UInt32(getpid()))

  /// How many filters of system calls it has; older systems say only whether it has any.
  private var filters: Int { number("Seccomp_filters") ?? ((number("Seccomp") ?? 0) > 0 ? 1 : 0) }

  /// Whether the process finds the same file at this path.
  func seesSameFile(_ path: String) -> Bool { Self.areSame(path, "/proc/\(processID)/root\(path)") }

  private static func areSame(_ one: String, _ two: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(two, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }

  /// Whether a descriptor of the process is a pipe, an event counter or a terminal: who reads from them is not told of an interruption.
  static func isPlain(_ descriptor: UInt64, of processID: UInt32) -> Bool {
    guard descriptor <= UInt64(Int32.max),
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/fd/\(descriptor)")
    else { return false }
    return ["pipe:", "anon_inode:[eventfd]", "/dev/pts/", "/dev/tty"].contains { target.hasPrefix($0) }
  }
}
