internal import Foundation
internal import OpTrace

extension Scenario {
  static let doubleStart = broken(
    "double-start", "An impatient program starts an operation by hand although a queue owns it."
  ) { run in
    let queue = OperationQueue.named("exports", limit: 1)
    let began = DispatchSemaphore(value: 0)
    // Where the other is started by hand, Foundation ends the program long before: so it holds the only slot, however
    // busy the machine is.
    let export = BlockOperation.named("Export album") {
      began.signal()
      run.pause(run.isFixed ? 0.1 : 5)
    }
    let upload = BlockOperation.named("Upload album") { run.pause(0.1) }
    queue.addOperations([export, upload], waitUntilFinished: false)
    began.wait()
    // The user has asked for it: "upload now".
    if run.isFixed { upload.queuePriority = .veryHigh } else { upload.start() }
    queue.waitUntilAllOperationsAreFinished()
    run.say("The album is uploaded.")
  }

  static let doubleStartEnqueued = broken(
    "double-start", variant: "enqueued", "An operation is added to a second queue to run sooner."
  ) { run in
    let slow = OperationQueue.named("slow", limit: 1)
    let fast = OperationQueue.named("fast", limit: 4)
    slow.addOperation(BlockOperation.named("Download film") { run.pause(0.2) })
    let poster = BlockOperation.named("Download poster") { run.pause(0.05) }
    if !run.isFixed { slow.addOperation(poster) }
    fast.addOperation(poster)
    for queue in [slow, fast] { queue.waitUntilAllOperationsAreFinished() }
    run.say("Film and poster are here.")
  }
}
