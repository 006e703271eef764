import Foundation

func limitedQueue(_ limit: Int) -> OperationQueue {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = limit
  return queue
}

// One of the programs, by its name; without one, all names.
let all = Array(healthy) + Array(healthyWaits) + Array(broken) + Array(brokenWaits)
guard let name = CommandLine.arguments.dropFirst().first, let program = all.first(where: { $0.key == name })?.value
else {
  for (name, _) in all { print(name) }
  exit(64)
}
program()
