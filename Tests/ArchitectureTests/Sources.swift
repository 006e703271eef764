import Foundation

/// The imports and strings in the files of a target.
struct Sources {
  /// The imported or included modules of this package, and products of other packages.
  private(set) var imports: Set<String> = []
  /// The string literals that are one word.
  private(set) var words: Set<String> = []

  /// - Parameter known: the target or product for each module name that `import` uses.
  init(of target: Manifest.Target, known: [String: String]) throws {
    for file in try Self.files(in: Manifest.folder.appendingPathComponent(target.path)) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let lines =
        file.pathExtension == "swift" ? #/^\s*(?:@\w+ +)*(?:\w+ +)?import +(\w+)/# : #/^\s*#\s*include +[<"](\w+)\.h/#
      for match in text.matches(of: lines.anchorsMatchLineEndings()) {
        if let name = known[String(match.1)], name != target.name { imports.insert(name) }
      }
      for match in text.matches(of: #/"([A-Za-z-]+)"/#) { words.insert(String(match.1)) }
    }
  }

  /// How many lines the files of a folder have.
  static func lines(in folder: URL) throws -> Int {
    try files(in: folder).reduce(0) {
      try $0 + String(contentsOf: $1, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).count
        - 1
    }
  }

  /// Follows symbolic links, which lead to folders that targets share.
  static func files(in folder: URL) throws -> [URL] {
    let folder = folder.resolvingSymlinksInPath()
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap {
      let file = $0.resolvingSymlinksInPath()
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else { return [URL]() }
      if isFolder.boolValue { return try files(in: file) }
      return ["swift", "c", "h"].contains(file.pathExtension) ? [file] : []
    }
  }
}
