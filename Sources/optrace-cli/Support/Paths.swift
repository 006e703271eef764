import Foundation
import OpTraceFormat
import OpTraceModel

// What the system knows of paths, which are texts as ``RawPath`` has them.

extension RawPath {
  /// Of a text in C.
  static func text(_ bytes: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
  }

  /// Where the command was called; the root where the system does not tell.
  static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return text(path)
  }

  /// Where a shell looks for programs, in its order.
  static var programFolders: [String] {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/bin:/usr/bin"
    return folders.split(separator: ":", omittingEmptySubsequences: false).map { $0.isEmpty ? "." : String($0) }
  }
}

/// The names in a folder; none where it cannot be read.
func namesInFolder(_ folder: String) -> [String] {
  guard let stream = opendir(folder.asPath) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { RawPath.text($0.prefix { $0 != 0 }) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path.asPath, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Whether a file begins as a trace does. A pipe is not waited for.
func isTraceFile(_ path: String) -> Bool {
  guard let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else { return false }
  var start = [UInt8](repeating: 0, count: Layout.magic.count)
  return pread(file.number, &start, start.count, 0) == start.count && start == Layout.magic
}
