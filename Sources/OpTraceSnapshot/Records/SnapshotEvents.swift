import COpTrace
import OpTraceFormat
package import OpTraceModel

extension Snapshot {
  /// The snapshot as events of a trace, which all commands read like one that was recorded.
  ///
  /// What is at a moment becomes events that lead to it. Nobody knows who made the objects, and when: these events are the
  /// recorder's, at the trace's start. The threads' places are seen at its end; what lies between is the time in which nothing has moved, as far
  /// as that is known.
  package var events: TraceEvents {
    var writer = SnapshotWriter(self)
    writer.write()
    return writer.events
  }
}

extension SnapshotWriter {
  /// The thread that executes an operation or a task, and where on its stack; nil: none, or it is not known.
  func runner(of object: UInt64) -> (thread: SeenThread, frame: Int)? {
    runners[object].map { (snapshot.threads[$0.thread], $0.frame) }
  }
}

/// Writes a snapshot's events. Numbers of the trace are given in the order of addresses and lists.
struct SnapshotWriter {
  let snapshot: Snapshot
  var events: TraceEvents
  var frames: SnapshotFrames
  private(set) var threads: [UInt32: ThreadID] = [:]
  /// By what they execute: the index of a thread, and where on its stack.
  private let runners: [UInt64: (thread: Int, frame: Int)]
  /// By the threads' ids: the words on which they sleep.
  let locks: [UInt32: UInt64]
  let actorNumbers: [UInt64: UInt32]
  private var queues: [UInt64: UInt32] = [:]
  /// Of operations and tasks.
  private(set) var works: [UInt64: UInt32] = [:]
  private var classes: [String: UInt32] = [:]

