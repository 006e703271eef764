import OpTrace
import OpTraceTracing

// The least that uses it; only its size is looked at.
OperationTracing.start()
let queue = TracedOperationQueue(name: "work")
queue.addOperation {}
queue.waitUntilAllOperationsAreFinished()
