internal import COpTrace
internal import Dispatch
internal import Foundation
internal import OpTraceFormat

/// What a queue is for the recorder: its number in a trace, and how it is described.
///
/// Sendable: the pointer never changes, and what it points to is atomic inside.
struct QueueProbe: @unchecked Sendable {
  let pointer: OpaquePointer?

  /// The recorder that has described the queue; nil before.
  var core: OpaquePointer? { optrace_operation_recorder(pointer) }

  func knownNumber(_ core: OpaquePointer) -> UInt32? {
    guard optrace_operation_owner(pointer) == core else { return nil }
    let number = optrace_operation_serial(pointer)
    // Asked again: another thread may have moved the queue in between.
    return optrace_operation_owner(pointer) == core ? number : nil
  }

  /// The queue's number in this recorder's trace; at first sight the queue is described. When the recorder was replaced,
  /// the queue moves to the new one.
  func number(of queue: OperationQueue, in recorder: TraceRecorder) -> UInt32? {
    guard let pointer else { return nil }
    if let number = knownNumber(recorder.core) { return number }
    return Self.introducing.withLock {
      if let number = knownNumber(recorder.core) { return number }
      let number = optrace_recorder_next_queue(recorder.core)
      optrace_operation_move(pointer, recorder.core, number)
      Self.describe(queue, number, recorder.core)
      optrace_operation_publish(pointer)
      return number
    }
  }

  /// Held when a queue meets a recorder, and at no other time.
  private static let introducing = NSLock()

  private static func describe(_ queue: OperationQueue, _ number: UInt32, _ core: OpaquePointer) {
    let limit = UInt32(bitPattern: Int32(clamping: queue.maxConcurrentOperationCount))
    let word =
      UInt64(queue.qualityOfService.traceValue) | (isMain(queue) ? 1 << 8 : 0) | (queue.isSuspended ? 1 << 9 : 0)
    // Foundation's own name for a queue without one is an address, which says nothing.
    let name = queue.name.flatMap { $0.hasPrefix("NSOperationQueue 0x") ? nil : $0 } ?? ""
    UTF8Text.with(name) {
      optrace_emit_text(core, EventKind.queueCreated.rawValue, number, limit, true, word, $0, $1)
    }
  }

  /// By its label: on Linux `DispatchQueue.main` is another object each time.
  static func isMain(_ queue: OperationQueue) -> Bool { queue.underlyingQueue?.label == DispatchQueue.main.label }

  /// Notes that an operation is given to the queue. To be called before the queue hears of it.
  func recordEnqueued(_ operation: Operation, on queue: OperationQueue, recorder: TraceRecorder) {
    guard recorder.isRecording, let number = number(of: queue, in: recorder) else { return }
    let serial = recorder.introduceForQueue(operation)
    guard serial != 0 else { return }
    let priority = UInt64(UInt8(bitPattern: Int8(clamping: operation.queuePriority.rawValue)))
    let quality = UInt64(operation.qualityOfService.traceValue)
    optrace_emit2(recorder.core, EventKind.enqueued.rawValue, serial, UInt64(number) | priority << 32 | quality << 40)
    #if canImport(Darwin)
      OperationObserver.follow(operation)
    #endif
  }
}
