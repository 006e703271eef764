import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// Where a result goes: standard output, or a file that is written atomically.
struct Output: Sendable {
  typealias Sink = (UnsafeRawBufferPointer) throws -> Void

  static let standard = Output(path: nil)

  /// Nil: standard output.
  let path: String?
  /// Whether a new file is readable only to its user, like the recorder's files: for traces.
  var isPrivate = false

  /// Nil and `-` mean standard output.
  init(path: String?) { self.path = path == "-" ? nil : path }

  /// Also true if a terminal is named as a file (`/dev/tty`, `/dev/stdout`).
  var isTerminal: Bool {
    guard let path else { return Console.isTerminal(Call.current.output) }
    var status = stat()
    guard stat(path.asPath, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let descriptor = open(path.asPath, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard let file = OwnedDescriptor(descriptor) else { return false }
    return Console.isTerminal(file.number)
  }

  /// Whether it is a device or a pipe.
  var isSpecial: Bool {
    var status = stat()
    return path.map { stat($0.asPath, &status) == 0 && status.st_mode & S_IFMT != S_IFREG } ?? true
  }

  /// A text for people. What the service that runs a job would take for a command is made harmless.
  func write(_ text: String) throws { try write(Array(TerminalText.harmless(text).utf8)) }

  func write(_ bytes: [UInt8]) throws {
    try write { sink in try bytes.withUnsafeBytes { try sink($0) } }
  }

  /// Runs `body` with a sink for its bytes. A file gets its name by a rename after `body` has returned. If anything
  /// fails before that, or the process is told to end, the old file stays as it was. A closed pipe ends `body` silently
  /// at its next write. Throws ``Failure``, or what `body` throws.
  func write(_ body: (Sink) throws -> Void) throws {
    guard let path else {
      do { try writeOpen(Call.current.output, "-", body) } catch is ClosedPipe {}
      return
    }
    var status = stat()
    if stat(path.asPath, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      try writeSpecial(path, status, body)
    } else {
      try writeAtomically(path, mode: status.st_mode, body)
    }
  }

  /// The same for code that opens its file itself, by name: a database. `body` finds an empty file.
  func writeNamed(_ body: (UnsafePointer<CChar>) throws -> Void) throws {
    guard let path else { throw Failure.usage("a database is a file: give it a name") }
    var status = stat()
    let isThere = stat(path.asPath, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR { throw Failure.cannotWrite(path, reason(EISDIR)) }
    if isThere, status.st_mode & S_IFMT != S_IFREG { throw Failure.usage("a database is a file: give it a name") }
    let target = resolved(path)
    if isThere, access(target.asPath, W_OK) != 0 { throw Failure.cannotWrite(path, reason(errno)) }
    let temporary = try TemporaryFile(beside: target, named: path)
    defer { temporary.discard() }
    if isThere { temporary.withDescriptor { _ = fchmod($0, status.st_mode & 0o7777) } }
    try temporary.withPath(body)
    if let number = temporary.publish(as: target) { throw Failure.cannotWrite(path, reason(number)) }
  }

  private struct ClosedPipe: Error {}

  private func writeOpen(_ descriptor: Int32, _ name: String, _ body: (Sink) throws -> Void) throws {
    try body { bytes in
      guard let number = FileHandleWriter.writeAll(bytes, to: descriptor) else { return }
      if number == EPIPE { throw ClosedPipe() }
      throw Failure.cannotWrite(name, reason(number))
    }
  }

  /// Writes devices and pipes in place: renaming over them would replace them.
  private func writeSpecial(_ path: String, _ status: stat, _ body: (Sink) throws -> Void) throws {
    if status.st_mode & S_IFMT == S_IFDIR { throw Failure.cannotWrite(path, reason(EISDIR)) }
    guard let file = OwnedDescriptor(open(path.asPath, O_WRONLY | O_CLOEXEC)) else {
      throw Failure.cannotWrite(path, reason(errno))
    }
    do { try writeOpen(file.number, path, body) } catch is ClosedPipe {}
  }

  private func writeAtomically(_ path: String, mode: mode_t, _ body: (Sink) throws -> Void) throws {
    // Replace the target of a symbolic link, not the link.
    let target = resolved(path)
    // A rename would ignore that a file was made read-only.
    if mode != 0, access(target.asPath, W_OK) != 0 { throw Failure.cannotWrite(path, reason(errno)) }
    let temporary = try TemporaryFile(beside: target, named: path, mode: isPrivate ? 0o600 : 0o666)
    defer { temporary.discard() }
    // Permissions of a new file: all that the umask allows; else those of the file that is replaced.
    try temporary.withDescriptor { descriptor in
      if mode != 0 { _ = fchmod(descriptor, mode & 0o7777) }
      try writeOpen(descriptor, path, body)
    }
    if let number = temporary.publish(as: target) { throw Failure.cannotWrite(path, reason(number)) }
  }

  private func resolved(_ path: String) -> String {
    guard let real = realpath(path.asPath, nil) else { return path }
    defer { free(real) }
    return RawPath.text(real)
  }
}
