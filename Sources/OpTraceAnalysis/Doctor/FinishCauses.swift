import OpTraceModel

/// What caused the finishes of some operations: the blocks and tasks that ran there, those that submitted or resumed these, and so on.
struct FinishCauses {
  private let trace: Trace
  /// The work that ran on the thread when the operation was finished.
  private var finishers: [OperationID: [WorkID]] = [:]
  /// The blocks that tasks ran in, as those of an executor that is a queue.
  private var carriers: [WorkID: [WorkID]] = [:]
  private var known: [OperationID: Set<WorkID>] = [:]

  /// O((operations + blocks + runs of tasks) · log of these).
  init(_ trace: Trace, of operations: some Sequence<OperationRecord>) {
    self.trace = trace
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
    for block in trace.blocks { add(block) }
    for task in trace.tasks { add(task) }
    findCarriers()
  }

  private mutating func findCarriers() {
    if trace.tasks.isEmpty || trace.blocks.isEmpty { return }
    var runs: [(run: WorkRun, id: WorkID, isTask: Bool)] = []
    for block in trace.blocks { runs += block.runs.map { ($0, block.id, false) } }
    for task in trace.tasks { runs += task.runs.map { ($0, task.id, true) } }
    // What begins at the same moment and lasts longer is around the other.
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
      }
    }
  }

  /// Only what was done before the finish. Amortised O(what is in the answer, and their suspensions).
  mutating func of(_ operation: OperationRecord) -> Set<WorkID> {
    if let answer = known[operation.id] { return answer }
    let finished = operation.finished?.time ?? .min
    var answer: Set<WorkID> = []
    var open = finishers[operation.id] ?? []
    while let work = open.popLast() {
      guard answer.insert(work).inserted else { continue }
      if let block = trace.block(work) {
        if let submitter = block.submitter { open.append(submitter) }
      } else if let task = trace.task(work) {
        if let submitter = task.submitter { open.append(submitter) }
        open += carriers[work] ?? []
        for suspension in task.suspensions where (suspension.resumed ?? suspension.enqueued)?.time ?? .max <= finished {
          if let resumer = suspension.resumer { open.append(resumer) }
        }
      }
    }
    known[operation.id] = answer
    return answer
  }
}
