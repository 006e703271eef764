import Foundation

/// Each wait is for something that goes on only when the waiting thread has been seen asleep.
enum Waiting {
  /// Those added wait in the order of the list: for `last` first, and then `first` is over.
  static func addAndWait() {
    let work = queue("work", limit: 2)
    let here = WatchedThread()
    let first = Step("first") { _ in here.waitUntilBlocked() }
    let last = block("last")
    last.addDependency(first)
    work.addOperations([last, first], waitUntilFinished: true)
    say("both over: \(first.isFinished && last.isFinished)")
  }

  static func forOne() {
    let work = queue("work")
    let here = WatchedThread()
    let step = Step("step") { _ in here.waitUntilBlocked() }
    work.addOperation(step)
    step.waitUntilFinished()
    let block = block("block") { here.waitUntilBlocked() }
    work.addOperation(block)
    block.waitUntilFinished()
    // Other code than the block's: the optimiser would make one function of both.
    let fetch = Fetch("fetch") { if !work.isSuspended { here.waitUntilBlocked() } }
    work.addOperation(fetch)
    fetch.waitUntilFinished()
    say("all over: \(step.isFinished && block.isFinished && fetch.isFinished)")
  }

  /// An operation waits for one of another queue, and for that queue.
  static func fromInside() {
    let waiting = queue("waiting", limit: 1)
    let worked = queue("worked", limit: 1)
    waiting.addOperation(
      Step("waits for one") { _ in
        let here = WatchedThread()
        let target = Step("target") { _ in here.waitUntilBlocked() }
        worked.addOperation(target)
        target.waitUntilFinished()
      })
    waiting.addOperation(
      block("waits for all") {
        let here = WatchedThread()
        worked.addOperation(Step("one of all") { _ in here.waitUntilBlocked() })
        worked.waitUntilAllOperationsAreFinished()
      })
    waiting.waitUntilAllOperationsAreFinished()
  }
}
