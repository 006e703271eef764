import OpTraceModel

/// What every rule gets: the trace, and what several rules need, computed once.
struct DoctorContext: Sendable {
  let trace: Trace
  let options: DoctorOptions
  /// The trace's end, or now.
  let end: Nanoseconds
  /// When anything last moved; 0: nothing ever did.
  let lastSign: Nanoseconds
  /// From the first enqueueing or start to the last finish; nil: there was none.
  let activity: ClosedRange<Nanoseconds>?
  /// Who is blocked, including by operations that are known to be stuck or have been silent for too long.
  private(set) var blockage: Blockage
  private(set) var suspects: [Suspect]
  /// What the last snapshot saw of the threads that have not moved since.
  let seenThreads: SeenThreads
  /// Where threads that compute were sampled last.
  let newestSamples: NewestSamples
  /// Every thread was seen to sleep, and none is left that could wake another.
  let isDeadEnd: Bool
  /// What may still move the program.
  private(set) var doors: [Door] = []
  /// The world is closed, and no block or task that is not over may go on by itself: nothing will happen any more.
  private(set) var isDeadWorld = false
  /// What operations gave to dispatch queues and to Swift's tasks.
  let submittedWork: SubmittedWork
  /// Which operations were given to each queue.
  let members: QueueMembers
  /// Units of work, such as requests; empty where no rule asks for them.
  let requests: Requests
  private let queueIndexes: [QueueID: Int]
  private let threadIndexes: [ThreadID: Int]

  init(_ trace: Trace, _ options: DoctorOptions, _ requests: Requests) {
    self.trace = trace
    self.options = options
    lastSign = trace.lastMove ?? 0
    end = max(options.now ?? trace.end, trace.end, trace.header.stalled ?? .min)
    activity = trace.activity
    seenThreads = SeenThreads(trace)
    newestSamples = NewestSamples(trace, at: trace.end)
    isDeadEnd = Self.isDeadEnd(trace, seenThreads)
    submittedWork = SubmittedWork(trace)
    members = QueueMembers(trace)
    self.requests = requests
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
      // What was cancelled should have ended long ago, whatever else goes on.
      suspect.isProven || isSilent && suspect.kind.isDead || isStalled && suspect.kind == .cancelled
    }.map(\.node)
    self.suspects = suspects
    if !dead.isEmpty { blockage = Blockage(structure.graph, dead: Set(dead)) }
    isDeadWorld = isClosedWorld && !blockage.graph.nodes.indices.contains { canMove($0) }
  }

  /// How long nothing has moved.
  var silence: Nanoseconds { max(0, end - lastSign) }
  /// Nothing has moved for long enough to count. What `record --stall-timeout` waited for was long enough, too.
  var isStalled: Bool { silence > options.stallAfter || trace.header.stalled.map { $0 >= lastSign } == true }

  /// A running program passes through states that would be wrong if they lasted. Such a state counts once it has lasted this long; in a
  /// trace that was closed in order much less is enough.
  var settling: Nanoseconds { trace.header.isClosed ? 1_000_000 : 100_000_000 }

  /// The same for states that the program's next line undoes. On a busy machine a thread took 160 ms to get there; with two snapshots
  /// this does not matter.
  private var settlingOfLines: Nanoseconds {
    trace.header.isClosed || options.now != nil ? settling : 500_000_000
  }

  /// Whether a state that began at this time has lasted.
  func isSettled(since time: Nanoseconds) -> Bool { end - time >= settling }

  /// A finding about a state that the program's next line may undo: unproven until it has lasted.
  func settled(_ finding: Finding, since time: Nanoseconds) -> Finding {
    let finding = proven(finding)
    guard end - time < settlingOfLines else { return finding }
    let rest = DurationText.text(max(0, end - time))
    return unproven(finding, because: "the trace ends \(rest) later, and this state may not last")
  }

  /// A settled finding about what any code of the program may undo, as when it gets input: while something may still move a program in
  /// which nothing moves, only a note.
  func undoable(_ finding: Finding, since time: Nanoseconds) -> Finding {
    let finding = settled(finding, since: time)
    guard isStandstill, !options.isSilenceEnough, let door = doors.first else { return finding }
    var result = unproven(finding, because: "\(door.text), and that may undo it")
    result.severity = .note
    return result
  }

  func operation(_ id: OperationID) -> OperationRecord? { trace.operation(id) }
  func queue(_ id: QueueID) -> QueueRecord? { queueIndexes[id].map { trace.queues[$0] } }
  func thread(_ id: ThreadID) -> ThreadRecord? { threadIndexes[id].map { trace.threads[$0] } }
}

extension OperationRecord {
  package var isStarted: Bool { started != nil || executionBegan != nil }
}
