internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// An `OperationQueue` that records what is done with it. Swap the name, and nothing else:
///
/// ```swift
/// let queue = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 4)
/// queue.addOperation(named: "manifest") { … }
/// ```
///
/// Traced operations are recorded in full. Of others that are added, the class, the dependencies and the adding are
/// recorded.
///
/// Sendable: `OperationQueue` is; the stored properties here are constants.
open class TracedOperationQueue: OperationQueue, @unchecked Sendable {
  private let explicitRecorder: TraceRecorder?
  private let hasName: Bool
  /// The queue's number in the trace, once it has one.
  private let identity = optrace_operation_create()

  public override init() {
    explicitRecorder = nil
    hasName = false
    super.init()
    if let recorder, recorder.isRecording { _ = introduceQueue(recorder) }
  }

  /// - Parameters:
  ///   - name: shown in every output. Nil leaves Foundation's default.
  ///   - recorder: nil means ``TraceRecorder/default`` at the time of each event; with none, nothing is recorded.
  public init(
    name: String? = nil, maxConcurrentOperationCount: Int = OperationQueue.defaultMaxConcurrentOperationCount,
    recorder: TraceRecorder? = nil
  ) {
    explicitRecorder = recorder
    hasName = name != nil
    super.init()
    if let name { super.name = name }
    super.maxConcurrentOperationCount = maxConcurrentOperationCount
    if let recorder = self.recorder, recorder.isRecording { _ = introduceQueue(recorder) }
  }

  deinit {
    guard let identity else { return }
    optrace_operation_event(identity, EventKind.queueReleased.rawValue)
    optrace_operation_destroy(identity)
  }

  /// What this queue records to at the moment.
  public final var recorder: TraceRecorder? { explicitRecorder ?? TraceRecorder.default }

  // MARK: Adding

  open override func addOperation(_ operation: Operation) {
    recordEnqueued(operation)
    super.addOperation(operation)
    askAgain(operation)
  }

