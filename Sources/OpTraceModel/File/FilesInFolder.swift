#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

import OpTraceFormat

/// The names in a folder; empty if it cannot be read.
package func namesInFolder(_ folder: String) -> [String] {
  guard let stream = opendir(folder.asPath) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { RawPath.text($0.prefix { $0 != 0 }) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Whether a file begins like a trace. Does not wait for a pipe.
package func isTraceFile(_ path: String) -> Bool {
  guard let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else { return false }
  var start = [UInt8](repeating: 0, count: Layout.magic.count)
  return pread(file.number, &start, start.count, 0) == start.count && start == Layout.magic
}
