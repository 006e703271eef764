#if canImport(Darwin)
  internal import COpTrace
  internal import Foundation
  internal import OpTraceFormat

  /// A queue's number in a trace. It ends with the queue.
  final class QueueCompanion: ObjectCompanion {
    let probe = QueueProbe(pointer: optrace_operation_create())

    deinit {
      guard let pointer = probe.pointer else { return }
      optrace_operation_event(pointer, EventKind.queueReleased.rawValue)
      optrace_operation_destroy(pointer)
    }
  }
#endif