  open override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
    for operation in operations { recordEnqueued(operation) }
    super.addOperations(operations, waitUntilFinished: false)
    for operation in operations { askAgain(operation) }
    // The waits are those of the operations, so that each is recorded.
    if wait { for operation in operations { operation.waitUntilFinished() } }
  }

  open override func addOperation(_ block: @escaping @Sendable () -> Void) {
    add(TracedBlockOperation(block: block))
  }

  /// Adds a block under a name that all outputs show, with the place in the source.
  public func addOperation(
    named name: String, file: StaticString = #fileID, line: UInt = #line, _ block: @escaping @Sendable () -> Void
  ) {
    add(TracedBlockOperation(name: name, file: file, line: line, block: block))
  }

  private func add(_ operation: TracedBlockOperation) {
    // As Foundation does for the blocks that it wraps itself.
    let quality = qualityOfService
    if quality != .default { operation.qualityOfService = quality }
    addOperation(operation)
  }

  open override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    guard let recorder, recorder.isRecording, let queue = introduceQueue(recorder) else {
      return super.addBarrierBlock(barrier)
    }
    let life = recorder.introduceBarrier(queue: queue)
    super.addBarrierBlock { life.run(barrier) }
  }

  /// Foundation on Linux asks an operation whether it is ready while it is added, and keeps the answer. When the last
  /// dependency finishes right between the two, the kept "no" is wrong and nobody looks again: the operation, and what
  /// waits for it, would never run. So those with dependencies announce their readiness once more.
  private func askAgain(_ operation: Operation) {
    #if !canImport(Darwin)
      let hasDependencies =
        operation.probed.map { $0.probe.has(OperationProbe.Bits.hasDependencies) } ?? !operation.dependencies.isEmpty
      if hasDependencies, operation.isReady { operation.didChangeValue(forKey: "isReady") }
    #endif
  }

  private func recordEnqueued(_ operation: Operation) {
    guard let recorder, recorder.isRecording, let queue = introduceQueue(recorder) else { return }
    let serial =
      recorder.canIntroduce(operation)
      ? recorder.introduce(operation) : recorder.foreign.enqueue(operation, recorder: recorder)
    guard serial != 0 else { return }
    let priority = UInt64(UInt8(bitPattern: Int8(clamping: operation.queuePriority.rawValue)))
    let quality = UInt64(operation.qualityOfService.traceValue)
    optrace_emit2(recorder.core, EventKind.enqueued.rawValue, serial, UInt64(queue) | priority << 32 | quality << 40)
  }

  // MARK: Control

  open override var maxConcurrentOperationCount: Int {
    get { super.maxConcurrentOperationCount }
    set {
      record(.limitChanged, UInt64(bitPattern: Int64(newValue)))
      super.maxConcurrentOperationCount = newValue
    }
  }

  open override var isSuspended: Bool {
    get { super.isSuspended }
    set {
      record(newValue ? .queueSuspended : .queueResumed)
      super.isSuspended = newValue
    }
  }

  open override var name: String? {
    get { super.name }
    set {
      super.name = newValue
      guard let core = knownCore, let number = knownNumber(core), let newValue else { return }
      UTF8Text.with(newValue) {
        optrace_emit_text(core, EventKind.queueRenamed.rawValue, number, 0, false, 0, $0, $1)
      }
    }
  }

  open override var qualityOfService: QualityOfService {
    get { super.qualityOfService }
    set {
      super.qualityOfService = newValue
      if knownCore != nil { record(.queueQualityChanged, UInt64(newValue.traceValue)) }
    }
  }

  /// Set to the main queue, the operations run on the main thread.
  open override var underlyingQueue: DispatchQueue? {
    get { super.underlyingQueue }
    set {
      let wasMain = isMain
      super.underlyingQueue = newValue
      if knownCore != nil, isMain != wasMain { record(.queueMainChanged, isMain ? 1 : 0) }
    }
  }

  /// By its label: on Linux `DispatchQueue.main` is another object each time.
  private var isMain: Bool { super.underlyingQueue?.label == DispatchQueue.main.label }

  open override func cancelAllOperations() {
    record(.queueCancelledAll)
    super.cancelAllOperations()
  }

  open override func waitUntilAllOperationsAreFinished() {
    record(.queueWaitBegan)
    super.waitUntilAllOperationsAreFinished()
    record(.queueWaitEnded)
  }

  // MARK: Identity

  private var knownCore: OpaquePointer? { optrace_operation_recorder(identity) }

  private func record(_ kind: EventKind) {
    if let recorder, recorder.isRecording, let number = introduceQueue(recorder) {
      optrace_emit1(recorder.core, kind.rawValue, number)
    }
  }

  private func record(_ kind: EventKind, _ word: UInt64) {
    if let recorder, recorder.isRecording, let number = introduceQueue(recorder) {
      optrace_emit2(recorder.core, kind.rawValue, number, word)
    }
  }

  /// The queue's number in this recorder's trace; at first sight the queue is described. When the default recorder was
  /// replaced, the queue moves to the new one.
  private func introduceQueue(_ recorder: TraceRecorder) -> UInt32? {
    guard let identity else { return nil }
    if let number = knownNumber(recorder.core) { return number }
    return Self.introducing.withLock {
      if let number = knownNumber(recorder.core) { return number }
      let number = optrace_recorder_next_queue(recorder.core)
      optrace_operation_move(identity, recorder.core, number)
      describe(number, recorder.core)
      optrace_operation_publish(identity)
      return number
    }
  }

  /// Held when a queue meets a recorder, and at no other time.
  private static let introducing = NSLock()

  private func knownNumber(_ core: OpaquePointer) -> UInt32? {
    guard optrace_operation_owner(identity) == core else { return nil }
    let number = optrace_operation_serial(identity)
    // Asked again: another thread may have moved the queue in between.
    return optrace_operation_owner(identity) == core ? number : nil
  }

  private func describe(_ number: UInt32, _ core: OpaquePointer) {
    let limit = UInt32(bitPattern: Int32(clamping: super.maxConcurrentOperationCount))
    let word =
      UInt64(super.qualityOfService.traceValue) | (isMain ? 1 << 8 : 0) | (super.isSuspended ? 1 << 9 : 0)
    UTF8Text.with(hasName || isNamedLater ? super.name ?? "" : "") {
      optrace_emit_text(core, EventKind.queueCreated.rawValue, number, limit, true, word, $0, $1)
    }
  }

  /// Foundation's own name for a queue without one is an address, which says nothing.
  private var isNamedLater: Bool { super.name?.hasPrefix("NSOperationQueue 0x") == false }
}