  /// Who writes what no thread of the process is known to have done: as in a recorded trace, the recorder.
  let writer: ThreadID
  /// When a queue was suspended, if it was: what it had given away before, it does not take back.
  private let suspending: Nanoseconds = 10_000
  /// When it got what it keeps.
  private let keeping: Nanoseconds = 20_000
  var moment: Nanoseconds { 30_000 + 2 * Nanoseconds(snapshot.objects.tasks?.tasks.count ?? 0) }

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    var runners: [UInt64: (thread: Int, frame: Int)] = [:]
    for (index, thread) in snapshot.threads.enumerated() {
      for work in snapshot.roles.executed[thread.state.id] ?? [] where runners[work.object] == nil {
        runners[work.object] = (index, work.frame)
      }
    }
    self.runners = runners
    actorNumbers = snapshot.objects.actorNumbers
    locks = Dictionary(
      snapshot.threads.compactMap { thread in thread.wait.map { (thread.state.id, $0.lock) } },
      uniquingKeysWith: { first, _ in first })
    var header = TraceHeader()
    header.processID = snapshot.processID
    header.processName = snapshot.program
    header.writerVersion = OPTRACE_VERSION
    header.startWall = snapshot.wall
    header.isClosed = true
    header.handledSignals = snapshot.handledSignals
    header.processors = snapshot.processors
    events = TraceEvents(header: header)
    writer = ThreadID(UInt32(snapshot.threads.count + 1))
    frames = SnapshotFrames(snapshot.modules, writer)
  }

  mutating func write() {
    for (index, thread) in snapshot.threads.enumerated() {
      let id = ThreadID(UInt32(index + 1))
      threads[thread.state.id] = id
      events.append(
        EventFields.ThreadNamed(tid: thread.state.id), of: id.rawValue, at: 0, by: id, text: thread.state.name ?? "")
    }
    events.append(
      EventFields.ThreadNamed(tid: 0), of: writer.rawValue, at: 0, by: writer, text: "optrace")
    writeOrigin()
    if let found = snapshot.objects.operations { write(found) }
    if let found = snapshot.objects.tasks { write(found) }
    if let found = snapshot.objects.dispatch { write(found) }
    writeWaits()
    writeEnders()
    writeThreads()
    events.sort()
  }

  // MARK: - Operations

  private mutating func write(_ found: FoundOperations) {
    let inQueues = found.queues.values.sorted { $0.address < $1.address }
    let alone = found.operations.values.filter { $0.queue == nil }.sorted { $0.address < $1.address }
    for (index, queue) in inQueues.enumerated() { queues[queue.address] = UInt32(index + 1) }
    let listed = inQueues.flatMap(\.operations).compactMap { found.operations[$0] } + alone
    number(listed.map(\.address))
    for queue in inQueues {
      events.append(
        EventFields.QueueCreated(
          limit: Int32(clamping: queue.limit), qos: 0, main: queue.isMain, suspended: false),
        of: queues[queue.address] ?? 0, at: 0, by: writer, text: queue.name ?? "")
      if queue.isSuspended {
        events.append(.queueSuspended, of: queues[queue.address] ?? 0, at: suspending, by: writer)
      }
    }
    for one in listed { create(one) }
    for one in listed { lead(one) }
  }

  private mutating func create(_ one: FoundOperation) {
    let number = works[one.address] ?? 0
    let isRunning = one.state >= .starting
    let isAsynchronous = isRunning && !one.isBlock && executor(of: one) == nil && rolesAreSure
    events.append(
      EventFields.OperationCreated(
        class: classNumber(one), coverage: 0, async: isAsynchronous,
        ownReady: !one.wasReady && one.unfinishedDependencies == 0,
        age: 0), of: number, at: 0, by: writer)
    if let name = one.name {
      events.append(
        EventFields.OperationNamed(source: 0), of: number, at: 0, by: writer, text: name)
    }
  }

  /// What leads to the state that it has.
  private mutating func lead(_ one: FoundOperation) {
    let number = works[one.address] ?? 0
    for dependency in one.dependencies {
      guard let on = works[dependency] else { continue }
      events.append(EventFields.DependencyAdded(on: on), of: number, at: 0, by: writer)
    }
    // What is not given away yet came after its queue was suspended.
    let time = one.state.hasSlot ? 0 : keeping
    if let queue = one.queue.flatMap({ queues[$0] }) {
      events.append(
        EventFields.Enqueued(queue: queue, priority: 0, qos: 0, barrier: one.isBarrier), of: number, at: time,
        by: writer)
    }
    if one.isCancelled { events.append(.cancelRequested, of: number, at: time, by: writer) }
    if one.queue != nil, one.wasReady || one.state.hasSlot { events.append(.ready, of: number, at: time, by: writer) }
    guard one.state >= .starting else { return }
    let thread = executor(of: one).flatMap { threads[$0] } ?? writer
    events.append(.started, of: number, at: moment, by: thread)
    if one.state >= .executing { events.append(.executionBegan, of: number, at: moment, by: thread) }
    if thread == writer, rolesAreSure, !one.isBlock {
      events.append(.startReturned, of: number, at: moment, by: writer)
    }
    if one.state == .finishing { events.append(.finishSeen, of: number, at: moment, by: writer) }
  }

  /// Every thread's stack is known, and every frame that runs an operation says which: so what runs on none has returned.
  private var rolesAreSure: Bool {
    snapshot.roles.areKnown && snapshot.roles.unclear.isEmpty
      && snapshot.threads.allSatisfy { $0.isStill && $0.isWhole && $0.guessedFrom == $0.addresses.count }
  }

  /// The thread that executes an operation; nil: none, or it is not known.
  private func executor(of one: FoundOperation) -> UInt32? {
    runner(of: one.address)?.thread.state.id
  }

  private mutating func classNumber(_ one: FoundOperation) -> UInt32 {
    let code = one.isBlock ? one.block.flatMap { frames.function(at: $0, &events) } : nil
    let name = code.map { "\(one.className) f\($0)" } ?? one.className
    let key = "\(one.module).\(name)"
    if let known = classes[key] { return known }
    let number = events.intern(name) ?? 0
    events.append(
      EventFields.ClassDescribed(
        name: number, class: events.intern(one.className) ?? 0, module: events.intern(one.module) ?? 0, code: code ?? 0),
      at: 0, by: writer)
    classes[key] = number
    return number
  }

  mutating func number(_ objects: some Sequence<UInt64>) {
    // One object has one number, also where a damaged core names it twice.
    for object in objects where works[object] == nil { works[object] = UInt32(works.count + 1) }
  }

  // MARK: - Threads

  /// Who waits for what is told by the word that a thread sleeps on.
  private mutating func writeWaits() {
    let waited = WaitedOperations(snapshot.objects.operations)
    let silence = snapshot.silence
    for thread in snapshot.threads {
      guard let wait = thread.wait, let id = threads[thread.state.id], !wait.hasLimit else { continue }
      let place = frames.stack(thread, &events)
      if let one = waited.operation(with: wait.lock), let number = works[one.address] {
        if snapshot.roles.emptying.contains(thread.state.id), let queue = one.queue.flatMap({ queues[$0] }) {
          events.append(.queueWaitBegan, of: queue, at: moment + 1, by: id)
          if let place { events.append(.stoodAt, of: place, at: moment + 1, by: id) }
        }
        events.append(.waitBegan, of: number, at: moment + 2, by: id)
        if let place { events.append(.stoodAt, of: place, at: moment + 2, by: id) }
        continue
      }
      guard let (object, found) = snapshot.objects.waited(at: wait.lock) else { continue }
      let kind: WaitedObject = found == .semaphore ? .semaphore : .group
      let work = snapshot.roles.executed[thread.state.id]?.first.flatMap { works[$0.object] } ?? 0
      // It may have waited for long while others moved.
      let age = UInt64(snapshot.rest(of: thread, besides: silence)) / Layout.ageUnit
      events.append(
        EventFields.Blocked(object: object, kind: kind.rawValue, age: age, thread: id.rawValue), of: work,
        at: moment + 2, by: writer)
      if let place { events.append(.stoodAt, of: place, at: moment + 2, by: writer) }
    }
  }

  private mutating func writeThreads() {
    let time = moment + 3 + snapshot.silence
    for thread in snapshot.threads {
      guard let id = threads[thread.state.id] else { continue }
      let wait = snapshot.reason(thread)
      let isRunning =
        thread.isStill ? thread.state.call == nil && !snapshot.isLive : thread.state.letter == UInt8(ascii: "R")
      events.append(
        EventFields.ThreadSeen(
          cpu: UInt32(clamping: (thread.state.runs?.time ?? 0) / 1_000_000),
          owner: wait?.owner.flatMap { threads[$0]?.rawValue } ?? 0, state: thread.state.number, running: isRunning,
          ended: wait?.ownerEnded ?? false, timed: wait?.hasLimit ?? false, still: thread.isStill,
          lock: wait?.lock ?? 0, call: thread.isStill ? thread.state.callNumber : 0,
          reason: wait?.reason ?? 0), of: id.rawValue, at: time, by: writer)
      if let place = frames.stack(thread, &events) { events.append(.stoodAt, of: place, at: time, by: writer) }
    }
    func count(_ matches: (SeenThread) -> Bool) -> UInt16 { UInt16(clamping: snapshot.threads.count(where: matches)) }
    events.append(
      EventFields.Looked(
        seen: count { _ in true }, moved: count { !$0.isStill && $0.state.letter != UInt8(ascii: "R") },
        refused: count { $0.state.registers == nil && $0.state.letter != UInt8(ascii: "R") }, request: 0), at: time,
      by: writer)
  }
}

