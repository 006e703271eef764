import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let prematureFinish = Trouble("premature-finish", .misuse)
}

extension DoctorRule {
  /// Proof: a block or span of the operation ended at least 1 ms after its finish. Not counted: a span around the call
  /// of `finish()` itself (it ends on the thread that finished), what a cancelled operation still does, a block or task
  /// that caused the finish, and a task that was not seen to do anything after it.
  ///
  /// Work that began only after the finish may be a completion block, so it is a note, unless a dependent ran
  /// meanwhile.
  static let prematureFinish = DoctorRule(
    .prematureFinish, .warning,
    Guide(
      """
      Work of an operation continued after the operation was finished. Usually `main()` of a synchronous operation \
      starts something asynchronous and returns. For the queue the operation is done: its slot is free, and its \
      dependents start without the result.
      """,
      wrong: """
        override func main() {
          session.fetch(url) {
            self.article = parse($0)      // main() has returned long before
          }
        }
        """,
      right: """
        class LoadArticle: TracedAsyncOperation, @unchecked Sendable {
          override func execute() {
            session.fetch(url) {
              self.article = parse($0)
              self.finish()
            }
          }
        }
        """)
  ) { context in
    var works = context.lateWorks()
    let late = Set(works.map(\.operation.id))
    if !late.isEmpty { context.findDependents(of: late, &works) }
    context.removeCauses(&works)
    let groups = DoctorContext.groups(works, by: { DoctorContext.Pattern($0.operation) })
    return groups.map { context.prematureFinish($0.sorted { ($1.rank, $0.excess) > ($0.rank, $1.excess) }) }
  }
}

private struct LateWork {
  var operation: OperationRecord
  var what: String
  var began: Stamp
  var ended: Stamp
  var finished: Stamp
  /// The block or task; nil: it is neither.
  var submitted: WorkID?
  /// When the block or task began to run for the last time.
  var lastBegan: Nanoseconds = .min
  /// Whether it may have contributed to the finish, and was not seen to do anything after it.
  var mayOnlyReturnLate = false
  /// A dependent of the operation that began before this work was over.
  var misled: OperationRecord?
  /// A wait for the operation that ended before this work was over.
  var waiter: WaitRecord?

  var isHarmful: Bool { (misled != nil || waiter != nil) && !mayOnlyReturnLate }
  /// Harmful work sorts first.
  var rank: Int { isHarmful ? 0 : 1 }
  var excess: Nanoseconds { ended.time - finished.time }
  var isSubmitted: Bool { submitted != nil }
  var beganLate: Bool { !DoctorContext.isBefore(began.time, finished.time) }
  static let least: Nanoseconds = 1_000_000
  /// A runnable thread hardly ever has to wait so long for a processor: Linux gives each of n threads 3 ms in turn, so
  /// with 60 threads for one processor the wait is 180 ms.
  static let long: Nanoseconds = 200_000_000
}

extension DoctorContext {
  fileprivate func lateWorks() -> [LateWork] {
    guard !trace.operations.isEmpty else { return [] }
    var result: [LateWork] = []
    func add(_ operation: OperationRecord, _ what: String, _ began: Stamp, _ ended: Stamp?) {
      guard operation.coverage == .full, operation.cancelRequested == nil, let finished = operation.finished, let ended,
        ended.time > finished.time, ended.time - finished.time >= LateWork.least
      else { return }
      // The span is around the call of finish().
      if began.time <= finished.time, ended.thread == finished.thread { return }
      result.append(.init(operation: operation, what: what, began: began, ended: ended, finished: finished))
    }
    // A span of a tracer may outlive the work that began it.
    for span in trace.spans where span.context == nil {
      if let operation = span.operation.flatMap(operation) {
        add(operation, "'\(span.name)'", span.began, span.ended)
      }
    }
    for index in trace.operations.indices where !trace.operations[index].blocks.isEmpty {
      for block in trace.operations[index].blocks {
        add(
          trace.operations[index], "block \(UInt64(block.index) + 1)", Stamp(block.began, block.thread),
          block.ended.map { Stamp($0, block.thread) })
      }
    }
    var operations = Submitters(trace) { trace.index(of: $0) != nil }
    func addSubmitted(_ work: some Work) {
      guard let began = work.began, let over = work.over,
        let operation = operations.nearest(of: work.id).flatMap(operation),
        let submitted = work.submitted, submitted.time <= operation.finished?.time ?? .min
      else { return }
      let count = result.count
      add(operation, name(work.id), began, Stamp(over, work.runs.last?.thread ?? began.thread))
      guard result.count > count else { return }
      result[count].submitted = work.id
      result[count].lastBegan = work.runs.last?.began ?? began.time
    }
    for block in trace.blocks { addSubmitted(block) }
    for task in trace.tasks { addSubmitted(task) }
    return result
  }

