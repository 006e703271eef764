internal import Foundation
internal import OpTrace

extension Scenario {
  static let blockFanOut = Scenario(
    "block-fan-out", "One operation with four blocks that run at the same time, on free threads."
  ) { run in
    let queue = TracedOperationQueue(name: "thumbnails", recorder: run.recorder)
    let thumbnails = TracedBlockOperation(name: "Four thumbnails") { run.pause(0.3) }
    for _ in 2...4 { thumbnails.addExecutionBlock { run.pause(0.3) } }
    let sheet = TracedBlockOperation(name: "Contact sheet") { run.pause(0.1) }
    // Finished, and the next one free to go, when the last block has returned.
    sheet.addDependency(thumbnails)
    queue.addOperations([thumbnails, sheet], waitUntilFinished: true)
  }
}
