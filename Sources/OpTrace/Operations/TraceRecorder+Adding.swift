internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Operations that are given to queues: described and added in one record where possible. A second time beside
/// `describe/adding.c`, for the same reason as `TraceRecorder+Introduce.swift`.
extension TraceRecorder {
  /// An operation is given to a queue: the second word of the record, and the stack of the program's code that does it.
  struct Adding {
    var word: UInt64
    var stack: UInt32
  }

  /// An operation that was given to a queue.
  struct Enqueued {
    /// 0: it is not in the trace.
    var serial: UInt32
    /// Knows whether the operation depends on others; nil: the operation has to be asked.
    var probe: OperationProbe?
  }

  @inline(__always) private func adding(_ operation: Operation, to queue: UInt32, asksQuality: Bool) -> Adding {
    let fields = EventFields.Enqueued(
      queue: queue, priority: Int8(clamping: operation.queuePriority.rawValue),
      qos: asksQuality ? operation.qualityOfService.traceValue : 0, barrier: false)
    return Adding(word: fields.word1, stack: optrace_caller_stack(core))
  }

  /// Records that an operation of ours is given to a queue, and describes it at first sight. Returns its number.
  func add(own operation: some ProbedOperation, _ facts: ClassFacts, to queue: UInt32) -> Enqueued {
    let probe = operation.probe
    // It knows if it was never set; to ask Foundation takes a lock.
    let adding = adding(operation, to: queue, asksQuality: probe.has(OperationProbe.Bits.quality))
    return Enqueued(serial: addOwn(operation, facts, adding), probe: probe)
  }

  /// The same for one that is not ours. If no probe can follow it, it is recorded in part.
  func add(_ operation: Operation, _ facts: ClassFacts, to queue: UInt32) -> Enqueued {
    let isUntouched = isUntouched(operation, facts)
    let adding = adding(operation, to: queue, asksQuality: !isUntouched)
    guard let probe = probeOfForeign(operation), probe.owner == nil || probe.owner == core else {
      return Enqueued(serial: record(adding, of: enqueueForeign(operation)), probe: nil)
    }
    if probe.owner == nil {
      let serial = isUntouched ? addUntouched(facts, probe, adding) : addUnmet(operation, facts, probe, adding)
      if let serial { return Enqueued(serial: serial, probe: probe) }
    }
    var open: Adding? = adding
    let serial = introduce(operation, probe, .enqueued, &open)
    // The hooks check it.
    _ = probe.claim(OperationProbe.Bits.enqueued)
    return Enqueued(serial: open == nil ? serial : record(adding, of: serial), probe: nil)
  }

