import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let cancelledNeverFinished = Trouble("cancelled-never-finished", .stuck)
}

extension DoctorRule {
  static let cancelledNeverFinished = DoctorRule(
    .cancelledNeverFinished, .error,
    Guide(
      """
      An operation was cancelled and never finished: its `start()` sees the cancellation and returns, or its \
      `cancel()` stops the work, and nothing sets `isFinished` to true. A cancelled operation stays in its queue, and \
      keeps its slot, until it is finished.
      """,
      wrong: """
        override func start() {
          if isCancelled { return }           // stays in the queue forever
          begin()
        }
        """,
      right: """
        override func start() {
          if isCancelled { return finish() }
          begin()
        }
        """)
  ) { context in
    let (errors, _) = context.judged(context.suspects.filter { $0.kind == .cancelled })
    guard !errors.isEmpty else { return [] }
    // Who cancelled it.
    let runs = NestedRuns<WorkID> { add in
      ThreadRuns.forEachRun(in: context.trace) { work, run, ended in add(work, run.thread, run.began, ended) }
    }
    return errors.map { suspect, root in
      let operation = context.trace.operations[suspect.index]
      let name = context.name(operation.id)
      let returned = operation.startReturned
      var finding = Finding(
        .cancelledNeverFinished, .error, ending: .operationItself, title: "\(name) was cancelled and never finished",
        explanation: returned != nil && operation.executionBegan == nil
          ? "Its start() returned, its main() was not entered, and it is not finished. A cancelled operation stays in its queue until "
            + "isFinished is true."
          : "It was cancelled, nothing has moved for \(DurationText.text(context.silence)), and it is not finished. A "
            + "cancelled operation stays in its queue until isFinished is true.",
        fix: (operation.executionBegan == nil
          ? "Finish \(operation.className) in start() if isCancelled is true, and not in cancel(): it was not started yet. If start() "
            + "does that, it has no effect: isFinished has to become true although it was never executing. "
          : "Finish \(operation.className) in cancel() while it executes. ")
          + "Set isExecuting to false and isFinished to true, with KVO notifications (TracedAsyncOperation does this, if you "
          + "link OpTrace)."
      )
      finding.operations = [operation.id]
      finding.queues = context.queues(of: [operation])
      if let cancelled = operation.cancelRequested {
        let by = runs.innermost(at: cancelled).map { " by \(context.name($0))\(context.codePhrase(of: $0))" } ?? ""
        finding.evidence.append(.init(at: cancelled, "cancel() was called on \(name)\(by)"))
      }
      if let started = operation.started { finding.evidence.append(.init(at: started, "start() was entered")) }
      if let returned { finding.evidence.append(.init(at: returned, "start() returned; \(name) is not finished")) }
      finding.evidence.sort { ($0.time ?? .min) < ($1.time ?? .min) }
      context.addHeld(root, to: &finding)
      return suspect.isProven ? context.undoable(context.proven(finding)) : context.silent(finding)
    }
  }
}
