internal import Foundation
internal import OpTrace

extension Scenario {
  static let dependentReleased = broken(
    "dependent-released", "A cancelled operation is released before its dependency is finished (Foundation on Linux)."
  ) { run in
    let queue = OperationQueue.named("cells", limit: 2)
    let download = BlockOperation.named("Download picture") { run.pause(0.3) }
    queue.addOperation(download)
    var kept: [Operation] = []
    for number in 1...4 {
      let show = BlockOperation.named("Show cell \(number)") {}
      show.addDependency(download)
      queue.addOperation(show)
      // The cell was scrolled away. Cancelled, it does not wait any longer, and its queue lets it go.
      show.cancel()
      if run.isFixed { kept.append(show) }
    }
    download.waitUntilFinished()
    queue.waitUntilAllOperationsAreFinished()
    run.say("The picture is here.")
    withExtendedLifetime(kept) {}
  }
}
