internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Describing operations and queues at first sight. A second time beside `describe/introduce.c`, which reads objects
/// without Swift, on Linux alone; ours know more of themselves.
extension TraceRecorder {
  /// How an operation comes into the trace.
  enum Sight {
    /// Another operation depends on it, or one of the program's own events belongs to it.
    case named
    /// It is given to a queue that is recorded.
    case enqueued
    /// It starts, or somebody waits for it.
    case started
    /// It runs, and its start was not seen.
    case running
  }

  /// The operation's number in this trace. At first sight it is described: class, name, source location and
  /// dependencies, including operations that were never enqueued. Takes no lock for traced types, unless a class is
  /// new.
  @discardableResult
  func introduce(_ operation: Operation, _ sight: Sight = .named) -> UInt32 {
    introduce(operation, probe(of: operation), sight)
  }

  func introduce(_ operation: Operation, _ probe: OperationProbe?, _ sight: Sight) -> UInt32 {
    var none: Adding?
    return introduce(operation, probe, sight, &none)
  }

  /// `adding` is nil afterwards if the description contains it.
  func introduce(
    _ operation: Operation, _ probe: OperationProbe?, _ sight: Sight, _ adding: inout Adding?
  ) -> UInt32 {
    var waiting: [(Operation, UInt32)] = []
    let serial = identify(operation, probe, sight, &waiting, &adding)
    describeDependencies(&waiting)
    return serial
  }

  /// A list and not a recursion: chains of dependencies may be long.
  func describeDependencies(_ waiting: inout [(Operation, UInt32)]) {
    var none: Adding?
    while let (next, number) = waiting.popLast() {
      for dependency in next.dependencies {
        let target = identify(dependency, self.probe(of: dependency), .named, &waiting, &none)
        recordDependency(of: number, on: target)
      }
    }
  }

  /// In a chain the numbers are consecutive.
  func recordDependency(of number: UInt32, on target: UInt32) {
    if target == number &- 1, target != 0 { return optrace_emit1(core, EventKind.dependsOnLast.rawValue, number) }
    EventFields.DependencyAdded(on: target).emit(to: core, about: number)
  }

  /// The probe that follows the operation: the one it carries, or the one that the hooks keep for it.
  func probe(of operation: Operation) -> OperationProbe? {
    operation.ownProbe ?? probeOfForeign(operation)
  }

  /// The same for an operation that is not ours.
  func probeOfForeign(_ operation: Operation) -> OperationProbe? {
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

  /// For an operation that should have been seen from its start on, but has started unseen.
  private func describeInPart(_ operation: Operation, _ probe: OperationProbe) {
    let isAsynchronous = operation.probed?.isProbedAsAsynchronous ?? (operation.isAsynchronous || runsItself(operation))
    guard probe.claim(OperationProbe.Bits.partial) else { return }
    describe(
      facts(of: operation), name: nil, serial: probe.serial, coverage: .partial, isAsynchronous: isAsynchronous,
      probe: probe, location: nil)
  }

  /// What an operation answers. That is the program's code, which may take locks and use other operations, or this one:
  /// it is called before others wait for the description.
  struct Appearance: ~Copyable {
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
    // One of ours knows itself that nothing has been done with it.
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

  @inline(__always) func appearance(ofForeign operation: Operation, _ sight: Sight) -> Appearance {
    var appearance = Appearance()
    // A program may hold the lock of its getters while it adds the operation, or makes another one depend on it. So
    // they are not called where Foundation calls neither.
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

  /// Describes an operation that is attached, and lets its events through. Calls none of the program's code.
  func describe(
    _ operation: Operation, _ appearance: borrowing Appearance, _ probe: OperationProbe, _ sight: Sight,
    _ described: inout [(Operation, UInt32)], _ adding: inout Adding?
  ) {
    let facts = facts(of: operation)
    if facts.marks != 0 { _ = probe.claim(facts.marks) }
    let serial = probe.serial
    // What happened before it met a recorder was not seen, so its absence proves nothing.
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
      _ = probe.claim(OperationProbe.Bits.finishWritten)
    }
    if coverage == .external {
      _ = probe.claim(OperationProbe.Bits.external)
    } else if waits {
      described.append((operation, serial))
    }
    optrace_operation_publish(probe.pointer, core)
  }

  /// Many asynchronous classes do not say that they are, because no queue asks.
  private func runsItself(_ operation: Operation) -> Bool {
    optrace_object_runs_itself(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// Whether Foundation knows of no use of it. False also if that is not known.
  private func isUnused(_ operation: Operation) -> Bool {
    optrace_object_is_unused(Unmanaged.passUnretained(operation).toOpaque())
  }

  /// How fully an operation that is not ours will be seen.
  private func coverage(ofForeign operation: Operation, _ sight: Sight) -> Coverage {
    guard HookUse.knowsUnused, watchesEverything else {
      // Only what traced queues are given is followed from there on.
      return sight == .enqueued ? .full : sight == .named ? .external : .partial
    }
    // It was in a queue, or started, before anybody recorded it.
    if sight == .running { return .partial }
    if sight == .enqueued || isUnused(operation) { return .full }
    return .partial
  }

  /// The second word of `created`, without an age.
  func createdWord(_ facts: ClassFacts, coverage: Coverage, isAsynchronous: Bool) -> UInt64 {
    EventFields.OperationCreated(
      class: facts.name, coverage: coverage.rawValue, async: isAsynchronous || facts.isAsynchronous,
      ownReady: facts.readiness != .inherited, age: 0
    ).word1
  }

  func describe(
    _ facts: ClassFacts, name: String?, serial: UInt32, coverage: Coverage, isAsynchronous: Bool,
    probe: OperationProbe?,
    location: SourceLocation?
  ) {
    optrace_emit_created(
      core, serial, createdWord(facts, coverage: coverage, isAsynchronous: isAsynchronous), probe?.pointer)
    if name != nil || location != nil {
      let fields = EventFields.OperationNamed(source: location.map { id(of: $0) } ?? 0)
      UTF8Text.with(name ?? "") {
        optrace_emit_text(core, EventKind.operationNamed.rawValue, serial, fields.high, false, 0, $0, $1)
      }
    }
  }
}