/// Operations by where those sleep that wait for their ends.
private struct WaitedOperations {
  private let all: [(range: Range<UInt64>, operation: FoundOperation)]

  init(_ found: FoundOperations?) {
    all = (found?.operations.values.compactMap { one in one.condition.map { ($0, one) } } ?? [])
      .sorted { $0.0.lowerBound < $1.0.lowerBound }
  }

  /// O(log n).
  func operation(with word: UInt64) -> FoundOperation? {
    let next = all.firstSorted { $0.range.upperBound > word }
    return next < all.count && all[next].range.contains(word) ? all[next].operation : nil
  }
}

extension Snapshot {
  /// What a thread waits for. libdispatch's manager has a timer of libdispatch's own, which moves nothing: without a source, only the
  /// process itself can wake it.
  fileprivate func reason(_ thread: SeenThread) -> SeenThread.Wait? {
    guard var wait = thread.wait else { return nil }
    if wait.reason == SleepReason.inheriting.rawValue, roles.initialising.contains(thread.state.id) {
      wait.reason = SleepReason.once.rawValue
    }
    let isTimer = wait.lock & ~EventSource.timer.rawValue == 0
    if wait.reason == SleepReason.poll.rawValue, isTimer, look.isIdleManager(thread) {
      (wait.reason, wait.lock) = (SleepReason.events.rawValue, 0)
    }
    return wait
  }
}

extension ThreadState {
  /// As records have a call: 0 is none, and there are 12 bits. A core may say anything.
  var callNumber: UInt16 {
    guard let call, call >= 0, call < 1 << 12 - 1 else { return 0 }
    return UInt16(call) + 1
  }

  /// As records of threads that were seen have it.
  fileprivate var number: UInt8 {
    switch letter.map({ Character(UnicodeScalar($0)) }) {
    case "R": 1
    case "S": 2
    case "D": 3
    case "T", "t": 4
    case "Z", "X": 5
    case .some: 0
    // Of a core.
    case nil: call == nil ? 1 : 2
    }
  }
}
