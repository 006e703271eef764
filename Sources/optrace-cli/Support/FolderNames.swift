#if CLI
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  extension RawPath {
    /// Where the command was called; the root where the system does not tell.
    static var currentFolder: String {
      guard let path = getcwd(nil, 0) else { return "/" }
      defer { free(path) }
      return text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
  }

  /// The names in a folder, as ``RawPath`` has them; none where it cannot be read.
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
#endif
