import OpTrace

// The least that uses it; only its size is measured.
let queue = TracedOperationQueue(name: "work")
queue.addOperation {}
queue.waitUntilAllOperationsAreFinished()
