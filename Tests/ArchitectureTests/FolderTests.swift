import Foundation
import Testing

/// Inside a module, too, arrows go one way: a folder whose types another folder uses does not use that folder's.
@Suite struct FolderTests {
  /// Types by the name that only one file declares at its top level. Strings and comments name nothing.
  private struct Folders {
    private var users: [String: Set<String>] = [:]
    private var places: [String: String] = [:]

    init(in module: URL) throws {
      var texts: [(folder: String, text: String)] = []
      var declared: [String: [String]] = [:]
      for file in try Sources.files(in: module) where file.pathExtension == "swift" {
        let inside = file.path.dropFirst(module.resolvingSymlinksInPath().path.count + 1).split(separator: "/")
          .dropLast()
        let folder = inside.first.map(String.init) ?? "."
        let text = try String(contentsOf: file, encoding: .utf8)
          .replacing(#/\/\/.*/#, with: "").replacing(#/"(\\.|[^"\\\n])*"/#, with: "")
        texts.append((folder, text))
        let types =
          #/^(?:(?:public|package|private|fileprivate|final|indirect|@\w+) +)*(?:struct|class|enum|protocol) +(\w+)/#
        for match in text.matches(of: types.anchorsMatchLineEndings()) where !match.0.contains("private") {
          declared[String(match.1), default: []].append(folder)
        }
      }
      for (name, folders) in declared where folders.count == 1 { places[name] = folders[0] }
      for (folder, text) in texts {
        for word in Set(text.matches(of: #/\w+/#).map { String($0.0) }) {
          if let place = places[word], place != folder { users["\(folder) → \(place)", default: []].insert(word) }
        }
      }
    }

    /// Pairs of folders that use each other, with the types that one uses.
    var mutual: [String] {
      users.keys.sorted().filter { arrow in
        let ends = arrow.split(separator: " ")
        return users["\(ends[2]) → \(ends[0])"] != nil
      }.map { "\($0): \((users[$0] ?? []).sorted().joined(separator: ", "))" }
    }
  }

  private static let modules =
    (try? Manifest())?.targets.filter { $0.path.hasPrefix("Sources/") && $0.kind != .system } ?? []

  @Test(arguments: modules.map(\.path)) func foldersGoOneWay(path: String) throws {
    let folders = try Folders(in: Manifest.folder.appendingPathComponent(path))
    #expect(folders.mutual == [], "\(path)")
  }
}
