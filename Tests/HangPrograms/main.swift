import Foundation

func limitedQueue(_ limit: Int) -> OperationQueue {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = limit
  return queue
}

// One of the programs, by its name; without one, all names.
guard let name = CommandLine.arguments.dropFirst().first,
  let program = (Array(healthy) + Array(broken)).first(where: { $0.key == name })?.value
else {
  for (name, _) in Array(healthy) + Array(broken) { print(name) }
  exit(64)
}
program()
