import Foundation
import OpTrace

/// Until a task has run on another thread.
private func waitForTask(_ body: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task {
    await body()
    done.signal()
  }
  done.wait()
}

/// False when there is no such mode.
func runTaskMode(_ mode: String, recorder open: (TraceRecorder.Configuration) -> TraceRecorder) throws -> Bool {
  switch mode {
  case "tasks":
    // The program has used tasks before, and one is under way when the recording begins.
    waitForTask { await Task.yield() }
    let begun = DispatchSemaphore(value: 0)
    let (stream, gate) = AsyncStream.makeStream(of: Void.self)
    let underWay = Task {
      begun.signal()
      for await _ in stream {}
      await Task.yield()
    }
    begun.wait()
    var configuration = TraceRecorder.Configuration()
    configuration.recordsTasks = true
    let recorder = open(configuration)
    gate.finish()
    // Until it is over, and not only its last line done: its thread may be late with the rest.
    waitForTask { await underWay.value }
    let queue = TracedOperationQueue(name: "traced", recorder: recorder)
    let operation = TracedTaskOperation(name: "by task") { await Task.yield() }
    queue.addOperations([operation], waitUntilFinished: true)
    waitForTask { await Task.yield() }
    try recorder.stop()
    waitForTask { await Task.yield() }

  default: return false
  }
  return true
}
