internal import COpTrace
internal import Foundation

extension TraceRecorder {
  /// The recorder with this core; nil: it was stopped or released.
  static func active(_ core: OpaquePointer) -> TraceRecorder? {
    guard optrace_recorder_is_recording(core) else { return nil }
    return RecorderRegistry.shared.recorder(core)
  }
}

/// All recorders. Finds one by its core (only needed when an attached operation meets another recorder), and stops
/// those that are left when the process exits.
/// Sendable: `recorders` is only touched under `lock`.
final class RecorderRegistry: @unchecked Sendable {
  static let shared = RecorderRegistry()

  private struct Entry { weak var recorder: TraceRecorder? }
  private let lock = Lock()
  private var recorders: [OpaquePointer: Entry] = [:]

  private static let stopAtExit: Void = {
    atexit {
      // Nobody is left to handle an error; a trace that is not closed is readable, too.
      for recorder in RecorderRegistry.shared.all { try? recorder.stop() }
    }
  }()

  private var all: [TraceRecorder] { lock.withLock { recorders.values.compactMap(\.recorder) } }

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
