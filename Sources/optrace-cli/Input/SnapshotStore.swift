import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceSnapshot
import OpTraceSymbols
import OpTraceText

/// What one call of the command has made of processes and core files: a trace of each, in a file without a name, so that nothing is left.
///
/// Sendable: the lock guards what changes.
final class SnapshotStore: @unchecked Sendable {
  private let lock = NSLock()
  private var files: [String: NamelessFile] = [:]

  /// The path of the trace of this name, which is made if there is none yet.
  func path(for name: String, _ take: () throws -> Snapshot) throws -> String {
    try lock.withLock {
      if let known = files[name] { return known.path }
      let file = try Self.file(of: try take())
      files[name] = file
      return file.path
    }
  }

  /// With the names of its code: its files are known now, and may be gone when the trace is read.
  private static func file(of snapshot: Snapshot) throws -> NamelessFile {
    let file = try NamelessFile()
    let events = snapshot.events
    try file.write(TraceWriter.bytes(events))
    let stacks = TraceBuilder.build(events).stacks
    let symbols = withProgress("looking up the names of code") {
      TraceSymbols(of: stacks, files: movedFiles(of: snapshot))
    }
    // Without names it is a trace as well.
    _ = try? symbols.add(toFile: file.path)
    return file
  }

  /// Where the files of modules were found, if not where the process has them: in a container, below a folder, or removed.
  private static func movedFiles(of snapshot: Snapshot) -> [String: String] {
    var files: [String: String] = [:]
    for module in snapshot.modules {
      guard let file = module.file else { continue }
      var (found, named) = (stat(), stat())
      let isSame =
        stat(file.path, &found) == 0 && stat(module.path, &named) == 0 && found.st_dev == named.st_dev
        && found.st_ino == named.st_ino
      if !isSame { files[module.path] = file.path }
    }
    return files
  }
}

/// A file that is gone when it is closed.
private final class NamelessFile {
  private let descriptor: OwnedDescriptor
  /// Under which this process can open it.
  var path: String { "/proc/self/fd/\(descriptor.number)" }

  init() throws {
    var number: Int32 = 0
    // The first may be read-only in a container.
    for folder in [NSTemporaryDirectory(), "/dev/shm/"] {
      var name = Array((folder + "optrace-snapshot-XXXXXX").utf8CString)
      guard let made = OwnedDescriptor(mkstemp(&name)) else {
        number = errno
        continue
      }
      unlink(name)
      _ = fcntl(made.number, F_SETFD, FD_CLOEXEC)
      descriptor = made
      return
    }
    throw Failure.cannotWrite(NSTemporaryDirectory(), reason(number))
  }

  func write(_ bytes: [UInt8]) throws {
    if let number = FileHandleWriter.writeAll(bytes, to: descriptor.number) {
      throw Failure.cannotWrite(NSTemporaryDirectory(), reason(number))
    }
  }
}
