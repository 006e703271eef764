public import Foundation

/// The programs of the build that the tests belong to: they stand beside the test bundle.
public enum Built {
  public enum Configuration: String, CaseIterable, Sendable { case debug, release }

  public struct Missing: Error, CustomStringConvertible {
    var name: String
    /// Nil: that of the tests.
    var configuration: Configuration?
    public var description: String {
      if let configuration {
        "there is no \(configuration.rawValue) build of \(name): run `scripts/build-hook-programs`"
      } else {
        "\(name) is not built: run `make build`"
      }
    }
  }

  public static func program(_ name: String) throws -> URL {
    for folder in folders {
      let candidate = folder.appendingPathComponent(name)
      if isProgram(candidate) { return candidate }
    }
    throw Missing(name: name)
  }

  /// One that was built in both ways: one of the two folders is the tests' own, and the other is beside it.
  public static func program(_ name: String, _ configuration: Configuration) throws -> URL {
    for folder in folders {
      let candidate = folder.deletingLastPathComponent().appendingPathComponent(configuration.rawValue)
        .appendingPathComponent(name)
      if isProgram(candidate) { return candidate }
    }
    throw Missing(name: name, configuration: configuration)
  }

  /// The test bundle may be a folder, with the tests' program deep in it.
  private static let folders: [URL] = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var result: [URL] = []
    for _ in 0..<6 {
      folder.deleteLastPathComponent()
      result.append(folder)
    }
    return result + [Bundle.main.bundleURL] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
  }()

  private static func isProgram(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
      && FileManager.default.isExecutableFile(atPath: url.path)
  }
}
