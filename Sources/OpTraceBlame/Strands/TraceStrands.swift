import OpTraceFormat
package import OpTraceKernel
package import OpTraceModel

/// The wait-for graph of a trace over time: what each piece of work and each thread did, and who had what it waited for.
package struct TraceStrands: BlameSource {
  package let trace: Trace
  package var code: ProgramCode
  let runs: ThreadRuns
  let queues: HeldRuns<SchedulerID>
  let actors: HeldRuns<TaskRecord.WaitedActor>
  package let threads: ThreadActivity
  var handovers: Handovers
  /// By the thread of an event loop: its long turns, in the order of time.
  let turns: [ThreadID: [LoopRecord.LongTurn]]
  let loopNames: [ThreadID: String]
  let mainThread: ThreadID?
  /// Who had the main actor, where the main thread does not run what is on it; nil: that does.
  let onMain: HeldRuns<ThreadID>?
  /// Of the tasks that were asked for, as long as they are few.
  private var taskPieces: [Int: [TaskPiece]] = [:]
  private var keptPieces = 0
  private static var mostPieces: Int { 4_000_000 }
  private let queueTitles: [SchedulerID: String]
  /// By queue, when operations of it finished, and which.
  let finishes: [QueueID: [(time: Nanoseconds, operation: OperationID)]]
  /// By label, those that no two queues have.
  private let queuesByLabel: [String: DispatchQueueID]

  package let endless = BlameEnd.endless

  /// - Parameter knowsHolders: false: only ``ran(on:_:_:after:)`` is asked, and who had what was waited for does not matter.
  /// - Complexity: O(n log n) for n pieces of work, waits and samples.
  package init(_ trace: Trace, _ code: ProgramCode, knowsHolders: Bool = true) {
    self.trace = trace
    self.code = code
    mainThread = trace.threads.first { $0.isMain }?.id
    let onMain = knowsHolders ? HeldRuns(ofMainActorIn: trace) : HeldRuns()
    self.onMain = onMain.keys.contains { trace.thread($0)?.isMain != true } ? onMain : nil
    runs = knowsHolders ? ThreadRuns(trace, mainThread: mainThread) : ThreadRuns()
    queues = knowsHolders ? HeldRuns(ofQueuesIn: trace) : HeldRuns()
    actors = knowsHolders ? HeldRuns(ofActorsIn: trace) : HeldRuns()
    threads = ThreadActivity(trace)
    handovers = knowsHolders ? Handovers(trace, &self.code) : Handovers()
    turns = Dictionary(trace.eventLoops.lazy.map { ($0.thread, $0.longTurns) }) { first, _ in first
    }
    loopNames = Dictionary(
      trace.loops.lazy.map { loop in
        let name = trace.thread(loop.thread)?.name ?? ""
        return (loop.thread, name.allSatisfy(\.isWhitespace) ? loop.thread.description : name)
      }
    ) { first, _ in first }
    var titles: [SchedulerID: String] = [:]
    for queue in trace.queues { titles[.queue(queue.id)] = queue.title }
    for queue in trace.dispatchQueues { titles[.dispatchQueue(queue.id)] = queue.title }
    queueTitles = titles
    var finishes: [QueueID: [(time: Nanoseconds, operation: OperationID)]] = [:]
    for operation in knowsHolders ? trace.operations : [] {
      if let queue = operation.queue, let time = operation.finished?.time {
        finishes[queue, default: []].append((time, operation.id))
      }
    }
    self.finishes = finishes.mapValues { $0.sorted { ($0.time, $0.operation) < ($1.time, $1.operation) } }
    let labels = Dictionary(grouping: trace.dispatchQueues) { $0.label }
    queuesByLabel = labels.compactMapValues { $0.count == 1 ? $0[0].id : nil }
  }

  /// The dispatch queue that a thread waits for in `sync`; nil: its label does not tell.
  func queue(of object: ObjectRecord) -> DispatchQueueID? {
    object.kind == .queue ? object.name.flatMap { queuesByLabel[$0] } : nil
  }

  package mutating func pieces(of strand: BlameStrand, from: Nanoseconds, to: Nanoseconds) -> [StrandPiece] {
    switch strand {
    case .thread(let thread): pieces(ofThread: thread, from, to)
    case .work(let index):
      switch trace.row(ofWorkAt: index) {
      case .operation(let row): pieces(of: trace.operations[row], index, from, to)
      case .block(let row): pieces(of: trace.blocks[row], index, from, to)
      case .task(let row): pieces(of: trace.tasks[row], row, from, to)
      }
    }
  }

  /// A task's pieces. O(1) if they were asked for lately.
  mutating func pieces(ofTask row: Int) -> [TaskPiece] {
    if let known = taskPieces[row] { return known }
    let pieces = trace.tasks[row].pieces(traceEnd: trace.end)
    if keptPieces > Self.mostPieces { (taskPieces, keptPieces) = ([:], 0) }
    taskPieces[row] = pieces
    keptPieces += pieces.count
    return pieces
  }

  /// The work that a strand is, or that runs on it at a time, as an index among all; nil: none. O(log runs).
  package func work(of strand: BlameStrand, at time: Nanoseconds) -> Int? {
    switch strand {
    case .work(let index): index
    case .thread(let thread): runs.run(on: thread, at: time).map { Int($0.work) }
    }
  }

  func title(of scheduler: SchedulerID?) -> String { scheduler.flatMap { queueTitles[$0] } ?? "" }

  /// The work, as a list of holders.
  func strand(_ work: WorkID?) -> [BlameStrand] { work.flatMap(trace.workIndex(of:)).map { [.work($0)] } ?? [] }

  /// What runs on a thread at a time, else the thread.
  func strand(on thread: ThreadID?, at time: Nanoseconds) -> [BlameStrand] {
    guard let thread else { return [] }
    return [runs.run(on: thread, at: time).map { .work(Int($0.work)) } ?? .thread(thread)]
  }

  /// Who submits it, until it is submitted.
  func beforeSubmission(_ work: some Work) -> StrandPiece.State {
    var by = strand(work.submitter)
    if by.isEmpty, let submitted = work.submitted { by = strand(on: submitted.thread, at: submitted.time) }
    return .waits(BlameResource(.submission), by: by, orElse: BlameEnd(.unknown))
  }
}
