internal import COpTrace
internal import Foundation

extension TraceRecorder {
  /// The recorder with this core; nil: it was stopped or released.
  static func active(_ core: OpaquePointer) -> TraceRecorder? {
    guard optrace_recorder_is_recording(core) else { return nil }
    return RecorderRegistry.shared.recorder(core)
  }
}

/// All recorders. Finds one by its core (only needed when an attached operation meets another recorder). Those that are
/// left when the process exits are stopped then.
/// Sendable: `recorders` is only touched under `lock`.
final class RecorderRegistry: @unchecked Sendable {
  static let shared = RecorderRegistry()

  private struct Entry { weak var recorder: TraceRecorder? }
  private let lock = Lock()
  private var recorders: [OpaquePointer: Entry] = [:]

  private static let stopAtExit: Void = {
    atexit {
      // Not by `stop()`: the process may end in a signal handler, which has interrupted any code, and that takes locks.
      optrace_stop_at_exit()
      optrace_hooks_pass()
    }
  }()

  func add(_ recorder: TraceRecorder) {
    _ = Self.stopAtExit
    lock.withLock { recorders[recorder.core] = Entry(recorder: recorder) }
  }

  func remove(_ core: OpaquePointer) {
    lock.withLock { _ = recorders.removeValue(forKey: core) }
  }

  func recorder(_ core: OpaquePointer) -> TraceRecorder? {
    lock.withLock { recorders[core]?.recorder }
  }
}
