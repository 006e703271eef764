internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Describing operations and queues at first sight.
extension TraceRecorder {
  /// How an operation comes into the trace.
  enum Sight {
    /// Another operation depends on it, or an event of the program's own belongs to it.
    case named
    /// It is given to a queue that is recorded.
    case enqueued
    /// It starts, or somebody waits for it.
    case started
    /// It goes on from a start that nobody saw.
    case running
  }

  /// The operation's number in this trace. At first sight it is described: class, name, source, and what it depends on,
  /// the operations that were never enqueued included. Takes no lock for traced types, unless a class is new.
  @discardableResult
  func introduce(_ operation: Operation, _ sight: Sight = .named) -> UInt32 {
    introduce(operation, probe(of: operation), sight)
  }

  private func introduce(_ operation: Operation, _ probe: OperationProbe?, _ sight: Sight) -> UInt32 {
    var none: Adding?
    return introduce(operation, probe, sight, &none)
  }

  /// `adding` is nil behind it where it stands in the description.
  private func introduce(
    _ operation: Operation, _ probe: OperationProbe?, _ sight: Sight, _ adding: inout Adding?
  ) -> UInt32 {
    var waiting: [(Operation, UInt32)] = []
    let serial = identify(operation, probe, sight, &waiting, &adding)
    describeDependencies(&waiting)
    return serial
  }

  /// A list and not a recursion: chains of dependencies may be long.
  private func describeDependencies(_ waiting: inout [(Operation, UInt32)]) {
    var none: Adding?
    while let (next, number) = waiting.popLast() {
      for dependency in next.dependencies {
        let target = identify(dependency, self.probe(of: dependency), .named, &waiting, &none)
        recordDependency(of: number, on: target)
      }
    }
  }

  /// In a chain the numbers follow each other.
  func recordDependency(of number: UInt32, on target: UInt32) {
    if target == number &- 1, target != 0 { return optrace_emit1(core, EventKind.dependsOnLast.rawValue, number) }
    optrace_emit2(core, EventKind.dependencyAdded.rawValue, number, UInt64(target))
  }

  /// That an operation is given to a queue: the second word of the record, and where the program does it.
  struct Adding {
    var word: UInt64
    var place: UInt32
  }

  /// An operation that was given to a queue.
  struct Enqueued {
    /// 0: it is not in the trace.
    var serial: UInt32
    /// What knows of it whether it depends on others; nil: it has to be asked.
    var probe: OperationProbe?
  }

  @inline(__always) private func adding(_ operation: Operation, to queue: UInt32, asksQuality: Bool) -> Adding {
    let priority = UInt64(UInt8(bitPattern: Int8(clamping: operation.queuePriority.rawValue)))
    let quality = asksQuality ? UInt64(operation.qualityOfService.traceValue) : 0
    return Adding(word: UInt64(queue) | priority << 32 | quality << 40, place: optrace_caller_place(core))
  }

  /// Records that an operation of ours is given to a queue, by its number, and describes it at first sight.
  func add(own operation: some ProbedOperation, _ facts: ClassFacts, to queue: UInt32) -> Enqueued {
    let probe = operation.probe
    // It knows that it was never set; to ask Foundation takes a lock.
    let adding = adding(operation, to: queue, asksQuality: probe.has(OperationProbe.Bits.quality))
    return Enqueued(serial: addOwn(operation, facts, adding), probe: probe)
  }

