internal import Foundation
internal import OpTrace

extension Scenario {
  static let barrierReentry = broken(
    "barrier-reentry",
    "A cancelled query is added behind a barrier, and the call never returns (Foundation on Linux)."
  ) { run in
    let database = OperationQueue.named("database", limit: 4)
    database.addOperation(BlockOperation.named("Read rows") { run.pause(0.2) })
    database.addBarrierBlock { run.say("The tables are migrated.") }
    let query = BlockOperation.named("Query totals") { run.pause(0.05) }
    // The user has closed the window meanwhile.
    query.cancel()
    if run.isFixed && query.isCancelled {
      run.say("Nobody needs the totals any more.")
    } else {
      database.addOperation(query)
    }
    database.waitUntilAllOperationsAreFinished()
  }
}
