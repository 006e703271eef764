internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  /// Five seconds: the recorder takes a snapshot of the threads when nothing has moved for one or two.
  static let lockCycle = broken(
    "lock-cycle", "Two transfers lock the same two accounts in opposite order.", silence: 5
  ) { run in
    let bank = OperationQueue.named("bank", limit: 2)
    let (savings, wages) = (NSLock(), NSLock())
    // Both have their first lock before either takes its second: what happens only sometimes happens always.
    let bothLocked = DispatchGroup()
    bothLocked.enter()
    bothLocked.enter()
    func transfer(_ name: String, _ first: NSLock, _ second: NSLock) -> BlockOperation {
      BlockOperation.named(name) {
        if run.isFixed {
          bothLocked.leave()
          bothLocked.wait()
        }
        first.lock()
        if !run.isFixed {
          bothLocked.leave()
          bothLocked.wait()
        }
        second.lock()
        run.pause(0.02)
        second.unlock()
        first.unlock()
      }
    }
    let save = transfer("Save wages", wages, savings)
    let spend = run.isFixed ? transfer("Spend savings", wages, savings) : transfer("Spend savings", savings, wages)
    bank.addOperations([save, spend], waitUntilFinished: true)
    run.say("Both accounts are in order.")
  }

  static let lockCycleWait = broken(
    "lock-cycle", variant: "wait", "The main thread holds a lock and waits for an operation that needs it.", silence: 5
  ) { run in
    let work = OperationQueue.named("work", limit: 2)
    let cache = NSLock()
    let refresh = BlockOperation.named("Refresh cache") {
      cache.lock()
      run.pause(0.02)
      cache.unlock()
    }
    cache.lock()
    work.addOperation(refresh)
    if run.isFixed { cache.unlock() }
    refresh.waitUntilFinished()
    if !run.isFixed { cache.unlock() }
    run.say("The cache is fresh.")
  }
}
