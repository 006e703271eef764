internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// An operation that carries a probe: all traced types.
protocol ProbedOperation: Operation {
  var probe: OperationProbe { get }
  var sourceLocation: SourceLocation? { get }
  /// `isAsynchronous`, without asking an override that may do anything.
  var isProbedAsAsynchronous: Bool { get }
  /// The address of the function that it runs instead of its class's own; 0: none is known.
  var code: UInt { get }
  /// Foundation's own `completionBlock`, past overrides: those are the program's code.
  var plainCompletion: CompletionBlocks.Block? { get set }
}

extension Operation {
  /// The operation as a probed one, if it is. By its class: asking for the protocol is a slower cast.
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
  /// Linux asks `isExecuting` right before `main()`, and `isFinished` before it tells anybody of the end, both on the
  /// thread that runs the operation. Inline: so `body` is no closure, which would count a use of the operation.
  @inline(__always) func probedStart(_ body: () -> Void) {
    guard noteStart() else { return body() }
    probe.run(body)
    noteReturn()
  }

  /// False: nothing of its running is told here.
  private func noteStart() -> Bool {
    // A subclass's own start has called ours.
    if probe.isToldByHooks { return false }
    guard attachToDefault() else {
      _ = probe.claim(OperationProbe.Bits.used)
      return false
    }
    let isWatched = optrace_run_start(
      probe.pointer,
      !probe.has(OperationProbe.Bits.ownExecuting)
        && optrace_object_is_starting(Unmanaged.passUnretained(self).toOpaque()))
    // Else nobody would notice its finish, and Foundation would be told "not yet" for good.
    if isWatched { _ = probe.claim(OperationProbe.Bits.watched) }
    return true
  }

  private func noteReturn() {
    // Not yet recorded: it was too deep in nested starts to be watched, or has not finished.
    if !probe.has(OperationProbe.Bits.finishRecorded), probe.claim(OperationProbe.Bits.finishRecorded), isFinished {
      probe.record(.finished)
    }
    optrace_run_return(probe.pointer)
  }

  /// Foundation's own answer, where it is known without asking.
  @inline(__always) private func own(_ question: Int) -> Bool? {
    let answer = optrace_own_answer(probe.pointer, Unmanaged.passUnretained(self).toOpaque(), UInt32(question))
    return Int(answer) == optrace_own_unknown ? nil : Int(answer) == optrace_own_yes
  }

  /// - Parameter ask: Foundation.
  @inline(__always) func noteExecuting(_ ask: () -> Bool) -> Bool {
    if probe.isSilent { return ask() }
    let value = own(optrace_own_executing) ?? ask()
    if value { noteExecuting() }
    return value
  }

  private func noteExecuting() {
    if !probe.isToldByHooks { optrace_run_begin(probe.pointer) }
  }

  /// A finish can be seen when it has been recorded and not before, as far as that is in our hands: Foundation's own
  /// state changes some instructions earlier, and whoever asks in between, from another thread, is told "not yet".
  /// Those who wait are woken after that.
  @inline(__always) func noteFinished(_ ask: () -> Bool) -> Bool {
    if probe.isOver { return true }
    if probe.isSilent { return ask() }
    return (own(optrace_own_finished) ?? ask()) && noteFinished()
  }

  private func noteFinished() -> Bool {
    if probe.has(OperationProbe.Bits.finishRecorded | OperationProbe.Bits.ownStart) { return true }
    if optrace_run_finish(probe.pointer) {
      _ = probe.claim(OperationProbe.Bits.finishRecorded | OperationProbe.Bits.over)
      noteCompletion()
      return true
    }
    // Asked again where it was watched: the finish may have been recorded meanwhile.
    return !probe.has(OperationProbe.Bits.watched) || probe.has(OperationProbe.Bits.finishRecorded)
  }

  /// Foundation asks on the thread that took away the last obstacle, perhaps under the queue's lock. Only turns to true
  /// are recorded: a program may ask as often as it likes. Where a subclass overrides `isReady`, this is a part of its answer
  /// only, and the hook in its place takes note of the whole.
  @inline(__always) func noteReady(_ value: Bool) -> Bool {
    if probe.isSilent || (value && probe.has(OperationProbe.Bits.ready)) { return value }
    return noteTurn(value)
  }

  private func noteTurn(_ value: Bool) -> Bool {
    if !probe.has(OperationProbe.Bits.ownReady),
      optrace_operation_turn(probe.pointer, OperationProbe.Bits.ready, value)
    {
      probe.record(.ready)
    }
    return value
  }

  /// The edge is recorded before Foundation hears of it: on Linux an operation that is made to depend on itself hangs
  /// in there. One that is not attached yet is described, edges and all, when it is; if that happened meanwhile, the
  /// edge is recorded afterwards, perhaps for the second time, which readers do not mind.
  func noteDependency(on operation: Operation, _ body: () -> Void) {
    _ = probe.claim(OperationProbe.Bits.hasDependencies)
    #if !canImport(Darwin)
      // No queue will ever be given it.
      if operation === self { attachForStart() }
    #endif
    let wasAttached = recordDependency(on: operation)
    body()
    if !wasAttached { _ = recordDependency(on: operation) }
  }

  private func recordDependency(on operation: Operation) -> Bool {
    guard let core = probe.core, let recorder = TraceRecorder.active(core) else { return false }
    recorder.recordDependency(of: probe.serial, on: recorder.introduce(operation))
    return true
  }

  /// No recorder has met it, and it depends on others.
  var isUnmetDependent: Bool { probe.has(OperationProbe.Bits.hasDependencies) && probe.owner == nil }

  func noteUnmet(name: String?, dependencies: [Operation]) {
    TraceRecorder.introduceReleased(self, name: name, probe: probe, dependencies: dependencies)
  }

  func noteDependencyRemoved(_ operation: Operation) {
    guard let core = probe.core, let recorder = TraceRecorder.active(core) else { return }
    probe.record(EventFields.DependencyRemoved(on: recorder.introduce(operation)))
  }

  func noteName(_ name: String?) {
    if let name { probe.record(.operationNamed, text: name) }
  }

  /// A wait for one that is over is told too, for whoever reads what a thread did. Not inside of another wait that is told,
  /// which goes through many operations: those that were over say nothing then, and nobody has to wait for them.
  func noteWait(_ body: () -> Void) {
    let isOneOfMany = optrace_frame_is_waiting()
    // A subclass may say something else of itself, and Foundation waits for that.
    if isOneOfMany, probe.isOver, isFinished { return }
    guard attachForWait(), !(isOneOfMany && isFinished) else { return body() }
    guard let core = probe.core else { return body() }
    let serial = probe.serial
    optrace_wait_begin(core, serial, false)
    optrace_frame_waits(true)
    body()
    optrace_frame_waits(false)
    // Foundation's own state has turned, and the thread that finishes it has not come to the record yet.
    if !probe.has(OperationProbe.Bits.finishRecorded) { probe.record(.finishSeen) }
    optrace_wait_end(core, serial, false)
  }

  /// Somebody may wait for an operation before it is added to a queue, and only then does it meet a recorder: who waits
  /// knows one, if the waiting thread runs an operation that is recorded.
  private func attachForWait() -> Bool {
    if !probe.isSilent { return true }
    guard probe.owner == nil else { return false }
    if let core = optrace_operation_owner(optrace_frame_current()), let recorder = TraceRecorder.active(core) {
      _ = recorder.introduce(self)
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

  /// For an operation that is run by hand. True when it records.
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
