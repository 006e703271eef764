import Foundation
import OpTraceFormat
import OpTraceModel

// What the system tells about paths, which are texts in the form of ``RawPath``.

extension RawPath {
  /// The folder of a path (empty: the current one), and the last name. Foundation's own function traps on a path of one
  /// character.
  static func parts(_ path: String) -> (folder: String, name: String) {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard path != "/", let slash = path.lastIndex(of: "/") else { return ("", String(path)) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// The text of a C string.
  static func text(_ bytes: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
  }

  /// The folder in which the command was called; the root if the system does not tell.
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

func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path.asPath, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
