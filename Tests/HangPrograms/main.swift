import Foundation
import Synchronization

/// Lets its callers go on when all of them have come. It is no lock and no semaphore, which would be in the trace.
final class Meeting: Sendable {
  private let missing: Atomic<Int>
  init(of count: Int) { missing = Atomic(count) }
  func arrive() {
    missing.subtract(1, ordering: .sequentiallyConsistent)
    while missing.load(ordering: .sequentiallyConsistent) > 0 { usleep(1000) }
  }
}

func limitedQueue(_ limit: Int) -> OperationQueue {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = limit
  return queue
}

// One of the programs, by its name; without one, all names.
let all =
  Array(healthy) + Array(healthyWaits) + Array(healthyDispatch) + Array(healthyReferences) + Array(healthyItself)
  + Array(broken) + Array(brokenWaits) + Array(brokenDispatch) + Array(brokenReferences) + Array(brokenItself)
guard let name = CommandLine.arguments.dropFirst().first, let program = all.first(where: { $0.key == name })?.value
else {
  for (name, _) in all { print(name) }
  exit(64)
}
program()
