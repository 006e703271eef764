internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  static let blockingWait = broken(
    "blocking-wait", "Thumbnails hold both slots of their queue and wait, instead of depending on what they need."
  ) { run in
    let network = OperationQueue.named("network", limit: 2)
    let images = OperationQueue.named("images", limit: 2)
    let download = Download("Download photo", run)
    let thumbnails = ["small", "large"].map { size in
      BlockOperation.named("Make \(size) thumbnail") {
        if !run.isFixed { download.waitUntilFinished() }
        run.pause(0.02)
      }
    }
    let upload = BlockOperation.named("Send statistics") {
      // A callback that is waited for holds the slot as well.
      let isSent = DispatchSemaphore(value: 0)
      Callbacks.shared.after(run.paced(run.isFixed ? 0 : 0.3)) { isSent.signal() }
      isSent.wait()
    }
    if run.isFixed { for thumbnail in thumbnails { thumbnail.addDependency(download) } }
    network.addOperation(download)
    images.addOperations(thumbnails, waitUntilFinished: false)
    for number in 1...3 { images.addOperation(BlockOperation.named("Rotate photo \(number)") { run.pause(0.05) }) }
    for queue in [network, images] { queue.waitUntilAllOperationsAreFinished() }
    network.addOperations([upload], waitUntilFinished: true)
    run.say("All photos are done.")
  }
}

/// Sendable: the stored property is a constant.
private class Download: HandmadeOperation, @unchecked Sendable {
  private let run: ScenarioRun

  init(_ name: String, _ run: ScenarioRun) {
    self.run = run
    super.init(name)
  }

  override func execute() { Callbacks.shared.after(run.paced(0.4)) { self.finish() } }
}