  /// The same of one that is not ours. One that no probe can follow is recorded in part.
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
    // The hooks ask for it.
    _ = probe.claim(OperationProbe.Bits.enqueued)
    return Enqueued(serial: open == nil ? serial : record(adding, of: serial), probe: nil)
  }

  /// Whether one record describes an operation that is not ours without asking it: nothing has been done with it, its class has no answers
  /// of its own, and where it was made is not told.
  private func isUntouched(_ operation: Operation, _ facts: ClassFacts) -> Bool {
    !facts.answersItself && facts.readiness == .inherited && !optrace_wants_makers()
      && optrace_object_is_untouched(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// Nearly every operation that is not ours comes this way. Nil where another thread was faster.
  private func addUntouched(_ facts: ClassFacts, _ probe: OperationProbe, _ adding: Adding) -> UInt32? {
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    guard optrace_operation_attach(probe.pointer, serial) else { return nil }
    // The hooks ask for these.
    _ = probe.claim(OperationProbe.Bits.enqueued | OperationProbe.Bits.ready | facts.marks)
    let word = createdWord(facts, coverage: .full, isAsynchronous: facts.runsItself)
    optrace_emit_added(core, EventKind.added.rawValue, serial, word, adding.word, probe.pointer, adding.place)
    optrace_operation_publish(probe.pointer, core)
    return serial
  }

  /// The same of one that is asked. Nobody has met it yet.
  private func addUnmet(
    _ operation: Operation, _ facts: ClassFacts, _ probe: OperationProbe, _ adding: Adding
  ) -> UInt32? {
    let appearance = appearance(ofForeign: operation, .enqueued)
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    guard optrace_operation_attach(probe.pointer, serial) else { return nil }
    // The hooks ask for it.
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

  /// The number is that of the operation; 0: it has none.
  private func record(_ adding: Adding, of serial: UInt32, isReady: Bool = false) -> UInt32 {
    if serial != 0 {
      let kind = isReady ? EventKind.enqueuedReady : .enqueued
      optrace_emit2_at(core, kind.rawValue, serial, adding.word, adding.place)
    }
    return serial
  }

  /// Nearly every operation comes this way: one of ours, with which nothing has been done yet, as it knows itself.
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
    // The program's code, so it is asked before others wait for the description.
    let name = operation.name
    let dependencies = probe.has(OperationProbe.Bits.hasDependencies) ? operation.dependencies : []
    let serial = optrace_recorder_next_serial(core)
    guard serial != 0 else { return 0 }
    // Else another thread was faster.
    guard optrace_operation_attach(probe.pointer, serial) else {
      return record(adding, of: introduce(operation, probe, .enqueued))
    }
    // The hooks ask for it.
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
    // It waits for nothing, and nobody but Foundation says so: who asks later is told nothing new.
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

  /// Whether it is the one operation that has the number before.
  private func isLast(_ dependencies: [Operation], before serial: UInt32) -> Bool {
    guard dependencies.count == 1, let probe = dependencies.first?.ownProbe else { return false }
    let number = optrace_operation_known(probe.pointer, core)
    return number != 0 && number == serial - 1
  }

  /// What follows the operation: the probe that it carries, or the one that the hooks keep for it.
  func probe(of operation: Operation) -> OperationProbe? {
    operation.ownProbe ?? probeOfForeign(operation)
  }

  /// The same of one that is not ours.
  private func probeOfForeign(_ operation: Operation) -> OperationProbe? {
    guard HookUse.isInUse(by: self) else { return nil }
    #if canImport(Darwin)
      return OperationObserver.of(operation).probe
    #else
      return optrace_object_know(Unmanaged.passUnretained(operation).toOpaque(), false).map {
        OperationProbe(hooked: $0)
      }
    #endif
  }

  private func identify(
    _ operation: Operation, _ probe: OperationProbe?, _ sight: Sight, _ described: inout [(Operation, UInt32)],
    _ adding: inout Adding?
  ) -> UInt32 {
    guard let probe, probe.pointer != nil else {
      return identifyForeign(operation)
    }
    if probe.owner == nil {
      let appearance = appearance(of: operation, sight)
      let serial = optrace_recorder_next_serial(core)
      guard serial != 0 else { return 0 }
      if optrace_operation_attach(probe.pointer, serial) {
        describe(operation, appearance, probe, sight, &described, &adding)
        return serial
      }
      // Another thread was faster.
    }
    guard probe.owner == core else { return identifyForeign(operation) }
    if sight != .named, probe.has(OperationProbe.Bits.external),
      optrace_operation_release(probe.pointer, OperationProbe.Bits.external)
    {
      describe(operation, appearance(of: operation, sight), probe, sight, &described, &adding)
    } else if sight == .running {
      describeInPart(operation, probe)
    }
    return probe.serial
  }

  /// Of one that was thought to be seen from its start on: it has started, and nobody saw that.
  private func describeInPart(_ operation: Operation, _ probe: OperationProbe) {
    let isAsynchronous = operation.probed?.isProbedAsAsynchronous ?? (operation.isAsynchronous || runsItself(operation))
    guard probe.claim(OperationProbe.Bits.partial) else { return }
    describe(
      facts(of: operation), name: nil, serial: probe.serial, coverage: .partial, isAsynchronous: isAsynchronous,
      probe: probe, location: nil)
  }

  /// What an operation answers. That is the program's code, which may take locks and use other operations, or this one:
  /// it is asked before others wait for the description.
  private struct Appearance: ~Copyable {
    var isOurs = true
    var name: String?
    var location: SourceLocation?
    var isFinished = false
    var isExecuting = false
    var isCancelled = false
    var isAsynchronous = false
    var hasDependencies = false

    /// Nothing has been done with it, and it waits for nothing.
    var isFresh: Bool { !isFinished && !isExecuting && !isCancelled && !hasDependencies }
  }

  private func appearance(of operation: Operation, _ sight: Sight) -> Appearance {
    guard let probed = operation.probed else { return appearance(ofForeign: operation, sight) }
    var appearance = Appearance()
    // One of ours knows of itself that nothing has been done with it.
    if sight != .enqueued || probed.probe.has(OperationProbe.Bits.used) {
      appearance.isFinished = operation.isFinished
      appearance.isExecuting = operation.isExecuting
      appearance.isCancelled = operation.isCancelled
    }
    appearance.isAsynchronous = probed.isProbedAsAsynchronous
    appearance.location = probed.sourceLocation
    appearance.name = operation.name
    return appearance
  }

  @inline(__always) private func appearance(ofForeign operation: Operation, _ sight: Sight) -> Appearance {
    var appearance = Appearance()
    // A program may hold the lock of its getters while it adds the operation or makes another one depend on it: it is
    // not asked where Foundation asks neither of these.
    if !((sight == .enqueued || sight == .named) && isUnused(operation)) {
      appearance.isFinished = operation.isFinished
      appearance.isExecuting = operation.isExecuting
    }
    appearance.isOurs = false
    appearance.isCancelled = operation.isCancelled
    appearance.isAsynchronous = operation.isAsynchronous
    appearance.hasDependencies = !operation.dependencies.isEmpty
    appearance.name = operation.name
    return appearance
  }

  /// Describes an operation that is attached, and lets its events through. Calls nothing of the program's.
  private func describe(
    _ operation: Operation, _ appearance: borrowing Appearance, _ probe: OperationProbe, _ sight: Sight,
    _ described: inout [(Operation, UInt32)], _ adding: inout Adding?
  ) {
    let facts = facts(of: operation)
    if facts.marks != 0 { _ = probe.claim(facts.marks) }
    let serial = probe.serial
    // What began before it met a recorder was not seen, and its absence proves nothing.
    let isOver = appearance.isFinished
    var coverage = isOver || appearance.isExecuting || sight == .running ? Coverage.partial : facts.coverage
    if !appearance.isOurs { coverage = max(coverage, self.coverage(ofForeign: operation, sight)) }
    if coverage == .partial { _ = probe.claim(OperationProbe.Bits.partial) }
    let isAsynchronous = appearance.isAsynchronous || !appearance.isOurs && facts.runsItself
    let waits = appearance.isOurs ? probe.has(OperationProbe.Bits.hasDependencies) : appearance.hasDependencies
    if let open = adding, coverage == .full, !waits, !appearance.isCancelled,
      describe(.added, facts, appearance.name, appearance.location, serial, isAsynchronous, probe, open)
    {
      adding = nil
      optrace_operation_publish(probe.pointer, core)
      return
    }
    describe(
      facts, name: appearance.name, serial: serial, coverage: coverage, isAsynchronous: isAsynchronous,
      probe: probe, location: appearance.location)
    if appearance.isCancelled { optrace_emit1(core, EventKind.cancelRequested.rawValue, serial) }
    if isOver {
      _ = probe.claim(OperationProbe.Bits.finishRecorded)
      optrace_emit1(core, EventKind.finished.rawValue, serial)
    }
    if coverage == .external {
      _ = probe.claim(OperationProbe.Bits.external)
    } else if waits {
      described.append((operation, serial))
    }
    optrace_operation_publish(probe.pointer, core)
  }

  /// Many a class that is asynchronous does not say so: a queue does not ask.
  private func runsItself(_ operation: Operation) -> Bool {
    optrace_object_runs_itself(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// Whether Foundation knows of no use of it. False too where that cannot be told.
  private func isUnused(_ operation: Operation) -> Bool {
    optrace_object_is_unused(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// How fully an operation that is not ours will be seen.
  private func coverage(ofForeign operation: Operation, _ sight: Sight) -> Coverage {
    guard HookUse.tellsUnused, watchesEverything else {
      // Only what the traced queues are given is followed from there on.
      return sight == .enqueued ? .full : sight == .named ? .external : .partial
    }
    // In a queue, or started, before anybody looked: that was not seen.
    if sight == .running { return .partial }
    if sight == .enqueued || isUnused(operation) { return .full }
    return .partial
  }

  /// Describes an operation together with its adding, as a record of this kind. False where one record does not hold that: it has a
  /// name, or where it was made is wanted, which stands behind a record of its own; or it says itself when it is ready.
  @inline(__always) private func describe(
    _ kind: EventKind, _ facts: ClassFacts, _ name: String?, _ location: SourceLocation?, _ serial: UInt32,
    _ isAsynchronous: Bool, _ probe: OperationProbe, _ adding: Adding
  ) -> Bool {
    guard name == nil, location == nil, kind != .added || facts.readiness == .inherited else { return false }
    if optrace_wants_makers(), optrace_operation_has_maker(probe.pointer, core) { return false }
    // Who asks whether it is ready is told nothing new.
    if kind == .added { _ = probe.claim(OperationProbe.Bits.ready) }
    let word = createdWord(facts, coverage: .full, isAsynchronous: isAsynchronous)
    optrace_emit_added(core, kind.rawValue, serial, word, adding.word, probe.pointer, adding.place)
    return true
  }

  /// The second word of `created`, without an age.
  private func createdWord(_ facts: ClassFacts, coverage: Coverage, isAsynchronous: Bool) -> UInt64 {
    let flags: UInt64 =
      (isAsynchronous || facts.isAsynchronous ? 1 << 20 : 0) | (facts.readiness == .inherited ? 0 : 1 << 21)
    return UInt64(facts.name) | UInt64(coverage.rawValue) << 16 | flags
  }

  func describe(
    _ facts: ClassFacts, name: String?, serial: UInt32, coverage: Coverage, isAsynchronous: Bool,
    probe: OperationProbe?,
    location: SourceLocation?
  ) {
    optrace_emit_created(
      core, serial, createdWord(facts, coverage: coverage, isAsynchronous: isAsynchronous), probe?.pointer)
    if name != nil || location != nil {
      let source = location.map { interner.id(of: $0) } ?? 0
      UTF8Text.with(name ?? "") {
        optrace_emit_text(core, EventKind.operationNamed.rawValue, serial, source, false, 0, $0, $1)
      }
    }
  }
}
