import OpTrace

// The least that uses it; only its size is looked at.
let queue = TracedOperationQueue(name: "work")
queue.addOperation {}
queue.waitUntilAllOperationsAreFinished()
