#if CLI
  import Foundation
  import OpTraceModel

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
