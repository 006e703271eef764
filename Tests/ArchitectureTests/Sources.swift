import Foundation

/// What the files of a target say.
struct Sources {
  /// The package's own modules, and products of others, that are imported or included.
  private(set) var imports: Set<String> = []
  /// What stands in quotes, and nothing else there.
  private(set) var words: Set<String> = []

  /// - Parameter known: names of modules, as `import` says them, and the targets or products that they are.
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

  /// Links lead to folders that targets share.
  private static func files(in folder: URL) throws -> [URL] {
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
