import Foundation
import OpTraceFormat
import OpTraceModel

#if canImport(Glibc)
  import Glibc
#endif

/// The traces that a running process has mapped: `/proc/PID/maps` names every file.
package enum MappedTraces {
  /// Paths, each once, in the order of the process's address space. Nil: there is no such process, or this user may not
  /// look at it.
  package static func paths(of processID: String) -> [String]? {
    guard let number = UInt32(processID), let files = shared(by: number) else { return nil }
    return files.filter { isTraceFile($0.path) }.map(\.path)
  }

  /// A file that a process has mapped shared, so that what it stores goes to the file.
  package struct SharedFile {
    /// The path as the process sees it.
    package let path: String
    package let number: UInt64

    /// Whether this path is the same file for us.
    var isSameHere: Bool {
      var status = stat()
      return stat(path.asPath, &status) == 0 && UInt64(status.st_ino) == number
    }

    /// Whether it is memory without a file.
    var isMemory: Bool { ["/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage"].contains { path.hasPrefix($0) } }
  }

  /// Each once, in the order of the process's address space. Nil: there is no such process, or this user may not look
  /// at it.
  package static func shared(by processID: UInt32) -> [SharedFile]? {
    guard let bytes = contents(of: "/proc/\(processID)/maps"), !bytes.isEmpty else { return nil }
    var found: [SharedFile] = []
    for line in RawPath.text(bytes).split(separator: "\n") {
      // Address, rights, offset, device, inode, and then the path, which may hold spaces. A trace is mapped shared.
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].hasSuffix("s"), let number = UInt64(fields[4]) else { continue }
      let path = fields[5].drop { $0 == " " }
      guard path.hasPrefix("/"), !found.contains(where: { $0.path == path }) else { continue }
      found.append(SharedFile(path: String(path), number: number))
    }
    return found
  }

  /// The whole content of a file whose size the system reports as 0; Foundation reads only a page of such a file.
  private static func contents(of path: String) -> [UInt8]? {
    guard let file = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC)) else { return nil }
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file.number, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? result : nil }
      result += piece[..<count]
    }
  }
}
