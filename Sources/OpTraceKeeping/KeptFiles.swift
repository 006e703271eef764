/// The files that were kept so far, oldest first, and which of them have to go.
package struct KeptFiles: Sendable {
  package struct File: Sendable, Equatable {
    package var path: String
    /// What its condition is called: ``KeepCondition/word``.
    package var word: String
    package var bytes: UInt64

    package init(path: String, word: String, bytes: UInt64) {
      (self.path, self.word, self.bytes) = (path, word, bytes)
    }
  }

  package static let usualFiles = 10
  package static let usualBytes: UInt64 = 1 << 30

  private let mostFiles: Int
  private let mostBytes: UInt64
  package private(set) var files: [File] = []

  package init(mostFiles: Int = usualFiles, mostBytes: UInt64 = usualBytes) {
    self.mostFiles = mostFiles
    self.mostBytes = mostBytes
  }

  /// Adds a file. Returns the files to remove: the oldest with the same condition first, then the oldest of all. The new
  /// one stays.
  package mutating func add(_ file: File) -> [File] {
    var removed: [File] = []
    while let index = excess(besides: file) { removed.append(files.remove(at: index)) }
    files.append(file)
    return removed
  }

  /// The index of a file that has to go for a new one; nil: there is room.
  private func excess(besides new: File) -> Int? {
    let bytes = files.reduce(new.bytes) { $0 + $1.bytes }
    guard files.count + 1 > mostFiles || bytes > mostBytes else { return nil }
    return files.firstIndex { $0.word == new.word } ?? files.indices.first
  }

  /// `run.kept-stall-2026-11-28T15.51.53Z.optrace` beside `run.optrace`: names sort by condition, then by time.
  /// - Parameters:
  ///   - utc: `2026-11-28T15:51:53Z`, perhaps with a fraction.
  ///   - number: from 2 on for another file of the same second.
  package static func name(of trace: String, word: String, utc: String, number: Int = 1) -> String {
    let ending = ".optrace"
    let stem = trace.hasSuffix(ending) ? String(trace.dropLast(ending.count)) : trace
    let seconds = utc.prefix(19).map { $0 == ":" ? "." : $0 }
    return "\(stem).kept-\(word.isEmpty ? "" : word + "-")\(String(seconds))Z\(number > 1 ? "-\(number)" : "")\(ending)"
  }
}
