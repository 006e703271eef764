import Foundation
import OpTraceModel

/// Finds files of the same run, such as copies of a flight recorder's ring: they have the same hash, and only the last
/// one is exported. Otherwise each call would write them all, each over the one before.
struct RunCopies {
  private var known: [String: (hash: String, later: String)] = [:]

  /// Skips files that cannot be read; whoever reads them reports the error.
  init(_ paths: [String], unpacking unpacker: TraceUnpacker) {
    guard paths.count > 1 else { return }
    var latest: [String: (path: String, changed: timespec)] = [:]
    for path in paths {
      guard let changed = stat.changed(path),
        let hash = try? TraceReader.header(path: path, unpacking: unpacker).hash
      else { continue }
      guard let other = latest[hash], other.path != path else {
        latest[hash] = (path, changed)
        continue
      }
      if Self.isLater(changed, other.changed) {
        known[other.path] = (hash, path)
        latest[hash] = (path, changed)
      } else {
        known[path] = (hash, other.path)
      }
    }
  }

  /// The hash, and the path of a later copy; nil: there is no later one.
  func later(than path: String) -> (hash: String, path: String)? { known[path].map { ($0.hash, $0.later) } }

  static func isLater(_ one: timespec, _ other: timespec) -> Bool {
    (one.tv_sec, one.tv_nsec) > (other.tv_sec, other.tv_nsec)
  }
}
