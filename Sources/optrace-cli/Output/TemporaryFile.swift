import Foundation
import OpTraceFormat
import OpTraceModel

/// A file beside the one that it will become. Removed unless published, by signals that end the command too.
final class TemporaryFile {
  private let path: String
  /// Until it is published or discarded.
  private var file: OwnedDescriptor?

  /// `name` is what messages call the file; of `mode`, the process's mask takes away.
  init(beside target: String, named name: String, mode: mode_t = 0o666) throws {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    // A long name stays within the system's limit with our mark added.
    let base = String(decoding: (parts.last ?? "").utf8.prefix(200), as: UTF8.self)
    var number = errno
    for _ in 0..<64 {
      let mark = String(UInt64.random(in: .min ... .max), radix: 36)
      let candidate = (parts.count > 1 ? folder + "/" : "") + ".\(base).\(mark).part"
      // Before it is there: a signal that comes in between leaves nothing behind.
      Removal.arm(candidate)
      let made = OwnedDescriptor(open(candidate.asPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode))
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
    // Not there any more, it is no descriptor that the system has.
    switch file {
    case .some(let file): try body(file.number)
    case .none: try body(-1)
    }
  }

  /// Runs `body` with the file's path, for writers that open files themselves.
  func withPath<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
    try path.asPath.withUnsafeBufferPointer { bytes in
      // Never empty: it ends with a zero.
      guard let start = bytes.baseAddress else { return try "".withCString(body) }
      return try body(start)
    }
  }

  /// Nil when the file now stands under the name, else the error number. Closing tells of writes that failed late.
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

/// What a signal handler needs to remove the temporary file: the path as C bytes. The command writes one file at a time.
private enum Removal {
  nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?
  private nonisolated(unsafe) static var armed: [Int32] = []

  static func arm(_ candidate: String) {
    path = strdup(candidate.asPath)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      // Where somebody listens for it, it does not end the command.
      guard isDefault(number) else { continue }
      armed.append(number)
      signal(number) { number in
        // Only calls that are safe in a handler.
        if RepeatedSignal.take(number) { return }
        if let path = Removal.path { unlink(path) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static func disarm() {
    for number in armed { RepeatedSignal.restore(number) }
    armed = []
    let old = path
    path = nil
    free(old)
  }
}
