public import Foundation

/// A folder that nobody else has, and that goes away with its owner.
public final class Scratch: Sendable {
  public let folder: URL

  public init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public func file(_ name: String = "run.optrace") -> URL { folder.appendingPathComponent(name) }
  public func path(_ name: String) -> String { file(name).path }

  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: file(name))
    return path(name)
  }

  public var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }
}
