internal import OpTraceFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the recorder does with the names of its files, as text: see ``TraceRecorder/path``.
enum TracePath {
  /// As it is now, whatever folder the program goes to later.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    let folder = RawPath.text(UnsafeRawBufferPointer(start: here, count: strlen(here)))
    return folder == "/" ? "/\(path)" : "\(folder)/\(path)"
  }

  /// `run.optrace` with "-2" put in becomes `run-2.optrace`; what has no ending gets it behind.
  static func inserting(_ text: String, beforeEndingOf path: String) -> String {
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return path + text }
    return path[..<dot] + text + path[dot...]
  }
}
