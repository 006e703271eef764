internal import Foundation
internal import OpTrace

extension Scenario {
  static let finishedWithoutStart = broken(
    "finished-without-start", "A cancelled download is finished before its queue has started it."
  ) { run in
    let queue = OperationQueue.named("downloads", limit: 1)
    for name in ["cover", "map", "comments"] { queue.addOperation(Download("Download \(name)", run)) }
    let show = BlockOperation.named("Show page") { run.say("The page is shown.") }
    queue.addOperation(show)
    // The map is not needed after all.
    queue.operations.first { $0.name == "Download map" }?.cancel()
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Sendable: the stored property is a constant.
private class Download: HandmadeOperation, @unchecked Sendable {
  private let run: ScenarioRun

  init(_ name: String, _ run: ScenarioRun) {
    self.run = run
    super.init(name)
  }

  override func execute() {
    Callbacks.shared.after(run.paced(0.1)) { if !self.isFinished { self.finish() } }
  }

  override func cancel() {
    super.cancel()
    // Before its start it is the start that has to finish it.
    if run.isFixed && !isExecuting { return }
    finish()
  }
}
