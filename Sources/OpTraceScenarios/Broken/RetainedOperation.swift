internal import Foundation
internal import OpTrace

extension Scenario {
  static let retainedOperation = broken(
    "retained-operation", "Each page depends on the one before, so the newest keeps all earlier ones in memory."
  ) { run in
    let queue = OperationQueue.named("pages", limit: 2)
    var newest: Operation?
    for number in 1...6 {
      let page = BlockOperation.named("Load page \(number)") { run.pause(0.02) }
      if let newest { page.addDependency(newest) }
      newest = page
      queue.addOperation(page)
      page.waitUntilFinished()
      if run.isFixed { for before in page.dependencies { page.removeDependency(before) } }
    }
    run.say("The reader reads.")
    run.pause(0.5)
    withExtendedLifetime(newest) {}
  }
}
