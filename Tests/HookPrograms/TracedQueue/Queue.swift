// The queues of the programs whose queues are traced.
import Foundation
import OpTrace

typealias Queue = TracedOperationQueue

func theMainQueue() -> Queue { MainQueue.traced }

enum MainQueue {
  /// Made when it is asked for.
  static let traced = {
    let queue = TracedOperationQueue(name: "main", maxConcurrentOperationCount: 1)
    queue.underlyingQueue = .main
    queue.qualityOfService = .userInteractive
    return queue
  }()
}