  /// Whether one record describes an operation that is not ours without asking it: nothing has been done with it, its
  /// class overrides none of the getters, and its creation site is not recorded.
  private func isUntouched(_ operation: Operation, _ facts: ClassFacts) -> Bool {
    !facts.answersItself && facts.readiness == .inherited && !optrace_wants_makers()
      && optrace_object_is_untouched(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// The path of nearly every operation that is not ours. Nil: another thread was faster.
  private func addUntouched(_ facts: ClassFacts, _ probe: OperationProbe, _ adding: Adding) -> UInt32? {
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    guard optrace_operation_attach(probe.pointer, serial) else { return nil }
    // The hooks check these.
    _ = probe.claim(OperationProbe.Bits.enqueued | OperationProbe.Bits.ready | facts.marks)
    let word = createdWord(facts, coverage: .full, isAsynchronous: facts.runsItself)
    optrace_emit_added(core, EventKind.added.rawValue, serial, word, adding.word, probe.pointer, adding.stack)
    optrace_operation_publish(probe.pointer, core)
    return serial
  }

  /// The same for one that has to be asked. No recorder has met it yet.
  private func addUnmet(
    _ operation: Operation, _ facts: ClassFacts, _ probe: OperationProbe, _ adding: Adding
  ) -> UInt32? {
    let appearance = appearance(ofForeign: operation, .enqueued)
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    guard optrace_operation_attach(probe.pointer, serial) else { return nil }
    // The hooks check it.
    var bits = OperationProbe.Bits.enqueued | facts.marks
    if appearance.hasDependencies { bits |= OperationProbe.Bits.hasDependencies }
    _ = probe.claim(bits)
    if appearance.isFresh, facts.coverage == .full,
      describe(
        .added, facts, appearance.name, nil, serial, appearance.isAsynchronous || facts.runsItself, probe, adding)
    {
      optrace_operation_publish(probe.pointer, core)
      return serial
    }
    var open: Adding? = adding
    var described: [(Operation, UInt32)] = []
    describe(operation, appearance, probe, .enqueued, &described, &open)
    if appearance.hasDependencies { describeDependencies(&described) }
    return open == nil ? serial : record(adding, of: serial)
  }

  /// Returns the operation's number; 0: it has none.
  private func record(_ adding: Adding, of serial: UInt32, isReady: Bool = false) -> UInt32 {
    if serial != 0 {
      let kind = isReady ? EventKind.enqueuedReady : .enqueued
      optrace_emit2_at(core, kind.rawValue, serial, adding.word, adding.stack)
    }
    return serial
  }

  /// The path of nearly every operation: one of ours that has not been used yet, as it knows itself.
  @inline(__always) private func addOwn(
    _ operation: some ProbedOperation, _ facts: ClassFacts, _ adding: Adding
  ) -> UInt32 {
    let probe = operation.probe
    guard probe.pointer != nil, probe.owner == nil, !probe.has(OperationProbe.Bits.used) else {
      guard probe.owner == nil || probe.owner == core else { return record(adding, of: enqueueForeign(operation)) }
      let serial = introduce(operation, probe, .enqueued)
      if probe.has(OperationProbe.Bits.ownStart) { _ = probe.claim(OperationProbe.Bits.enqueued) }
      return record(adding, of: serial)
    }
    // The program's code, so it is called before others wait for the description.
    let name = operation.name
    let dependencies = probe.has(OperationProbe.Bits.hasDependencies) ? operation.dependencies : []
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    // If not, another thread was faster.
    guard optrace_operation_attach(probe.pointer, serial) else {
      return record(adding, of: introduce(operation, probe, .enqueued))
    }
    // The hooks check it.
    let marks = facts.marks | (facts.running == .hooked ? OperationProbe.Bits.enqueued : 0)
    if marks != 0 { _ = probe.claim(marks) }
    let waits = probe.has(OperationProbe.Bits.hasDependencies)
    let isAsynchronous = operation.isProbedAsAsynchronous
    let location = operation.sourceLocation
    let kind: EventKind? = !waits ? .added : isLast(dependencies, before: serial) ? .addedBehindLast : nil
    if let kind, facts.coverage == .full,
      describe(kind, facts, name, location, serial, isAsynchronous, probe, adding)
    {
      optrace_operation_publish(probe.pointer, core)
      return serial
    }
    // It waits for nothing, and only Foundation decides that: later calls of `isReady` say nothing new.
    let isReady = facts.readiness == .inherited && !waits
    if isReady { _ = probe.claim(OperationProbe.Bits.ready) }
    describe(
      facts, name: name, serial: serial, coverage: facts.coverage, isAsynchronous: isAsynchronous, probe: probe,
      location: location)
    optrace_operation_publish(probe.pointer, core)
    if waits {
      var described: [(Operation, UInt32)] = [(operation, serial)]
      describeDependencies(&described)
    }
    return record(adding, of: serial, isReady: isReady)
  }

  /// Whether the only dependency is the operation with the previous number.
  private func isLast(_ dependencies: [Operation], before serial: UInt32) -> Bool {
    guard dependencies.count == 1, let probe = dependencies.first?.ownProbe else { return false }
    let number = optrace_operation_known(probe.pointer, core)
    return number != 0 && number == serial - 1
  }

  /// Describes an operation and its adding in one record of this kind. False if one record does not hold it: it has a
  /// name, or its creation site is wanted, which follows a record of its own; or it decides itself when it is ready.
  @inline(__always) func describe(
    _ kind: EventKind, _ facts: ClassFacts, _ name: String?, _ location: SourceLocation?, _ serial: UInt32,
    _ isAsynchronous: Bool, _ probe: OperationProbe, _ adding: Adding
  ) -> Bool {
    guard name == nil, location == nil, kind != .added || facts.readiness == .inherited else { return false }
    if optrace_wants_makers(), optrace_operation_has_maker(probe.pointer, core) { return false }
    // Later calls of `isReady` say nothing new.
    if kind == .added { _ = probe.claim(OperationProbe.Bits.ready) }
    let word = createdWord(facts, coverage: .full, isAsynchronous: isAsynchronous)
    optrace_emit_added(core, kind.rawValue, serial, word, adding.word, probe.pointer, adding.stack)
    return true
  }
}
