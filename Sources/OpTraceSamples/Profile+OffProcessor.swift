import OpTraceFormat
import OpTraceKernel
public import OpTraceModel

extension Profile {
  /// Where threads and tasks waited. Each wait and each suspension has a stack, with what was waited for as its
  /// outermost frame; its weight is the nanoseconds of it that are in the selected time.
  ///
  /// For threads, only waits that the recorder sees: for operations, queues, semaphores, groups and conditions, and
  /// sleeps and waits for a disk inside blocks and tasks, with a stack if they last a millisecond or more. Locks, files and sockets are
  /// not seen. For tasks, everything.
  /// O(n log n) for n waits, suspensions and runs.
  public init(offProcessorOf trace: Trace, selection: Selection = Selection()) {
    var builder = ProfileBuilder(trace)
    // Here the minimum applies to the length of the wait, not to that of the work.
    var ofAnyLength = selection
    ofAnyLength.minimumDuration = 0
    var work = SampledWork(trace, ofAnyLength)
    var waits = Self.waits(ofThreads: trace)
    for index in trace.tasks.indices { waits += Self.waits(of: trace.tasks[index], trace.end) }
    waits.sort { ($0.began, $0.thread) < ($1.began, $1.thread) }
    // Limit each weight so that not even a damaged trace makes a sum overflow.
    let most = Nanoseconds.max / 2 / Nanoseconds(max(1, waits.count))
    for wait in waits {
      let stamp = Stamp(wait.began, wait.thread)
      guard wait.ended > wait.began else { continue }
      let situation = wait.task.map { work.situation(of: [$0]) } ?? work.situation(at: stamp)
      let isLong = wait.ended - wait.began >= selection.minimumDuration
      let begin = max(wait.began, selection.from ?? .min)
      let end = min(wait.ended, selection.to ?? .max)
      let weight: Nanoseconds
      if situation.isAlwaysChosen {
        weight = wait.ended - wait.began
      } else if situation.isChosen, isLong, begin < end {
        weight = end - begin
      } else {
        continue
      }
      builder.add(
        wait.at, on: stamp, in: situation, isOnThread: wait.task == nil, reason: wait.reason, weight: min(weight, most))
    }
    var facts = Facts(trace, from: selection.from, to: selection.to)
    facts.isOffProcessor = true
    self = builder.finish(facts)
  }

  /// A wait of a thread, or a stretch of time in which a task did not run.
  private struct Waiting {
    var began: Nanoseconds
    var ended: Nanoseconds
    var thread: ThreadID
    var at: FrameID?
    var task: WorkID?
    var reason: String
  }

  /// A wait for a queue may in turn wait for an operation. Such an inner wait takes no additional time, and the call in
  /// the program says more, so only the outer wait counts. O(n log n).
  private static func waits(ofThreads trace: Trace) -> [Waiting] {
    let all = trace.waits.map { wait in
      Waiting(
        began: wait.began, ended: wait.ended ?? trace.end, thread: wait.thread, at: wait.at, task: nil,
        reason: wait.reason(in: trace))
    }
    var outer: [Waiting] = []
    let order = all.indices.sorted {
      (all[$0].thread, all[$0].began, all[$1].ended, $0) < (all[$1].thread, all[$1].began, all[$0].ended, $1)
    }
    for wait in order.map({ all[$0] }) {
      if let last = outer.last, last.thread == wait.thread, wait.ended <= last.ended {
        // The stacks of both have the same callers, so the inner one will do.
        if last.at == nil { outer[outer.count - 1].at = wait.at }
      } else {
        outer.append(wait)
      }
    }
    return outer
  }

  private static func waits(of task: TaskRecord, _ traceEnd: Nanoseconds) -> [Waiting] {
    task.pieces(traceEnd: traceEnd).compactMap { piece in
      guard piece.kind != .run else { return nil }
      let suspension = task.suspensions.indices.contains(piece.index) ? task.suspensions[piece.index] : nil
      let thread = suspension?.from.thread ?? task.submitted?.thread ?? task.enqueued?.thread
      guard let thread else { return nil }
      return Waiting(
        began: piece.begin, ended: piece.end, thread: thread, at: suspension == nil ? task.code : suspension?.at,
        task: task.id, reason: piece.kind == .turn ? "waits for a thread" : reason(of: piece, task))
    }
  }

  private static func reason(of piece: TaskPiece, _ task: TaskRecord) -> String {
    if piece.isForActor { return "waits for an actor" }
    switch task.reason(of: piece) {
    case nil: return "waits for its first turn"
    case .unknown: return "is suspended"
    case .task: return "awaits a task"
    case .continuation: return "awaits a continuation"
    case .group: return "awaits a child task"
    case .executor: return "goes to another executor"
    case .sleep: return "sleeps"
    }
  }
}

extension WaitRecord {
  /// What is waited for, in words.
  fileprivate func reason(in trace: Trace) -> String {
    switch target {
    case .operation: return "waits for an operation"
    case .queue: return "waits for an operation queue"
    case .object(let id):
      switch trace.object(id)?.kind {
      case .semaphore: return "waits for a semaphore"
      case .group: return "waits for a dispatch group"
      case .queue: return "waits for a dispatch queue"
      case .condition: return "waits for a condition"
      case .adding: return "waits for a call that adds to a queue"
      case .sleep: return "sleeps with its thread"
      case .disk: return "waits for a disk"
      case .call: return "waits in a system call"
      case .mutex, .rwlock, .inheriting: return "waits for a lock"
      case nil: return "waits for an object"
      }
    }
  }
}
