internal import Foundation
internal import OpTrace

extension Scenario {
  static let orphanDependency = broken(
    "orphan-dependency", "A picture waits for its download, which was never added to a queue."
  ) { run in
    let queue = TracedOperationQueue(name: "pictures", maxConcurrentOperationCount: 3, recorder: run.recorder)
    let account = TracedBlockOperation(name: "Read account") { run.pause(0.05) }
    let download = TracedBlockOperation(name: "Download picture") { run.pause(0.05) }
    let resize = TracedBlockOperation(name: "Resize picture") { run.pause(0.05) }
    let show = TracedBlockOperation(name: "Show picture") { run.say("The picture is shown.") }
    download.addDependency(account)
    resize.addDependency(download)
    show.addDependency(resize)
    var operations: [Operation] = [account, resize, show]
    if run.isFixed { operations.append(download) }
    queue.addOperations(operations, waitUntilFinished: true)
    // Somebody holds it all the while, as a view does with what it shows.
    withExtendedLifetime(download) {}
  }
}
