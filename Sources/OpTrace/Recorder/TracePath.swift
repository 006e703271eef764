internal import OpTraceFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Paths of the recorder's files, as text: see ``TraceRecorder/path``.
enum TracePath {
  /// Absolute as of now, whatever the program's current folder becomes.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    let folder = RawPath.text(UnsafeRawBufferPointer(start: here, count: strlen(here)))
    return folder == "/" ? "/\(path)" : "\(folder)/\(path)"
  }

  /// `run.optrace` with "-2" becomes `run-2.optrace`; without an extension it is appended.
  static func inserting(_ text: String, beforeEndingOf path: String) -> String {
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return path + text }
    return path[..<dot] + text + path[dot...]
  }
}
