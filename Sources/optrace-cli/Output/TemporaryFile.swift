import Foundation
import OpTraceFormat
import OpTraceModel

/// A file beside its target. It is removed unless it is published, also by signals that end the command.
final class TemporaryFile {
  private let path: String
  /// Nil after it was published or discarded.
  private var file: OwnedDescriptor?

  /// `name` is the file's name in messages; the umask applies to `mode`.
  init(beside target: String, named name: String, mode: mode_t = 0o666) throws {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    // Shorten a long name, so that it stays within the system's limit with our suffix.
    let base = String(decoding: (parts.last ?? "").utf8.prefix(200), as: UTF8.self)
    var number = errno
    for _ in 0..<64 {
      let mark = String(UInt64.random(in: .min ... .max), radix: 36)
      let candidate = (parts.count > 1 ? folder + "/" : "") + ".\(base).\(mark).part"
      // Before the file exists, so that a signal in between leaves nothing behind.
      Removal.arm(candidate)
      let made = OwnedDescriptor(open(candidate.asPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode))
      if made != nil {
        file = made
        path = candidate
        return
      }
      number = errno
      Removal.disarm()
      guard number == EEXIST else { break }
    }
    let hasFolder = parts.count < 2 || folder.isEmpty || access(folder.asPath, F_OK) == 0
    let why = number == ENOENT && !hasFolder ? "there is no folder '\(printable(folder))'" : reason(number)
    throw Failure.cannotWrite(name, why)
  }

  /// Runs `body` with the descriptor to write to.
  func withDescriptor<Value>(_ body: (Int32) throws -> Value) rethrows -> Value {
    // After it was closed, use an invalid descriptor.
    switch file {
    case .some(let file): try body(file.number)
    case .none: try body(-1)
    }
  }

  /// Runs `body` with the file's path, for writers that open files themselves.
  func withPath<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
    try path.asPath.withUnsafeBufferPointer { bytes in
      // Never empty, because it ends with a zero.
      guard let start = bytes.baseAddress else { return try "".withCString(body) }
      return try body(start)
    }
  }

  /// Renames the file to its target; nil, or the error number. Closing it reports writes that failed late.
  func publish(as target: String) -> Int32? {
    guard let file = file.take() else { return nil }
    if let number = file.close() {
      unlink(path.asPath)
      Removal.disarm()
      return number
    }
    if rename(path.asPath, target.asPath) != 0 {
      let number = errno
      unlink(path.asPath)
      Removal.disarm()
      return number
    }
    Removal.disarm()
    return nil
  }

  /// Does nothing after ``publish(as:)``.
  func discard() {
    guard let file = file.take() else { return }
    _ = file.close()
    unlink(path.asPath)
    Removal.disarm()
  }
}

/// What a signal handler needs to remove the temporary file: its path as C bytes. The command writes one file at a
/// time.
private enum Removal {
  nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) static var armed: [Int32] = []

  static func arm(_ candidate: String) {
    // Signals that are for a process with several calls end none of them.
    guard Call.current.isProcess else { return }
    path = strdup(candidate.asPath)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      // A signal that has a handler does not end the command.
      guard isDefault(number) else { continue }
      armed.append(number)
      signal(number) { number in
        // Only async-signal-safe calls.
        if RepeatedSignal.take(number) { return }
        if let path = Removal.path { unlink(path) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static func disarm() {
    guard Call.current.isProcess else { return }
    for number in armed { RepeatedSignal.restore(number) }
    armed = []
    let old = path
    path = nil
    free(old)
  }
}
