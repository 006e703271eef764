import Foundation
import OpTraceSymbols

/// The files that a process has mapped, opened once each.
///
/// Sendable: what changes is guarded by the lock.
final class LiveFiles: @unchecked Sendable {
  private struct Key: Hashable {
    var path: String
    var node: MemoryMapping.Node?
    var isDeleted: Bool
  }

  private let folder: String
  private let lock = NSLock()
  private var files: [Key: ImageFile?] = [:]
  /// Each keeps a descriptor. A process with more mapped files has most of them as data, which nobody asks for.
  private static let most = 512

  init(_ folder: String) { self.folder = folder }

  /// The very file of a mapping, known by its number on its disk. Nil: it cannot be opened, or another file is there now.
  func file(of mapping: MemoryMapping) -> ImageFile? {
    let key = Key(path: mapping.path, node: mapping.node, isDeleted: mapping.isDeleted)
    if let known = lock.withLock({ files[key] }) { return known }
    let file = open(mapping)
    return lock.withLock {
      if files.count < Self.most { files[key] = file }
      return file
    }
  }

  /// Paths that may lead to it. The last leads to a file that was removed, and into other file systems; older systems give it only to root,
  /// and it is gone when the process changes the mapping.
  func paths(of mapping: MemoryMapping) -> [String] {
    let range = "\(String(mapping.low, radix: 16))-\(String(mapping.high, radix: 16))"
    return (mapping.isDeleted ? [] : ["\(folder)/root\(mapping.path)"]) + ["\(folder)/map_files/\(range)"]
  }

  private func open(_ mapping: MemoryMapping) -> ImageFile? {
    for path in paths(of: mapping)
    where mapping.node != nil && MemoryMapping.Node(path) == mapping.node {
      if let file = try? ImageFile(path: path) { return file }
    }
    return nil
  }
}

extension MemoryMapping.Node {
  /// Nil: nothing is there, or this user may not see it.
  fileprivate init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let device = UInt64(status.st_dev)
    // As glibc's gnu_dev_major and gnu_dev_minor.
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & ~0xFF
    self.init(major: major, minor: minor, number: UInt64(status.st_ino))
  }
}
