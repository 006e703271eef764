internal import Foundation
internal import OpTrace

extension Scenario {
  static let dependencyChainCost = broken(
    "dependency-chain-cost", "Thousands of rows wait in one queue, each for the one before (Foundation on Linux)."
  ) { run in
    let queue = OperationQueue.named("rows", limit: run.isFixed ? 1 : 4)
    let rows = (1...2000).map { _ in BlockOperation {} }
    // A serial queue keeps their order without it.
    if !run.isFixed { for (row, before) in zip(rows.dropFirst(), rows) { row.addDependency(before) } }
    queue.addOperations(rows, waitUntilFinished: true)
    run.say("\(rows.count) rows are written.")
  }
}
