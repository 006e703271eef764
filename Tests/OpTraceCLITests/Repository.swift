import Foundation

/// The folder of the package, whose files tests read.
enum Repository {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
}
