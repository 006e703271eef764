internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// An operation that carries a probe: all traced types.
protocol ProbedOperation: Operation {
  var probe: OperationProbe { get }
  var sourceLocation: SourceLocation? { get }
  /// `isAsynchronous`, without calling an override that may do anything.
  var isProbedAsAsynchronous: Bool { get }
  /// The address of the function that it runs instead of its class's own; 0: none is known.
  var code: UInt { get }
  /// Foundation's own `completionBlock`, past overrides: those are the program's code.
  var plainCompletion: CompletionBlocks.Block? { get set }
}

extension Operation {
  /// The operation as a probed one, if it is one. Checked by its class: a cast to the protocol is slower.
  var probed: (any ProbedOperation)? { self as? TracedOperation ?? (self as? TracedBlockOperation) }
}

extension Operation {
  /// The probe that it carries, if it is one of ours.
  var ownProbe: OperationProbe? {
    if let operation = self as? TracedOperation { return operation.probe }
    return (self as? TracedBlockOperation)?.probe
  }
}

// MARK: - The overrides' bodies

extension ProbedOperation {
  /// Runs `body`, which is Foundation's `start()`, and notices when the operation's code begins and ends: Foundation on
  /// Linux calls `isExecuting` right before `main()`, and `isFinished` before it notifies anybody of the end, both on
  /// the thread that runs the operation. Inline, so that `body` is no closure, which would retain the operation.
  @inline(__always) func probedStart(_ body: () -> Void) {
    guard noteStart() else { return body() }
    probe.run(body)
    noteReturn()
  }

  /// False: its run is not recorded here.
  private func noteStart() -> Bool {
    // A subclass's own start has called ours.
    if probe.isRecordedByHooks { return false }
    guard attachToDefault() else {
      _ = probe.claim(OperationProbe.Bits.used)
      return false
    }
    let isWatched = optrace_run_start(
      probe.pointer,
      !probe.has(OperationProbe.Bits.ownExecuting)
        && optrace_object_is_starting(Unmanaged.passUnretained(self).toOpaque()))
    // Otherwise its finish would not be noticed, and Foundation would get "not yet" for good.
    if isWatched { _ = probe.claim(OperationProbe.Bits.watched) }
    return true
  }

  private func noteReturn() {
    // Not yet recorded: it was nested too deep in other starts, or has not finished.
    if !probe.has(OperationProbe.Bits.finishRecorded), probe.claim(OperationProbe.Bits.finishRecorded), isFinished {
      probe.record(.finished)
      _ = probe.claim(OperationProbe.Bits.finishWritten)
    }
    optrace_run_return(probe.pointer)
  }

  /// Foundation's own answer, if it is known without a call.
  @inline(__always) private func own(_ question: Int) -> Bool? {
    let answer = optrace_own_answer(probe.pointer, Unmanaged.passUnretained(self).toOpaque(), UInt32(question))
    return Int(answer) == optrace_own_unknown ? nil : Int(answer) == optrace_own_yes
  }

  /// - Parameter ask: calls Foundation.
  @inline(__always) func noteExecuting(_ ask: () -> Bool) -> Bool {
    if probe.isSilent { return ask() }
    let value = own(optrace_own_executing) ?? ask()
    if value { noteExecuting() }
    return value
  }

  private func noteExecuting() {
    if !probe.isRecordedByHooks { optrace_run_begin(probe.pointer) }
  }

  /// A finish becomes visible only after it has been recorded, as far as that is up to us: Foundation's own state
  /// changes a few instructions earlier, and another thread that asks in between gets "not yet". Waiters are woken
  /// after that.
  @inline(__always) func noteFinished(_ ask: () -> Bool) -> Bool {
    if probe.isOver { return true }
    if probe.isSilent { return ask() }
    return (own(optrace_own_finished) ?? ask()) && noteFinished()
  }

  private func noteFinished() -> Bool {
    if probe.has(OperationProbe.Bits.finishRecorded | OperationProbe.Bits.ownStart) { return true }
    if optrace_run_finish(probe.pointer) {
      _ = probe.claim(
        OperationProbe.Bits.finishRecorded | OperationProbe.Bits.finishWritten | OperationProbe.Bits.over)
      noteCompletion()
      return true
    }
    // Checked again if it is watched: the finish may have been recorded meanwhile.
    return !probe.has(OperationProbe.Bits.watched) || probe.has(OperationProbe.Bits.finishRecorded)
  }

