internal import Foundation
internal import OpTrace

extension Scenario {
  static let priorities = Scenario(
    "priorities", "Priority orders ready operations: the most urgent one still waits for its least urgent dependency."
  ) { run in
    let queue = TracedOperationQueue(name: "reports", maxConcurrentOperationCount: 1, recorder: run.recorder)
    func report(_ name: String, _ priority: Operation.QueuePriority, line: UInt = #line) -> Operation {
      let operation = Step(name, seconds: run.paced(0.12), line: line)
      operation.queuePriority = priority
      return operation
    }
    let figures = report("Figures (very low)", .veryLow)
    let board = report("Board (very high)", .veryHigh)
    board.addDependency(figures)
    let others = [
      report("Archive (low)", .low), report("Newsletter (normal)", .normal), report("Invoices (high)", .high),
      report("Alarm (very high)", .veryHigh),
    ]
    // Held back until all are there: else the first one would run before the others have come.
    queue.isSuspended = true
    queue.addOperations([figures, board] + others, waitUntilFinished: false)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }
}
