import OpTrace
import OpTraceTracing

// The least that uses it; only its size is measured.
OperationTracing.start()
let queue = TracedOperationQueue(name: "work")
queue.addOperation {}
queue.waitUntilAllOperationsAreFinished()