  /// Foundation calls this on the thread that removed the last obstacle, perhaps under the queue's lock. Only changes
  /// to true are recorded: a program may ask as often as it likes. If a subclass overrides `isReady`, this is only a
  /// part of its answer, and the hook there records the whole.
  @inline(__always) func noteReady(_ answer: () -> Bool) -> Bool {
    let value = answer()
    if probe.isSilent || probe.has(OperationProbe.Bits.ready) == value { return value }
    // Another thread may have recorded that it is ready since this one asked. Then the old answer must not undo that.
    if value || !answer() { noteTurn(value) }
    return value
  }

  private func noteTurn(_ value: Bool) {
    if !probe.has(OperationProbe.Bits.ownReady),
      optrace_operation_turn(probe.pointer, OperationProbe.Bits.ready, value)
    {
      probe.record(.ready)
    }
  }

  /// The dependency is recorded before Foundation gets it: on Linux an operation that is made to depend on itself hangs
  /// there. An operation that is not attached yet is described later, with its dependencies; if that happened
  /// meanwhile, the dependency is recorded afterwards, perhaps twice, which readers accept.
  func noteDependency(on operation: Operation, _ body: () -> Void) {
    _ = probe.claim(OperationProbe.Bits.hasDependencies)
    #if !canImport(Darwin)
      // No queue will ever get it.
      if operation === self { attachForStart() }
    #endif
    let wasAttached = recordDependency(on: operation)
    body()
    if !wasAttached { _ = recordDependency(on: operation) }
  }

  private func recordDependency(on operation: Operation) -> Bool {
    guard let core = probe.core, optrace_recorder_is_recording(core) else { return false }
    optrace_dependency_changes(probe.pointer, operation.address, true)
    return true
  }

  /// No recorder has met it, and it depends on others.
  var isUnmetDependent: Bool { probe.has(OperationProbe.Bits.hasDependencies) && probe.owner == nil }

  /// The operation itself is not asked: parts of it may be gone.
  func noteUnmet(name: String?, dependencies: [Operation]) {
    #if !canImport(Darwin)
      let pointers = dependencies.map { Optional($0.address) }
      withExtendedLifetime(dependencies) {
        guard var name else { return optrace_released_unmet(address, probe.pointer, nil, 0, pointers, pointers.count) }
        name.withUTF8 {
          optrace_released_unmet(address, probe.pointer, $0.baseAddress, $0.count, pointers, pointers.count)
        }
      }
    #endif
  }

  func noteDependencyRemoved(_ operation: Operation) {
    optrace_dependency_changes(probe.pointer, operation.address, false)
  }

  func noteName(_ name: String?) {
    if let name { probe.record(.operationNamed, text: name) }
  }

  /// A wait for a finished operation is recorded, too, for readers who want to know what a thread did. But not inside
  /// of another recorded wait, which goes through many operations: finished ones say nothing there, and nobody has to
  /// wait for them.
  func noteWait(_ body: () -> Void) {
    let isOneOfMany = optrace_frame_is_waiting()
    // A subclass may answer something else, and that is what Foundation waits for.
    if isOneOfMany, probe.isOver, isFinished { return }
    guard attachForWait(), !(isOneOfMany && isFinished) else { return body() }
    guard let core = probe.core else { return body() }
    let serial = probe.serial
    optrace_wait_begin(core, serial, false)
    optrace_frame_waits(true)
    body()
    optrace_frame_waits(false)
    // Foundation's own state, or that of a class with states of its own, has changed, and the finishing thread has not
    // written the record yet.
    if !probe.has(OperationProbe.Bits.finishWritten) { probe.record(.finishSeen) }
    optrace_wait_end(core, serial, false)
  }

  /// An operation may be waited for before it is added to a queue and meets a recorder. Then the waiting thread's
  /// recorder is used, if it runs an operation that is recorded.
  private func attachForWait() -> Bool {
    if !probe.isSilent { return true }
    guard probe.owner == nil else { return false }
    if let core = optrace_operation_owner(optrace_frame_current()), optrace_recorder_is_recording(core) {
      optrace_introduce(core, address, optrace_sight_named)
      return !probe.isSilent
    }
    return attachToDefault()
  }

  func noteCancel() {
    _ = probe.claim(OperationProbe.Bits.used)
    probe.record(.cancelRequested)
  }

  func attachForStart() {
    if !attachToDefault() { _ = probe.claim(OperationProbe.Bits.used) }
  }

  /// For an operation that is run by hand. True: it records.
  @inline(__always) private func attachToDefault() -> Bool {
    if !probe.isSilent { return true }
    if optrace_nobody_records() { return false }
    return introduceToDefault()
  }

  private func introduceToDefault() -> Bool {
    guard let recorder = TraceRecorder.fallback, recorder.isRecording else { return false }
    _ = recorder.introduce(self)
    return !probe.isSilent
  }
}
