internal import Foundation
internal import OpTrace

extension Scenario {
  static let barrierOnIdleQueue = broken(
    "barrier-on-idle-queue",
    "A barrier that is added to an idle queue runs although the queue is suspended (Foundation on Linux)."
  ) { run in
    let database = OperationQueue.named("database", limit: 4)
    database.isSuspended = true
    let isUnlocked = Flag()
    let compact: @Sendable () -> Void = {
      run.say(isUnlocked.value ? "Compacts the database." : "Compacts a database that is locked.")
      run.pause(0.1)
    }
    if run.isFixed {
      let barrier = BlockOperation(block: compact)
      barrier.name = "Compact database"
      database.addOperation(barrier)
    } else {
      database.addBarrierBlock(compact)
    }
    run.pause(0.2)
    isUnlocked.set()
    run.say("The database is unlocked.")
    database.isSuspended = false
    database.waitUntilAllOperationsAreFinished()
  }
}

/// Sendable: `state` is only touched under `lock`.
private final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var state = false

  var value: Bool { lock.withLock { state } }
  func set() { lock.withLock { state = true } }
}
