internal import Foundation
internal import OpTrace

extension Scenario {
  static let queueSelfWait = broken(
    "queue-self-wait", "An operation of a serial queue waits for another one behind it in the same queue."
  ) { run in
    let database = OperationQueue.named("database", limit: 1)
    let journal = BlockOperation.named("Write journal") { run.pause(0.05) }
    let save = BlockOperation.named("Save order") {
      run.pause(0.05)
      guard !run.isFixed else { return }
      // The order counts as saved when the journal is written. It never gets the slot that is waited in.
      database.addOperation(journal)
      journal.waitUntilFinished()
    }
    let confirm = BlockOperation.named("Confirm order") { run.say("The order is saved.") }
    if run.isFixed {
      journal.addDependency(save)
      confirm.addDependency(journal)
      database.addOperation(journal)
    } else {
      confirm.addDependency(save)
    }
    database.addOperations([save, confirm], waitUntilFinished: true)
  }
}
