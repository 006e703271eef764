import OpTrace
import OpTraceMetrics

// The least that uses it; only its size is measured.
let metrics = OperationMetrics.start()
metrics.refresh()
let queue = TracedOperationQueue(name: "work")
queue.addOperation {}
queue.waitUntilAllOperationsAreFinished()
