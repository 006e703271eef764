import Foundation
import OpTraceModel

/// Which of several files are of one run, as copies of a flight recorder's ring: all have one HASH, and the last is exported.
/// Else each call would write them all, one over the other.
struct RunCopies {
  private var known: [String: (hash: String, later: String)] = [:]

  /// Files that cannot be read are left alone: who reads them says so.
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

  /// The HASH, and the path of a later copy; nil: it is the last one.
  func later(than path: String) -> (hash: String, path: String)? { known[path].map { ($0.hash, $0.later) } }

  static func isLater(_ one: timespec, _ other: timespec) -> Bool {
    (one.tv_sec, one.tv_nsec) > (other.tv_sec, other.tv_nsec)
  }
}
