// The scenarios with the traced types. `OPTRACE_OUTPUT` says where the trace goes.
import Foundation
import OpTrace

typealias Work = TracedOperation
typealias BlockWork = TracedBlockOperation
typealias AsyncWork = TracedAsyncOperation
typealias PathWork = TracedAsyncOperation
typealias SilentWork = TracedAsyncOperation
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

// Then two ways meet the same operations.
if CommandLine.arguments.last == "instrument" { try TraceRecorder.default?.instrumentProcess() }

runProgram()
