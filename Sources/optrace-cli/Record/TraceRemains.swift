#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// What is left of a trace whose process was killed while it created the file: an empty file, or only reserved space,
  /// all zeros.
  struct TraceRemains {
    /// The file that was there before; nil: none.
    private let before: ino_t?

    /// - Parameter path: where a trace will be written.
    init(expectedAt path: String) { before = Self.file(path)?.st_ino }

    /// Removes a file that has appeared since and is no trace yet. Returns whether there was one.
    func remove(at path: String) -> Bool {
      guard let status = Self.file(path), status.st_ino != before, Self.isOne(path) else { return false }
      return unlink(path.asPath) == 0
    }

    private static func file(_ path: String) -> stat? {
      var status = stat()
      return lstat(path.asPath, &status) == 0 ? status : nil
    }

    static func isOne(_ path: String) -> Bool {
      guard let status = file(path), status.st_mode & S_IFMT == S_IFREG else { return false }
      guard status.st_size > 0 else { return true }
      // A file that cannot be read is not ours.
      guard let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else { return false }
      var bytes = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = read(file.number, &bytes, bytes.count)
        if count <= 0 { return count == 0 }
        if bytes[..<count].contains(where: { $0 != 0 }) { return false }
      }
    }
  }
#endif
