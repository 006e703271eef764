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
/// Every operation that is added is recorded in full, whatever its class.
///
/// Sendable: `OperationQueue` is; the stored properties here are constants.
open class TracedOperationQueue: OperationQueue, @unchecked Sendable {
  private let explicitRecorder: TraceRecorder?
  /// The same, kept alive by this queue, for uses that are not counted: reference counts of an object with weak
  /// references cost three times the usual.
  private let unretainedRecorder: Unmanaged<TraceRecorder>?
  private let probe = QueueProbe(pointer: optrace_operation_create())

  public override init() {
    explicitRecorder = nil
    unretainedRecorder = nil
    super.init()
    let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
    if let recorder, recorder.isRecording { _ = introduceQueue(recorder) }
    optrace_entry_end(isEntry)
  }

  /// - Parameters:
  ///   - name: shown in every output. Nil keeps Foundation's default.
  ///   - recorder: nil means ``TraceRecorder/default`` at the time of each event; with none, nothing is recorded.
  public init(
    name: String? = nil, maxConcurrentOperationCount: Int = OperationQueue.defaultMaxConcurrentOperationCount,
    recorder: TraceRecorder? = nil
  ) {
    explicitRecorder = recorder
    unretainedRecorder = recorder.map { Unmanaged.passUnretained($0) }
    super.init()
    if let name { super.name = name }
    super.maxConcurrentOperationCount = maxConcurrentOperationCount
    let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
    if let recorder = self.recorder, recorder.isRecording { _ = introduceQueue(recorder) }
    optrace_entry_end(isEntry)
  }

  deinit {
    guard let pointer = probe.pointer else { return }
    optrace_operation_event(pointer, EventKind.queueReleased.rawValue)
    optrace_operation_destroy(pointer)
  }

  /// The recorder of this queue at the moment.
  public final var recorder: TraceRecorder? { explicitRecorder ?? TraceRecorder.fallback }

  // MARK: Adding

  open override func addOperation(_ operation: Operation) {
    var probe: OperationProbe?
    if let unretainedRecorder {
      let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
      var adding = unretainedRecorder._withUnsafeGuaranteedRef { beginAdding(operation, &probe, $0) }
      optrace_entry_end(isEntry)
      super.addOperation(operation)
      optrace_adding_end(&adding)
    } else if let fallback = TraceRecorder.fallback {
      let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
      var adding = beginAdding(operation, &probe, fallback)
      optrace_entry_end(isEntry)
      super.addOperation(operation)
      optrace_adding_end(&adding)
    } else {
      super.addOperation(operation)
      probe = operation.ownProbe
    }
    askAgain(operation, probe)
  }

  /// `known`: knows whether the operation depends on others, for as long as the operation lives.
  private func beginAdding(
    _ operation: Operation, _ known: inout OperationProbe?, _ recorder: TraceRecorder
  ) -> optrace_adding {
    let added = probe.recordEnqueued(operation, on: self, recorder: recorder)
    known = added.entry.map { OperationProbe(hooked: $0) }
    return QueueProbe.beginAdding(added.serial, to: self, recorder: recorder)
  }

