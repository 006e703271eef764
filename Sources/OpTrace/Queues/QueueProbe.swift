internal import COpTrace
internal import Dispatch
internal import Foundation
internal import OpTraceFormat

/// What the recorder knows of a queue: its number in a trace.
///
/// Sendable: the pointer never changes, and what it points to is atomic inside.
struct QueueProbe: @unchecked Sendable {
  let pointer: OpaquePointer?

  /// The recorder that has described the queue; nil before.
  var core: OpaquePointer? { optrace_operation_recorder(pointer) }

  func knownNumber(_ core: OpaquePointer) -> UInt32? {
    let number = optrace_operation_known(pointer, core)
    return number == 0 ? nil : number
  }

  /// The queue's number in this recorder's trace; at first sight the queue is described. If the recorder was replaced,
  /// the queue moves to the new one.
  func number(of queue: OperationQueue, in recorder: TraceRecorder) -> UInt32? {
    let number = optrace_queue_introduce(recorder.core, queue.address, pointer)
    return number == 0 ? nil : number
  }

  /// Records that an operation is given to the queue. Must be called before the queue gets it.
  func recordEnqueued(_ operation: Operation, on queue: OperationQueue, recorder: TraceRecorder) -> optrace_added {
    if let own = operation as? TracedOperation { return recordEnqueued(own: own, on: queue, recorder: recorder) }
    if let own = operation as? TracedBlockOperation { return recordEnqueued(own: own, on: queue, recorder: recorder) }
    let added = optrace_add(recorder.core, operation.address, nil, nil, queue.address, pointer)
    #if canImport(Darwin)
      OperationObserver.follow(operation)
    #endif
    return added
  }

  /// The same for one of ours, which says itself what it is.
  @inline(__always)
  private func recordEnqueued(
    own operation: some ProbedOperation, on queue: OperationQueue, recorder: TraceRecorder
  ) -> optrace_added {
    let (core, probe) = (recorder.core, operation.probe)
    guard recorder.isRecording else { return optrace_added(serial: 0, entry: probe.pointer) }
    var added = optrace_added()
    OperationReader.ask(own: operation, optrace_questions_of_own(probe.pointer), core) {
      added = optrace_add(core, operation.address, probe.pointer, $0, queue.address, pointer)
    }
    return added
  }

  /// The same for several. Returns the number of the first that is in the trace; 0: none.
  func recordEnqueued(_ operations: [Operation], on queue: OperationQueue, recorder: TraceRecorder) -> UInt32 {
    var first: UInt32 = 0
    for operation in operations {
      let serial = recordEnqueued(operation, on: queue, recorder: recorder).serial
      if first == 0 { first = serial }
    }
    return first
  }

  /// The queue's new name, and how many it lets run: for those who follow it.
  func noteName(_ name: String?) {
    UTF8Text.with(name ?? "") { optrace_queue_changes(pointer, EventKind.queueRenamed.rawValue, 0, $0, $1) }
  }

  func noteLimit(_ limit: Int) {
    optrace_queue_changes(pointer, EventKind.limitChanged.rawValue, Int64(limit), nil, 0)
  }

  /// Enclose Foundation's own call: on Linux it can hang in a lock that the same thread holds, and the trace then shows
  /// that.
  static func beginAdding(
    _ serial: UInt32, to queue: OperationQueue, isBarrier: Bool = false, recorder: TraceRecorder
  ) -> optrace_adding {
    guard serial != 0 else { return optrace_adding() }
    return optrace_adding_begin(recorder.core, queue.address, serial, isBarrier)
  }
}
