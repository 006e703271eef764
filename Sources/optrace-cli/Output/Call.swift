import Foundation
import OpTraceFormat

/// A call of the command: the words, and the three streams that it reads and writes.
///
/// A process is one call. Tests make many in their own process, each with streams of its own.
struct Call: Sendable {
  /// The command's own name, then its arguments. Names of files may not be UTF-8; they are in the form of ``RawPath``.
  let words: [String]
  let input: Int32
  let output: Int32
  let errors: Int32
  private let values = CallValues()
  /// Whether the process is this call and nothing else: a signal then ends it, too.
  let isProcess: Bool
  /// Colour only on a terminal that supports it, and never against `NO_COLOR` (no-color.org: set and not empty).
  let hasColour: Bool

  /// What this thread runs.
  @TaskLocal static var current = Call()

  private init() {
    words = (0..<Int(CommandLine.argc)).compactMap { index in CommandLine.unsafeArgv[index].map { RawPath.text($0) } }
    (input, output, errors) = (STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO)
    isProcess = true
    let wish = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
    hasColour = wish.isEmpty && Console.isTerminal(output) && Console.movesCursor
  }

  /// A call inside of a process. The descriptors are files, and stay the caller's.
  init(words: [String], input: Int32, output: Int32, errors: Int32) {
    self.words = words.map { $0.withCString { RawPath.text($0) } }
    (self.input, self.output, self.errors) = (input, output, errors)
    isProcess = false
    hasColour = false
  }

  /// What one call makes once, such as the traces of processes that nobody recorded: one value of each type.
  func kept<Value: Sendable>(_ make: () -> Value) -> Value { values.value(make) }

  /// A name under which the input can be opened.
  var inputPath: String { isProcess ? "/dev/stdin" : "/dev/fd/\(input)" }
}

/// One value of each type.
///
/// Sendable: the lock guards what changes.
private final class CallValues: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [ObjectIdentifier: any Sendable] = [:]

  func value<Value: Sendable>(_ make: () -> Value) -> Value {
    lock.withLock {
      if let known = values[ObjectIdentifier(Value.self)] as? Value { return known }
      let made = make()
      values[ObjectIdentifier(Value.self)] = made
      return made
    }
  }
}
