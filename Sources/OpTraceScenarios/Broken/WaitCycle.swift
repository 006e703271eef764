internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  static let waitCycle = broken(
    "wait-cycle", "Two serial queues: the operation of each waits for one behind the other's."
  ) { run in
    let photos = OperationQueue.named("photos", limit: 1)
    let albums = OperationQueue.named("albums", limit: 1)
    let update = BlockOperation.named("Update album") { run.pause(0.05) }
    let covers = BlockOperation.named("Reload covers") { run.pause(0.05) }
    // Both have started before either continues, so that the rare case always happens.
    let bothRun = DispatchGroup()
    bothRun.enter()
    bothRun.enter()
    let importing = BlockOperation.named("Import photos") {
      bothRun.leave()
      bothRun.wait()
      albums.addOperation(update)
      if !run.isFixed { update.waitUntilFinished() }
    }
    let rename = BlockOperation.named("Rename album") {
      bothRun.leave()
      bothRun.wait()
      photos.addOperation(covers)
      if !run.isFixed { covers.waitUntilFinished() }
    }
    photos.addOperation(importing)
    albums.addOperation(rename)
    for operation in [importing, rename] { operation.waitUntilFinished() }
    for operation in [update, covers] { operation.waitUntilFinished() }
    run.say("Photos and albums agree.")
  }

  static let waitCycleMutual = broken(
    "wait-cycle", variant: "mutual", "Two operations that run at the same time wait for each other."
  ) { run in
    let sync = OperationQueue.named("sync", limit: 4)
    let upload = BlockOperation()
    upload.name = "Upload notes"
    let download = BlockOperation.named("Download notes") { [unowned upload] in
      // So that no note comes back as a conflict.
      if !run.isFixed { upload.waitUntilFinished() }
      run.pause(0.05)
    }
    upload.addExecutionBlock {
      // So that no newer note is overwritten.
      if !run.isFixed { download.waitUntilFinished() }
      run.pause(0.05)
    }
    if run.isFixed { upload.addDependency(download) }
    let merge = BlockOperation.named("Merge notes") { run.say("The notes are the same everywhere.") }
    merge.addDependency(upload)
    sync.addOperations([upload, download, merge], waitUntilFinished: true)
  }
}
