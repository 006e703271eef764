internal import Foundation
internal import OpTrace

extension Scenario {
  static let priorityInversion = broken(
    "priority-inversion", "What the user waits for depends on low-priority work, which others overtake."
  ) { run in
    let queue = TracedOperationQueue(name: "pages", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let fetch = TracedBlockOperation(name: "Fetch page") { run.pause(0.05) }
    let show = TracedBlockOperation(name: "Show page") { run.say("The page is shown.") }
    show.queuePriority = .veryHigh
    fetch.queuePriority = run.isFixed ? .veryHigh : .veryLow
    show.addDependency(fetch)
    queue.isSuspended = true
    queue.addOperations([fetch, show], waitUntilFinished: false)
    for number in 1...5 { queue.addOperation(named: "Prefetch \(number)") { run.pause(0.08) } }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }
}
