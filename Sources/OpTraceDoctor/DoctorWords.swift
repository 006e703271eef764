package import OpTraceKernel
package import OpTraceModel

extension String {
  /// The string for the middle of a sentence.
  package var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// The string for the beginning of a sentence.
  package var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension TaskRecord.Reason {
  /// The reason in words, to follow "waits for".
  package var phrase: String {
    switch self {
    case .unknown: "something"
    case .task: "another task"
    case .continuation: "a continuation to be resumed"
    case .group: "a child task of its group"
    case .executor: "an actor or executor"
    case .sleep: "a timer"
    }
  }
}

/// How findings name things.
extension DoctorContext {
  /// The most lines of evidence that one finding has.
  package static let mostEvidence = 12
  /// In nanoseconds.
  package static let second: Nanoseconds = 1_000_000_000

  /// `'Load profile' (#3)`, `block 'closure #1 in load()' (#4)`.
  package func name(_ id: WorkID) -> String {
    if let operation = operation(id) { return "'\(Self.shown(operation.title))' (\(id))" }
    if let block = trace.block(id) { return "block '\(Self.shown(block.title))' (\(id))" }
    if let task = trace.task(id) { return "task '\(Self.shown(task.title))' (\(id))" }
    return "'operation' (\(id))"
  }
  package func name(_ index: Int) -> String { name(trace.operations[index].id) }

  /// `queue 'network'`.
  package func name(_ id: QueueID) -> String { queue(id)?.phrase(quoting: Self.shown) ?? id.description }
  package func queueName(_ index: Int) -> String { trace.queues[index].phrase(quoting: Self.shown) }

  /// `dispatch queue 'disk.io'`.
  package func name(_ queue: DispatchQueueRecord) -> String {
    if queue.isMain { return "the main queue" }
    return queue.title == queue.label ? "dispatch queue '\(Self.shown(queue.label))'" : queue.title
  }

  package func name(_ id: ThreadID) -> String {
    guard let thread = thread(id) else { return id.description }
    if thread.isMain { return "the main thread" }
    if trace.loops.contains(where: { $0.thread == id && $0.isManager }) {
      return "libdispatch's thread for timers and events"
    }
    if thread.isOfPool { return "pool thread \(thread.systemID)" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : "thread \(thread.systemID) '\(Self.shown(thread.name))'"
  }

  /// A name, shortened so that a sentence with it stays readable.
  package static func shown(_ name: String) -> String { NameCut.inside(name, 80) }

  /// `'A' (#1), 'B' (#2) and 5 more`.
  package func list(_ ids: [OperationID], most: Int = 3) -> String {
    Self.list(ids.prefix(most).map(name) + (ids.count > most ? ["\(ids.count - most) more"] : []))
  }

  package static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `3 operations`.
  package static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

  /// What a wait waits for, in words.
  package func target(of wait: WaitRecord) -> String {
    switch wait.target {
    case .operation(let id): name(id)
    case .queue(let id): "\(name(id)) to be empty"
    case .object(let id): trace.object(id)?.title ?? id.description
    }
  }

  /// Says how to change the class so that its work holds no thread; begins a sentence. A block has no class that could
  /// be changed.
  package static func asAsynchronous(_ operation: OperationRecord) -> String {
    let isBlock = ["BlockOperation", "TracedBlockOperation"].contains(operation.className)
    return isBlock
      ? "Turn this block into an asynchronous operation with its own class"
      : "Make \(operation.className) asynchronous"
  }

  /// Says what an asynchronous operation is; ends that sentence.
  package static let whatAsynchronousMeans =
    "start the work, return, and set isFinished to true when it ends (TracedAsyncOperation does this with finish(), if "
    + "you link OpTrace)"

  /// The queues of operations, each once.
  package func queues(of operations: [OperationRecord]) -> [QueueID] {
    var result: [QueueID] = []
    for queue in operations.compactMap(\.queue) where !result.contains(queue) { result.append(queue) }
    return result
  }

  /// How long something has lasted at the end: `for 3 s`. What was seen from outside has lasted longer, where others still move.
  package func since(_ time: Nanoseconds) -> String {
    let lasts = max(0, end - time)
    guard trace.origin == nil || lasts >= TraceOrigin.leastRest else { return "for an unknown time" }
    return "for \(DurationText.text(lasts))"
  }

  /// `limit 1`, `no limit`.
  package static func limit(_ limit: Int) -> String { limit < 0 ? "no limit" : "limit \(limit)" }
}

/// Source locations of threads, blocks and tasks.
extension DoctorContext {
  /// Where a thread is that has not moved since the snapshot; nil: not known.
  package func location(of thread: ThreadID) -> CodeLocation? { trace.stacks.codeLocation(seenThreads[thread]?.at) }

  /// Where in the program's own code a computing thread was sampled last; nil: not known.
  package func computed(_ thread: ThreadID) -> CodeLocation? {
    guard let at = newestSamples[thread]?.at, trace.stacks.ownFrame(at) != nil else { return nil }
    return trace.stacks.codeLocation(at)
  }

