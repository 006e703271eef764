import OpTraceRunning
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceTables

/// The folder into which traces are exported. The last part of a trace gets the trace's own modification time, so a
/// later call can tell that the export is complete and up to date.
struct ExportFolder {
  let path: String
  let format: ExportFormat

  /// The result for one trace.
  enum Result: Equatable {
    /// So many bytes were written.
    case written(bytes: Int)
    /// It was there already, complete and up to date.
    case there
  }

  /// Whether all parts of a trace are there in its current state. False for a trace that is still being written.
  func has(_ header: TraceHeader, changed: timespec?) -> Bool {
    guard let changed, !LiveProcess.writes(header) else { return false }
    var status = stat()
    // Check each part: somebody may have removed one, and a later version has more tables.
    for part in format.parts(of: header.hash) {
      guard stat("\(path)/\(part.path)".asPath, &status) == 0, status.st_size > 0 else { return false }
    }
    return status.modified == changed
  }

  /// Writes all parts, each atomically. The one that marks the export as complete comes last.
  func write(_ source: TableSource, changed: timespec?, note: (String) -> Void) throws -> Result {
    let parts = format.parts(of: source.hash)
    guard let last = parts.last else { return .there }
    // Until everything is written again, the old export is not complete.
    if parts.count > 1 { unlink("\(path)/\(last.path)".asPath) }
    var bytes = 0
    for part in parts {
      let target = "\(path)/\(part.path)"
      try makeFolder(of: target)
      if let left = try format.write(source, part.table, to: Output(path: target)) { note(left) }
      var status = stat()
      if stat(target.asPath, &status) == 0 { bytes += Int(status.st_size) }
    }
    // A damaged trace is read again at each call, which reports the damage.
    if let changed, source.trace.loss.damage.isEmpty {
      // The time of access, which nobody needs, and of modification.
      utimensat(AT_FDCWD, "\(path)/\(last.path)".asPath, [changed, changed], 0)
    }
    return .written(bytes: bytes)
  }

  /// Makes the folder and all above it. Throws ``Failure``.
  private func makeFolder(of target: String) throws {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    for end in parts.indices {
      let folder = parts[...end].joined(separator: "/")
      guard !folder.isEmpty, mkdir(folder.asPath, 0o777) != 0 else { continue }
      let number = errno
      // Another process may have made it meanwhile; for the system's own folders the error is that they cannot be
      // written.
      if isFolder(folder) { continue }
      throw Failure.cannotWrite(path, number == EEXIST ? "'\(printable(folder))' is not a folder" : reason(number))
    }
  }
}

extension stat {
  fileprivate var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }

  /// The time of a file's last modification; nil: it is no regular file, and may differ next time.
  static func changed(_ path: String) -> timespec? {
    var status = stat()
    guard stat(path.asPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.modified
  }
}

private func == (one: timespec, other: timespec) -> Bool {
  one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
}