  open override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
    if let recorder {
      let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
      let first = probe.recordEnqueued(operations, on: self, recorder: recorder)
      optrace_entry_end(isEntry)
      var adding = QueueProbe.beginAdding(first, to: self, recorder: recorder)
      super.addOperations(operations, waitUntilFinished: false)
      optrace_adding_end(&adding)
    } else {
      super.addOperations(operations, waitUntilFinished: false)
    }
    for operation in operations { askAgain(operation, operation.ownProbe) }
    guard wait else { return }
    // The waits are for the operations, so that each is recorded as such.
    optrace_frame_waits(true)
    for operation in operations { operation.waitUntilFinished() }
    optrace_frame_waits(false)
  }

  open override func addOperation(_ block: @escaping @Sendable () -> Void) {
    let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
    add(TracedBlockOperation(block: block))
    optrace_entry_end(isEntry)
  }

  /// Adds a block with a name that all outputs show, and its source location.
  public func addOperation(
    named name: String, file: StaticString = #fileID, line: UInt = #line, _ block: @escaping @Sendable () -> Void
  ) {
    let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
    add(TracedBlockOperation(name: name, file: file, line: line, block: block))
    optrace_entry_end(isEntry)
  }

  private func add(_ operation: TracedBlockOperation) {
    // As Foundation does for the blocks that it wraps itself.
    let quality = qualityOfService
    if quality != .default { operation.qualityOfService = quality }
    addOperation(operation)
  }

  open override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    let isEntry = optrace_entry_begin(optrace_here(), optrace_caller())
    guard let recorder, recorder.isRecording, introduceQueue(recorder) != nil else {
      optrace_entry_end(isEntry)
      return super.addBarrierBlock(barrier)
    }
    let life = BarrierLife()
    let serial = optrace_barrier_add(
      recorder.core, life.probe.pointer, UInt64(RunCode.address(of: barrier)), address, probe.pointer)
    optrace_entry_end(isEntry)
    var adding = QueueProbe.beginAdding(serial, to: self, isBarrier: true, recorder: recorder)
    super.addBarrierBlock { life.run(barrier) }
    optrace_adding_end(&adding)
  }

  /// Foundation on Linux asks an operation whether it is ready while it is added, and keeps the answer. If the last
  /// dependency finishes between the two, the kept "no" is wrong and nobody asks again: the operation, and what waits
  /// for it, would never run. So operations with dependencies announce their readiness once more.
  private func askAgain(_ operation: Operation, _ probe: OperationProbe?) {
    #if !canImport(Darwin)
      let hasDependencies = probe?.has(OperationProbe.Bits.hasDependencies) ?? !operation.dependencies.isEmpty
      if hasDependencies, operation.isReady { operation.didChangeValue(forKey: "isReady") }
    #endif
  }

  // MARK: Control

  open override var maxConcurrentOperationCount: Int {
    get { super.maxConcurrentOperationCount }
    set {
      record(EventFields.LimitChanged(value: Int64(newValue)))
      probe.noteLimit(newValue)
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
      probe.noteName(newValue)
      guard let core = probe.core, let number = probe.knownNumber(core), let newValue else { return }
      UTF8Text.with(newValue) {
        optrace_emit_text(core, EventKind.queueRenamed.rawValue, number, 0, false, 0, $0, $1)
      }
    }
  }

  open override var qualityOfService: QualityOfService {
    get { super.qualityOfService }
    set {
      super.qualityOfService = newValue
      if probe.core != nil { record(EventFields.QueueQualityChanged(value: UInt64(newValue.traceValue))) }
    }
  }

  /// When set to the main queue, the operations run on the main thread.
  open override var underlyingQueue: DispatchQueue? {
    get { super.underlyingQueue }
    set {
      let wasMain = QueueReader.isMain(underlyingQueue)
      super.underlyingQueue = newValue
      let isMain = QueueReader.isMain(underlyingQueue)
      if probe.core != nil, isMain != wasMain { record(EventFields.QueueMainChanged(value: isMain ? 1 : 0)) }
    }
  }

  open override func cancelAllOperations() {
    record(.queueCancelledAll)
    super.cancelAllOperations()
  }

  open override func waitUntilAllOperationsAreFinished() {
    guard let recorder, recorder.isRecording, let number = introduceQueue(recorder) else {
      return super.waitUntilAllOperationsAreFinished()
    }
    optrace_wait_begin(recorder.core, number, true)
    optrace_frame_waits(true)
    super.waitUntilAllOperationsAreFinished()
    optrace_frame_waits(false)
    optrace_wait_end(recorder.core, number, true)
  }

  // MARK: Identity

  private func record(_ kind: EventKind) {
    if let recorder, recorder.isRecording, let number = introduceQueue(recorder) {
      optrace_emit1(recorder.core, kind.rawValue, number)
    }
  }

  private func record(_ fields: some EventWords) {
    if let recorder, recorder.isRecording, let number = introduceQueue(recorder) {
      fields.emit(to: recorder.core, about: number)
    }
  }

  private func introduceQueue(_ recorder: TraceRecorder) -> UInt32? { probe.number(of: self, in: recorder) }
}
