import OpTraceKernel
import OpTraceText

/// The folders that files of source code are named in, for readers on another machine: a checkout has another path there.
package struct SourceRoots: Sendable {
  /// Each with a slash at its end.
  private let folders: [String]

  /// - Parameter folders: absolute paths; a file is named in the first that it is below. Empty and relative ones are left out.
  package init(_ folders: [String]) {
    self.folders = folders.filter { $0.hasPrefix("/") }.map { Self.tidy($0 + "/") }
  }

  /// The path within the first folder that the file is below; any other path as it is.
  package func path(of file: String) -> String {
    let file = Self.tidy(file)
    let folder = folders.first { file.hasPrefix($0) && file.utf8.count > $0.utf8.count }
    return folder.map { String(file.dropFirst($0.count)) } ?? file
  }

  /// Without `//` and `/./`, which name the same.
  private static func tidy(_ path: String) -> String {
    guard path.contains("//") || path.contains("/./") else { return path }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    let end = path.hasSuffix("/") && !parts.isEmpty ? "/" : ""
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/") + end
  }
}
