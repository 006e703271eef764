internal import Foundation
internal import OpTrace

extension Scenario {
  static let crossQueue = Scenario(
    "cross-queue", "Dependencies work across queues: storing waits for downloads, and indexing for both."
  ) { run in
    let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let store = TracedOperationQueue(name: "store", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let songs = Request("Download songs", seconds: run.paced(0.35))
    let covers = Request("Download covers", seconds: run.paced(0.2))
    let saveSongs = Step("Save songs", seconds: run.paced(0.15))
    let saveCovers = Step("Save covers", seconds: run.paced(0.15))
    let report = Request("Report success", seconds: run.paced(0.1))
    saveSongs.addDependency(songs)
    saveCovers.addDependency(covers)
    report.addDependency(saveSongs)
    report.addDependency(saveCovers)
    // The waiting ones first: the order of adding does not matter.
    store.addOperations([saveSongs, saveCovers], waitUntilFinished: false)
    network.addOperations([songs, covers, report], waitUntilFinished: false)
    report.waitUntilFinished()
  }
}