  fileprivate func findDependents(of late: Set<OperationID>, _ works: inout [LateWork]) {
    var dependents: [OperationID: [Int]] = [:]
    for (index, operation) in trace.operations.enumerated() where operation.executionBegan != nil {
      for dependency in operation.dependencies where late.contains(dependency.on) && dependency.removed == nil {
        dependents[dependency.on, default: []].append(index)
      }
    }
    var waits: [OperationID: [WaitRecord]] = [:]
    for wait in trace.waits {
      if case .operation(let id) = wait.target, late.contains(id) { waits[id, default: []].append(wait) }
    }
    for index in works.indices {
      works[index].waiter = waits[works[index].operation.id]?.first { wait in
        wait.ended.map { Self.isBefore($0, works[index].ended.time) } ?? false
      }
      works[index].misled = dependents[works[index].operation.id]?.lazy.map { trace.operations[$0] }.first {
        $0.executionBegan.map { Self.isBefore($0.time, works[index].ended.time) } ?? false
      }
    }
  }

  /// Removes work that caused the finish: on a busy machine, whoever resumed the finisher may return a moment later. If
  /// it goes on to do more, that is seen only if it runs again. The same holds for tasks that led to the finish in a
  /// way that no trace shows, such as one that counts down before the last one does.
  fileprivate func removeCauses(_ works: inout [LateWork]) {
    let operations = Dictionary(
      works.filter(\.isSubmitted).map { ($0.operation.id, $0.operation) }, uniquingKeysWith: { first, _ in first })
    var causes = FinishCauses(trace, of: operations.values)
    works.removeAll { work in
      guard let id = work.submitted else { return false }
      if causes.endsUnseen(id), !causes.wentOn(id, after: work.operation, lastBegan: work.lastBegan) { return true }
      return work.lastBegan <= work.finished.time && causes.of(work.operation).contains(id)
    }
    for index in works.indices {
      guard let id = works[index].submitted else { continue }
      let operation = works[index].operation
      works[index].mayOnlyReturnLate =
        works[index].excess < LateWork.long && !causes.wentOn(id, after: operation, lastBegan: works[index].lastBegan)
        && causes.isFinishedByItsWork(operation)
    }
  }

  fileprivate func prematureFinish(_ works: [LateWork]) -> Finding {
    var operations: [OperationRecord] = []
    var known = Set<OperationID>()
    for work in works where known.insert(work.operation.id).inserted { operations.append(work.operation) }
    let worst = works[0]
    // Work that nobody relies on may outlive its operation.
    let isHarmful = works.contains(where: \.isHarmful)
    let className = worst.operation.className
    var finding = Finding(
      .prematureFinish, isHarmful ? .warning : .note, ending: .itWorks,
      title:
        "\(those(operations)) \(operations.count == 1 ? "was finished before its" : "were finished before their") work was over",
      explanation: "\(worst.what.uppercasedFirst) of \(name(worst.operation.id)) continued for "
        + "\(DurationText.text(worst.excess)) after the finish. For the queue and the dependents it was done.",
      fix: worst.operation.isAsynchronous
        ? "Call finish() of \(className) only when all of its work is over."
        : Self.asAsynchronous(worst.operation) + ": \(Self.whatAsynchronousMeans).")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for work in works.prefix(3) {
      let name = name(work.operation.id)
      finding.evidence.append(.init(at: work.finished, "\(name) was finished"))
      if let misled = work.misled {
        finding.evidence.append(
          .init(at: misled.executionBegan, "\(self.name(misled.id)), which depends on it, began"))
      }
      if let waiter = work.waiter, let ended = waiter.ended {
        finding.evidence.append(
          .init(at: Stamp(ended, waiter.thread), "\(self.name(waiter.thread)) had waited for it, and went on"))
      }
      finding.evidence.append(
        .init(
          at: work.ended,
          "\(work.what) of \(name) ended \(DurationText.text(work.excess)) after the finish"
            + (work.beganLate ? "; it began after the finish" : "")))
    }
    return proven(finding)
  }
}
