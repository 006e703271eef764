public import Foundation

/// The programs of the build that the tests belong to: they stand beside the test bundle.
public enum Built {
  public enum Configuration: String, CaseIterable, Sendable { case debug, release }

  public struct Missing: Error, CustomStringConvertible {
    var name: String
    var configuration: Configuration
    public var description: String {
      "there is no \(configuration.rawValue) build of \(name): run "
        + (configuration == .debug ? "`swift build --build-tests`" : "`scripts/build-hook-programs`")
    }
  }

  public static func program(_ name: String) throws -> URL {
    for folder in folders {
      let candidate = folder.appendingPathComponent(name)
      if isProgram(candidate) { return candidate }
    }
    throw Missing(name: name, configuration: .debug)
  }

  /// One that was built in another way too: that build's folder is beside the tests' own.
  public static func program(_ name: String, _ configuration: Configuration) throws -> URL {
    if configuration == .debug { return try program(name) }
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