  /// Where the wait of a step happens; nil: it is no wait, or the location is not known.
  package func location(of reason: WaitForGraph.Reason) -> CodeLocation? {
    switch reason {
    case .wait(let index): location(of: trace.waits[index])
    case .lock(let thread), .join(let thread): location(of: thread)
    case .dependency, .slot, .barrier, .member, .mainThread, .root, .holder, .turn, .sync, .submission, .ender, .mayEnd,
      .task,
      .actor:
      nil
    }
  }

  /// Where a block is: its thread's location if it runs, else where it was submitted.
  package func location(of block: BlockRecord) -> CodeLocation? {
    let running = block.over == nil ? block.began.flatMap { location(of: $0.thread, in: block.id) } : nil
    return running ?? location(ofSubmitting: block)
  }

  /// Where a block was submitted.
  package func location(ofSubmitting block: BlockRecord) -> CodeLocation? {
    own(trace.stacks.codeLocation(block.submittedAt), of: block.submittedAt, in: block.submitter)
  }

  /// Where a task is: its thread's location, or where it will resume; else where it was created.
  package func location(of task: TaskRecord) -> CodeLocation? {
    let run = task.runs.last.flatMap { $0.ended == nil ? location(of: $0.thread, in: task.id) : nil }
    return run ?? trace.stacks.codeLocation(task.suspension?.at) ?? trace.stacks.codeLocation(task.submittedAt)
  }

  /// Where a thread waits: in the program's own code, else in the function that its operation, block or task runs.
  package func location(of wait: WaitRecord) -> CodeLocation? {
    let seen = wait.ended == nil ? seenThreads[wait.thread]?.at : nil
    let found = trace.stacks.codeLocation(wait.at) ?? trace.stacks.codeLocation(seen)
    return own(found, of: wait.at ?? seen, in: wait.inside)
  }

  package func location(of thread: ThreadID, in work: WorkID) -> CodeLocation? {
    own(location(of: thread), of: seenThreads[thread]?.at, in: work)
  }

  /// Replaces a location outside the program's code by the function that the work runs, if that is known: a closure
  /// whose last call waits leaves no frame on the stack.
  private func own(_ location: CodeLocation?, of frame: FrameID?, in work: WorkID?) -> CodeLocation? {
    guard let work, location?.isGlue == true || trace.stacks.ownFrame(frame) == nil else { return location }
    // For blocks and tasks without any stack, their submission site says more.
    guard frame != nil || operation(work) != nil else { return location }
    return code(of: work) ?? location
  }

  /// Where the code of an operation, a block or a task is; nil: not known.
  private func code(of work: WorkID) -> CodeLocation? {
    if let operation = operation(work) { return operation.function == nil ? nil : operation.codeLocation }
    let function = trace.block(work).map { $0.function == nil ? nil : $0.code } ?? trace.task(work)?.code
    guard let location = trace.stacks.codeLocation(function), !location.isGlue else { return nil }
    return location
  }

  /// `, in start() at main.swift:40`: where the code of an operation, a block or a task begins; empty: not known.
  package func codePhrase(of work: WorkID) -> String { Self.phrase(code(of: work)) }

  /// Where the code of an operation is that executes on a single thread.
  package func location(ofExecuting operation: OperationRecord) -> CodeLocation? {
    guard let seen = seenThread(of: operation) else { return nil }
    return own(trace.stacks.codeLocation(seen.at), of: seen.at, in: operation.id)
  }

  /// `, called by load() at main.swift:21, by start() at main.swift:15`: the callers of the function in which a thread
  /// waits, since many may use that function; empty: not known.
  package func callers(of innermost: FrameID?) -> String {
    let calls = trace.stacks.callers(of: innermost, most: 3).map { "by" + Self.phrase($0).dropFirst(", in".count) }
    return calls.isEmpty ? "" : ", called " + calls.joined(separator: ", ")
  }

  /// `, in transfer(_:_:) at main.swift:7`; empty: not known.
  package static func phrase(_ location: CodeLocation?) -> String {
    guard let location else { return "" }
    let file = location.file?.split(separator: "/").last.map { file in
      location.line.map { "\(file):\($0)" } ?? String(file)
    }
    switch (location.function, file) {
    case (let function?, let file?): return ", in \(shown(function)) at \(shown(file))"
    case (let function?, nil): return ", in \(shown(function))"
    case (nil, let file?): return ", at \(shown(file))"
    case (nil, nil): return ""
    }
  }

  package func locationPhrase(ofExecuting operation: OperationRecord) -> String {
    Self.phrase(location(ofExecuting: operation))
  }

  /// The snapshot of the thread that executes an operation; nil: there is none, or several threads execute it.
  package func seenThread(of operation: OperationRecord) -> SeenThread? {
    guard operation.finished == nil, operation.started != nil, operation.startReturned == nil, !operation.isAsynchronous
    else { return nil }
    let blocks = operation.blocks.filter { $0.ended == nil }
    if blocks.count > 1 { return nil }
    return (blocks.first?.thread ?? operation.executionBegan?.thread ?? operation.started?.thread)
      .flatMap { seenThreads[$0] }
  }
}
