import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// What caused the finishes of some operations: the work that ran there, the work that submitted or resumed it, and so
/// on. Also tells what was seen to continue after a finish.
struct FinishCauses {
  private let trace: Trace
  /// The work that ran on the thread when the operation was finished.
  private var finishers: [OperationID: [WorkID]] = [:]
  /// For each task the blocks in which it ran, as with an executor that is a dispatch queue.
  private var carriers: [WorkID: [WorkID]] = [:]
  /// All blocks in ``carriers``.
  private var carrying: Set<WorkID> = []
  private var known: [OperationID: Set<WorkID>] = [:]
  private var submitters: Submitters
  /// When work was last seen to submit something, to begin to wait or sleep, or to let a task continue.
  private var lastDeeds: [WorkID: Nanoseconds] = [:]

  /// O((operations + blocks + runs of tasks) · log of these).
  init(_ trace: Trace, of operations: some Sequence<OperationRecord>) {
    self.trace = trace
    submitters = Submitters(trace) { trace.index(of: $0) != nil }
    var finishes: [ThreadID: [(time: Nanoseconds, id: OperationID)]] = [:]
    for operation in operations {
      if let finished = operation.finished {
        finishes[finished.thread, default: []].append((finished.time, operation.id))
      }
    }
    if finishes.isEmpty { return }
    for thread in finishes.keys { finishes[thread]?.sort { $0.time < $1.time } }
    func add(_ work: some Work) {
      for run in work.runs {
        guard let there = finishes[run.thread] else { continue }
        var (low, high) = (0, there.count)
        while low < high {
          let middle = (low + high) / 2
          if there[middle].time < run.began { low = middle + 1 } else { high = middle }
        }
        for (_, id) in there[low...].prefix(while: { $0.time <= run.ended ?? .max }) {
          finishers[id, default: []].append(work.id)
        }
      }
    }
    for operation in trace.operations { add(operation) }
    for block in trace.blocks { add(block) }
    for task in trace.tasks { add(task) }
    findCarriers()
    findLastDeeds()
  }

  private mutating func findLastDeeds() {
    func note(_ work: WorkID?, _ time: Nanoseconds?) {
      guard let work, let time else { return }
      lastDeeds[work] = max(lastDeeds[work] ?? .min, time)
    }
    for block in trace.blocks { note(block.submitter, block.submitted?.time) }
    for operation in trace.operations { note(operation.enqueuedBy, operation.enqueued?.time) }
    for task in trace.tasks {
      note(task.submitter, task.submitted?.time)
      for suspension in task.suspensions { note(suspension.resumer, suspension.enqueued?.time) }
    }
    for wait in trace.waits { note(wait.inside, wait.began) }
    for (task, blocks) in carriers {
      for block in blocks { note(block, lastDeeds[task]) }
    }
  }

  /// Whether, after the finish, the work was seen to begin again, to submit something, to wait or to let a task
  /// continue. If not, it may only have returned late, as happens on a busy machine.
  func wentOn(_ work: WorkID, after operation: OperationRecord, lastBegan: Nanoseconds) -> Bool {
    guard let finished = operation.finished?.time else { return false }
    return DoctorContext.isBefore(finished, max(lastBegan, lastDeeds[work] ?? .min))
  }

  /// Whether its end is recorded late: that of a task, or of a block in which one ran, only when the thread takes up
  /// other work.
  func endsUnseen(_ work: WorkID) -> Bool { trace.task(work) != nil || carrying.contains(work) }

  /// Whether something that the operation submitted finished it. Then other submitted work may have contributed without
  /// a trace of it: with a counter, only the last one to count down is seen.
  mutating func isFinishedByItsWork(_ operation: OperationRecord) -> Bool {
    guard let finishers = finishers[operation.id] else { return false }
    for work in finishers where submitters.nearest(of: work) == operation.id { return true }
    return false
  }

  private mutating func findCarriers() {
    if trace.tasks.isEmpty || trace.blocks.isEmpty { return }
    var runs: [(run: WorkRun, id: WorkID, isTask: Bool)] = []
    for block in trace.blocks { runs += block.runs.map { ($0, block.id, false) } }
    for task in trace.tasks { runs += task.runs.map { ($0, task.id, true) } }
    // Of runs that begin together, the one that lasts longer encloses the other.
    runs.sort {
      ($0.run.thread, $0.run.began, -($0.run.ended ?? .max)) < ($1.run.thread, $1.run.began, -($1.run.ended ?? .max))
    }
    var around: [(run: WorkRun, id: WorkID)] = []
    for (run, id, isTask) in runs {
      while let last = around.last, last.run.thread != run.thread || last.run.ended ?? .max < run.ended ?? .max {
        around.removeLast()
      }
      if !isTask {
        around.append((run, id))
      } else if let block = around.last {
        carriers[id, default: []].append(block.id)
        carrying.insert(block.id)
      }
    }
  }

  /// All work that led to the finish, before it happened. Amortised O(result + its suspensions).
  mutating func of(_ operation: OperationRecord) -> Set<WorkID> {
    if let answer = known[operation.id] { return answer }
    let finished = operation.finished?.time ?? .min
    var answer: Set<WorkID> = []
    var open = finishers[operation.id] ?? []
    while let work = open.popLast() {
      guard answer.insert(work).inserted else { continue }
      if let submitter = trace.submitter(of: work) { open.append(submitter) }
      if let task = trace.task(work) {
        open += carriers[work] ?? []
        for suspension in task.suspensions where suspension.letGoOn?.time ?? .max <= finished {
          if let resumer = suspension.resumer { open.append(resumer) }
        }
      }
    }
    known[operation.id] = answer
    return answer
  }
}
