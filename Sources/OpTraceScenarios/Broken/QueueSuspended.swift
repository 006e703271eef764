internal import Foundation
internal import OpTrace

extension Scenario {
  static let queueSuspended = broken(
    "queue-suspended", "Uploads pause while the network is down, and nothing resumes them when it is back."
  ) { run in
    let uploads = OperationQueue.named("uploads", limit: 2)
    for number in 1...4 { uploads.addOperation(BlockOperation.named("Upload \(number)") { run.pause(0.1) }) }
    let report = BlockOperation.named("Report uploads") { run.say("All is uploaded.") }
    report.addDependency(uploads.operations[3])
    uploads.addOperation(report)

    uploads.isSuspended = true
    run.say("The network is away.")
    run.pause(0.2)
    run.say("The network is back.")
    let isMetered = true
    // Meant to spare what costs money; it spares everything.
    if isMetered && !run.isFixed { return uploads.waitUntilAllOperationsAreFinished() }
    uploads.isSuspended = false
    uploads.waitUntilAllOperationsAreFinished()
  }

  static let queueSuspendedLimit = broken(
    "queue-suspended", variant: "limit", "A queue's limit is computed from the number of processors, and is 0."
  ) { run in
    let processors = 2
    // A quarter of the machine, which is nothing on a small one.
    let limit = run.isFixed ? max(1, processors / 4) : processors / 4
    let index = OperationQueue.named("index", limit: limit)
    for letter in ["A", "B", "C"] { index.addOperation(BlockOperation.named("Index \(letter)") { run.pause(0.02) }) }
    index.waitUntilAllOperationsAreFinished()
    run.say("All is indexed.")
  }
}
