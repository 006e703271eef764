import Foundation
import OpTrace
import OpTraceDiagnostics

// A program that watches itself, recorded to `TraceRecorder.default`: prints what it is told of a queue that does not go on.

guard let recorder = TraceRecorder.default else { exit(1) }
try SignalReport.install(for: recorder).remove()

let reported = DispatchSemaphore(value: 0)
let watchdog = Watchdog(recorder, after: .milliseconds(200)) { report in
  print(report.verdict)
  reported.signal()
}
let held = TracedOperationQueue(name: "held")
held.isSuspended = true
held.addOperation(named: "ready") {}
reported.wait()
watchdog.cancel()

do {
  try withDeadlockDetection { recorder in
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: recorder)
    let inner = TracedBlockOperation(name: "inner") {}
    let outer = TracedBlockOperation(name: "outer") { inner.waitUntilFinished() }
    queue.addOperations([outer, inner], waitUntilFinished: true)
  }
} catch let error as DeadlockError {
  print(error.description.prefix { $0 != ":" })
}
