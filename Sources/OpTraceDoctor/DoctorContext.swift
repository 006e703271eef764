package import OpTraceKernel
package import OpTraceModel

/// What every rule gets: the trace, and what several rules need, computed only once.
package struct DoctorContext: Sendable {
  package let trace: Trace
  package let options: DoctorOptions
  /// The trace's end, or the current time if the process still runs.
  package let end: Nanoseconds
  /// When anything moved last; 0: nothing ever did.
  package let lastSign: Nanoseconds
  /// From the first enqueueing or start to the last finish; nil: there was neither.
  package let activity: ClosedRange<Nanoseconds>?
  /// What is blocked, also by operations that are known to be stuck or have been silent for too long.
  package private(set) var blockage: Blockage
  package private(set) var suspects: [Suspect]
  /// The last snapshot of the threads that have not moved since.
  package let seenThreads: SeenThreads
  /// Where computing threads were sampled last.
  package let newestSamples: NewestSamples
  /// Whether every thread sleeps, and none is left that could wake another.
  package let isDeadEnd: Bool
  /// What may still move the program.
  package private(set) var doors: [Door] = []
  /// Who waits, for messages where no rule finds a reason.
  package private(set) var waiting: [Door] = []
  /// By the threads that wait in `sync`.
  let queuesAwaited: [ThreadID: DispatchQueueID]
  /// Whether the world is closed and no unfinished block or task may continue by itself: nothing will happen any more.
  package private(set) var isDeadWorld = false
  /// The blocks and tasks that operations submitted.
  package let submittedWork: SubmittedWork
  /// The operations that were added to each queue.
  package let members: QueueMembers
  /// What rules of one capability share.
  private let facts: FactTable
  private let queueIndexes: [QueueID: Int]
  private let threadIndexes: [ThreadID: Int]

  package init(_ trace: Trace, _ options: DoctorOptions, _ facts: FactTable) {
    self.trace = trace
    self.options = options
    lastSign = trace.lastMove ?? Self.stillSince(trace)
    end = max(options.now ?? trace.end, trace.end, trace.header.stalled ?? .min)
    activity = trace.activity
    seenThreads = SeenThreads(trace)
    newestSamples = NewestSamples(trace, at: trace.end)
    isDeadEnd = Self.isDeadEnd(trace, seenThreads)
    submittedWork = SubmittedWork(trace)
    members = QueueMembers(trace)
    queuesAwaited = Self.queuesAwaited(in: trace)
    self.facts = facts
    queueIndexes = Dictionary(
      trace.queues.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    threadIndexes = Dictionary(
      trace.threads.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let structure = Blockage(of: trace)
    blockage = structure
    suspects = []
    doors = findDoors()
    let suspects = Suspect.all(in: self, structure.graph, isBlocked: structure.isBlocked)
    let isSilent = isStalled && (isClosedWorld || doors.isEmpty)
    let dead = suspects.filter { suspect in
      // A cancelled operation should have ended long ago, whatever else still moves.
      suspect.isProven || isSilent && suspect.kind.isDead || isStalled && suspect.kind == .cancelled
    }.map(\.node)
    self.suspects = suspects
    if !dead.isEmpty { blockage = Blockage(structure.graph, dead: Set(dead)) }
    isDeadWorld = isClosedWorld && !blockage.graph.nodes.indices.contains { canMove($0) }
    waiting = findWaiting()
  }

  /// Since when no thread is known to have moved, where nothing was recorded: what looked from outside says so, else since the snapshot
  /// before the last one.
  private static func stillSince(_ trace: Trace) -> Nanoseconds {
    if let origin = trace.origin { return origin.since }
    guard let snapshot = trace.snapshot else { return 0 }
    return max(0, snapshot.time - (snapshot.threads.compactMap(\.since).min() ?? 0))
  }

  /// How long nothing has moved.
  package var silence: Nanoseconds { max(0, end - lastSign) }
  /// Whether nothing has moved for long enough to count. Silence that `record --stall-timeout` waited for counts, too.
  package var isStalled: Bool { silence > options.stallAfter || trace.header.stalled.map { $0 >= lastSign } == true }

  /// The program ended. One that was looked at from outside goes on, though its trace is whole.
  package var hasEnded: Bool { trace.header.isClosed && trace.origin == nil }

  /// How long a state must have lasted to count: a running program passes through states that are wrong only if they
  /// last. In a trace that was closed properly, much less is enough.
  package var settling: Nanoseconds { trace.header.isClosed ? 1_000_000 : 100_000_000 }

  /// The same for states that the program's next line may undo. On a busy machine a thread took 160 ms to reach that
  /// line; with two snapshots this does not matter.
  private var settlingOfLines: Nanoseconds {
    trace.header.isClosed || options.now != nil ? settling : Self.slowestLine
  }
  /// A thread on a busy machine gets to its next line in this time.
  private static let slowestLine: Nanoseconds = 500_000_000

  /// Whether a state that the next line of a thread may undo has lasted, also where the trace was closed meanwhile: that thread
  /// may not have had a processor since.
  package func isSettledOnBusyMachine(since time: Nanoseconds) -> Bool {
    isSettled(since: time) && (!trace.header.isClosed || end - time >= Self.slowestLine)
  }

  /// Whether a state that began at this time has lasted.
  package func isSettled(since time: Nanoseconds) -> Bool { end - time >= settling }

  /// A finding about a state that the program's next line may undo: unproven until the state has lasted.
  package func settled(_ finding: Finding, since time: Nanoseconds) -> Finding {
    let finding = proven(finding)
    guard end - time < settlingOfLines else { return finding }
    let rest = DurationText.text(max(0, end - time))
    return unproven(finding, because: "the trace ends \(rest) later, and this state may not last")
  }

  /// A settled finding about a state that any code of the program may undo, for example when input arrives.
  package func undoable(_ finding: Finding, since time: Nanoseconds) -> Finding {
    undoable(settled(finding, since: time))
  }

  /// What rules of one capability share; empty if no rule that was asked needs it.
  package func facts<Facts: DoctorFacts>(_ type: Facts.Type) -> Facts { facts[type] }

  package func operation(_ id: OperationID) -> OperationRecord? { trace.operation(id) }
  package func queue(_ id: QueueID) -> QueueRecord? { queueIndexes[id].map { trace.queues[$0] } }
  package func thread(_ id: ThreadID) -> ThreadRecord? { threadIndexes[id].map { trace.threads[$0] } }
}
