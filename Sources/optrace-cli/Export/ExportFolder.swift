import OpTraceLive
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceTables

/// The folder that traces are exported into. The last part of a trace has the trace's own time of change: so a later call knows
/// that it is there, and whole, and of the trace as it is.
struct ExportFolder {
  let path: String
  let format: ExportFormat

  /// What became of one trace.
  enum Result: Equatable {
    /// So many bytes were written.
    case written(bytes: Int)
    /// It was there already, whole and up to date.
    case there
  }

  /// Whether all parts of a trace are there, as it is now. False for one that somebody still writes.
  func has(_ header: TraceHeader, changed: timespec?) -> Bool {
    guard let changed, !LiveProcess.writes(header) else { return false }
    var status = stat()
    // Each of them: somebody may have taken one away, and a later version has more tables.
    for part in format.parts(of: header.hash) {
      guard stat("\(path)/\(part.path)".asPath, &status) == 0, status.st_size > 0 else { return false }
    }
    return status.modified == changed
  }

  /// Writes all parts, each whole or not at all, the one that stands for all of them last.
  func write(_ source: TableSource, changed: timespec?, note: (String) -> Void) throws -> Result {
    let parts = format.parts(of: source.hash)
    guard let last = parts.last else { return .there }
    // Until everything is written anew, what is there is not whole.
    if parts.count > 1 { unlink("\(path)/\(last.path)".asPath) }
    var bytes = 0
    for part in parts {
      let target = "\(path)/\(part.path)"
      try makeFolder(of: target)
      if let left = try format.write(source, part.table, to: Output(path: target)) { note(left) }
      var status = stat()
      if stat(target.asPath, &status) == 0 { bytes += Int(status.st_size) }
    }
    // One that is damaged is read again at each call, which says so.
    if let changed, source.trace.loss.damage.isEmpty {
      // Of its last reading, which nobody asks for, and of its change.
      utimensat(AT_FDCWD, "\(path)/\(last.path)".asPath, [changed, changed], 0)
    }
    return .written(bytes: bytes)
  }

  /// With all above it. Throws ``Failure``.
  private func makeFolder(of target: String) throws {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    for end in parts.indices {
      let folder = parts[...end].joined(separator: "/")
      guard !folder.isEmpty, mkdir(folder.asPath, 0o777) != 0 else { continue }
      let number = errno
      // Somebody else may have made it meanwhile; the system's own folders say that they cannot be written.
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

  /// When a file was changed last; nil: it is no file, and may be another next time.
  static func changed(_ path: String) -> timespec? {
    var status = stat()
    guard stat(path.asPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.modified
  }
}

private func == (one: timespec, other: timespec) -> Bool {
  one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
}
