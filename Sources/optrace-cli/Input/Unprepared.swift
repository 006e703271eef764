import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceSnapshot
import OpTraceText

/// How to make a trace of a process that nobody recorded, or of a core file: the process does not notice.
struct Unprepared {
  var programs: [String] = []
  /// The folder that stands for `/`; nil: `/`.
  var root: String?
  var takesCores = true

  /// The path of a trace of this process as it is now. One call of the command looks at it once.
  func trace(ofProcess id: UInt32) throws -> String {
    if let option = coreOption { throw Failure.usage("\(option) is for core files, and \(id) is a process") }
    return try Call.current.kept(SnapshotStore.init).path(for: "\(id)") {
      try SnapshotFailure.told(of: "\(id)") {
        try withProgress("looking at process \(id)") { try Snapshot.taken(of: LiveMemory(id)) }
      }
    }
  }

  /// The path of a trace of this core file; nil: it is none.
  func trace(ofCore path: String) throws -> String? {
    guard takesCores, CoreProbe.mayBeCore(path) else {
      if let option = coreOption, access(path.asPath, F_OK) == 0 {
        throw Failure.usage("\(option) is for core files, and '\(printable(path))' is none")
      }
      return nil
    }
    for file in programs + [root].compactMap(\.self) where access(file.asPath, R_OK) != 0 {
      throw Failure(message: "cannot read '\(printable(file))': \(reason(errno))", status: .noInput)
    }
    let root = root.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
    return try Call.current.kept(SnapshotStore.init).path(for: path) {
      try SnapshotFailure.told(of: path) {
        try withProgress("reading '\(printable(path))'") {
          try Snapshot.taken(of: CoreMemory(path: path, programs: programs, root: root))
        }
      }
    }
  }

  private var coreOption: String? { programs.isEmpty ? root.map { _ in "--sysroot" } : "--program" }
}

/// Whether a file may be a core: by its first bytes. Traces are neither ELF files nor packed in these ways.
enum CoreProbe {
  static func mayBeCore(_ path: String) -> Bool {
    var status = stat()
    guard stat(path.asPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC))
    else { return false }
    var head = [UInt8](repeating: 0, count: 18)
    guard pread(file.number, &head, head.count, 0) == head.count else { return false }
    if head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return head[head[5] == 2 ? 17 : 16] == 4 }
    return head.starts(with: [0x1F, 0x8B]) || head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
  }
}
