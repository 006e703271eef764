internal import COpTrace
internal import Dispatch
internal import Foundation
internal import OpTraceFormat

/// What the recorder knows of a queue: its number in a trace, and how it is described.
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
    if let number = knownNumber(recorder.core) { return number }
    return introduce(queue, to: recorder)
  }

  private func introduce(_ queue: OperationQueue, to recorder: TraceRecorder) -> UInt32? {
    guard let pointer else { return nil }
    // Before the lock is taken: without hooks the program's own overrides are called.
    let description = Description(queue)
    return Self.introducing.withLock {
      if let number = knownNumber(recorder.core) { return number }
      let number = optrace_recorder_next_queue(recorder.core)
      optrace_operation_move(pointer, recorder.core, number)
      description.record(number, recorder.core)
      optrace_operation_publish(pointer, recorder.core)
      return number
    }
  }

  /// Held when a queue meets a recorder, and at no other time.
  private static let introducing = Lock()

  /// A second time beside `describe/queues.c`, which reads Swift's values by their layout, on Linux alone.
  private struct Description {
    private var limit: Int64 = 0
    private var isSuspended = false
    private var name: String?
    private var quality = QualityOfService.default
    private var underlying: DispatchQueue?

    init(_ queue: OperationQueue) {
      guard !askFoundation(queue) else { return }
      limit = Int64(queue.maxConcurrentOperationCount)
      isSuspended = queue.isSuspended
      name = queue.name
      quality = queue.qualityOfService
      underlying = queue.underlyingQueue
    }

    private mutating func askFoundation(_ queue: OperationQueue) -> Bool {
      withUnsafeMutablePointer(to: &self) { own in
        var answers = optrace_queue_answers()
        answers.limit = own.pointer(to: \.limit)
        answers.suspended = own.pointer(to: \.isSuspended)
        answers.name = UnsafeMutableRawPointer(own.pointer(to: \.name))
        answers.quality = UnsafeMutableRawPointer(own.pointer(to: \.quality))
        answers.underlying = UnsafeMutableRawPointer(own.pointer(to: \.underlying))
        return optrace_queue_ask(Unmanaged.passUnretained(queue).toOpaque(), &answers)
      }
    }

    /// Foundation's default name of a queue is an address, which says nothing.
    private var givenName: String? { name.flatMap { $0.hasPrefix("NSOperationQueue 0x") ? nil : $0 } }
    var live: (name: String?, limit: Int) { (givenName, Int(limit)) }

    func record(_ number: UInt32, _ core: OpaquePointer) {
      let fields = EventFields.QueueCreated(
        limit: Int32(clamping: limit), qos: quality.traceValue, main: QueueProbe.isMain(underlying),
        suspended: isSuspended)
      let given = givenName ?? ""
      let stack = optrace_caller_stack(core)
      UTF8Text.with(given) {
        optrace_emit_text_at(
          core, EventKind.queueCreated.rawValue, number, fields.high, true, fields.word2, $0, $1, stack)
      }
    }
  }

  /// By its label: on Linux `DispatchQueue.main` is another object each time.
  static func isMain(_ queue: DispatchQueue?) -> Bool { queue?.label == DispatchQueue.main.label }
  static func isMain(_ queue: OperationQueue) -> Bool { isMain(queue.underlyingQueue) }

  /// Records that operations are given to the queue. Must be called before the queue gets them. Returns the number of
  /// the first that is in the trace; 0: none.
  @discardableResult
  func recordEnqueued(
    _ operations: some Sequence<Operation>, on queue: OperationQueue, recorder: TraceRecorder
  ) -> UInt32 {
    var first: UInt32 = 0
    for operation in operations {
      let serial = recordEnqueued(operation, on: queue, recorder: recorder).serial
      if first == 0 { first = serial }
    }
    return first
  }

  @discardableResult
  func recordEnqueued(
    _ operation: Operation, on queue: OperationQueue, recorder: TraceRecorder
  ) -> TraceRecorder.Enqueued {
    guard recorder.isRecording, let number = number(of: queue, in: recorder) else {
      return TraceRecorder.Enqueued(serial: 0, probe: operation.ownProbe)
    }
    let facts = recorder.facts(of: operation)
    // Cast nevertheless: after a library was unloaded, another class may be at the address that the facts are of.
    let enqueued =
      if facts.isBlock, let own = operation as? TracedBlockOperation {
        recorder.add(own: own, facts, to: number)
      } else if facts.isOurs, let own = operation as? TracedOperation {
        recorder.add(own: own, facts, to: number)
      } else {
        recorder.add(operation, facts, to: number)
      }
    guard enqueued.serial != 0 else { return enqueued }
    optrace_record_within(recorder.core, enqueued.serial)
    if optrace_wants_companions() { accompany(operation, enqueued.serial, on: queue, recorder: recorder) }
    #if canImport(Darwin)
      OperationObserver.follow(operation)
    #endif
    return enqueued
  }

  /// An operation whose steps would not be reported gets no companion.
  private func accompany(_ operation: Operation, _ serial: UInt32, on queue: OperationQueue, recorder: TraceRecorder) {
    guard let probe = recorder.probe(of: operation), optrace_operation_known(probe.pointer, recorder.core) == serial
    else { return }
    FollowedOperation.enqueued(operation, probe, number: serial, on: pointer) { Description(queue).live }
    // Reported here if the record of the adding contains it: nothing calls `isReady` any more.
    if probe.has(OperationProbe.Bits.ready) {
      optrace_operation_notify(probe.pointer, EventKind.ready.rawValue, nil, 0)
    }
  }

  /// The same for a barrier block.
  func accompany(_ barrier: BarrierLife, on queue: OperationQueue) {
    guard optrace_wants_companions() else { return }
    FollowedOperation.enqueued(nil, barrier.probe, number: barrier.probe.serial, on: pointer) {
      Description(queue).live
    }
  }

  /// The queue's new name, and how many it lets run.
  func noteName(_ name: String?) { (ObserverCompanion.of(pointer) as? FollowedQueue)?.rename(name) }
  func noteLimit(_ limit: Int) { (ObserverCompanion.of(pointer) as? FollowedQueue)?.change(limit: limit) }

  /// Enclose Foundation's own call: on Linux it can hang in a lock that the same thread holds, and the trace then shows
  /// that.
  static func beginAdding(
    _ serial: UInt32, to queue: OperationQueue, isBarrier: Bool = false, recorder: TraceRecorder
  ) -> optrace_adding {
    guard serial != 0 else { return optrace_adding() }
    return optrace_adding_begin(recorder.core, Unmanaged.passUnretained(queue).toOpaque(), serial, isBarrier)
  }
}
