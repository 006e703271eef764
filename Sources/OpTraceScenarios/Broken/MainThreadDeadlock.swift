internal import Foundation
internal import OpTrace

extension Scenario {
  static let mainThreadDeadlock = broken(
    "main-thread-deadlock", "The main thread waits for an operation that hops to the main queue before it is over."
  ) { run in
    let background = OperationQueue.named("background", limit: 2)
    let show = BlockOperation.named("Show progress") { run.say("The report is half done.") }
    background.addOperation(
      BlockOperation.named("Render report") {
        run.pause(0.05)
        OperationQueue.main.addOperation(show)
        show.waitUntilFinished()
        run.pause(0.05)
      })
    if run.isFixed {
      // Goes on with what the main thread has to do.
      MainThread.wait(forFinished: background)
    } else {
      background.waitUntilAllOperationsAreFinished()
    }
    run.say("The report is rendered.")
  }
}
