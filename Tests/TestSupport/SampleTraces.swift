public import Foundation

/// The traces that are stored in the repository.
public enum SampleTraces {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Recorded ones.
  public static let folder = repository.appendingPathComponent("traces")
  public static let names = names(in: folder, ending: ".optrace").map { $0 + ".optrace" }

  public static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// Texts, sound ones and such that break rules.
  public static let textFolder = repository.appendingPathComponent("Tests/OpTraceModelTests/Golden")
  public static let textNames = names(in: textFolder, ending: ".txt")

  /// Without the ending.
  private static func names(in folder: URL, ending: String) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }
}
