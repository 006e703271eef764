internal import Foundation
import OpTrace

/// One recorder for all bodies that run at the same time: a process can be recorded as a whole only once.
enum SharedRecorder {
  private static let lock = NSLock()
  /// Only touched under `lock`.
  nonisolated(unsafe) private static var current: TraceRecorder?
  nonisolated(unsafe) private static var users = 0

  /// To be given back by ``leave()``.
  static func enter() throws -> TraceRecorder {
    try lock.withLock {
      let recorder = try current ?? make()
      current = recorder
      users += 1
      return recorder
    }
  }

  /// The last one ends the recording: the hooks go, and so does the file.
  static func leave() {
    lock.withLock {
      users -= 1
      guard users == 0 else { return }
      // Nobody reads it any more.
      try? current?.stop()
      current = nil
    }
  }

  private static func make() throws -> TraceRecorder {
    let name = "optrace-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString).optrace"
    let recorder = try TraceRecorder(writingTo: FileManager.default.temporaryDirectory.appendingPathComponent(name))
    // It is read through the recorder's descriptor. So nothing is left behind, however the process ends.
    unlink(recorder.url.path)
    // If it is refused, queues that got the recorder are still recorded.
    try? recorder.instrumentProcess()
    return recorder
  }
}
