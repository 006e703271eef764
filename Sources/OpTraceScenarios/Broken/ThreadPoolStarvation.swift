internal import Dispatch
internal import Foundation
internal import OpTrace

extension Scenario {
  static let threadPoolStarvation = broken(
    "thread-pool-starvation", "Thumbnails hold all threads and wait for an operation that gets none."
  ) { run in
    // As many at a time as the system allows: a thread for each processor, and one more each second.
    let queue = OperationQueue.named("thumbnails")
    let isLoaded = DispatchSemaphore(value: 0)
    let library = BlockOperation.named("Load library") {
      run.pause(0.05)
      isLoaded.signal()
    }
    let count = ProcessInfo.processInfo.activeProcessorCount + 2
    for number in 1...count {
      let thumbnail = BlockOperation.named("Thumbnail \(number)") {
        if !run.isFixed {
          isLoaded.wait()
          // For the next one.
          isLoaded.signal()
        }
        run.pause(0.01)
      }
      if run.isFixed { thumbnail.addDependency(library) }
      queue.addOperation(thumbnail)
    }
    queue.addOperation(library)
    queue.waitUntilAllOperationsAreFinished()
    run.say("All thumbnails are made.")
  }
}
