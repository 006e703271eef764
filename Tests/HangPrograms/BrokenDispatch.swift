import Dispatch
import Foundation

// More programs that hang for good, by way of dispatch queues and the main thread.

/// The configuration never comes, so the queue stays suspended.
func dispatchQueueSuspended() {
  let queue = DispatchQueue(label: "events"), sent = DispatchGroup()
  queue.suspend()
  for number in 0..<3 { queue.async(group: sent) { print("sent", number) } }
  sent.wait()
  queue.resume()
}

func dispatchQueueInactive() {
  let queue = DispatchQueue(label: "importer", attributes: .initiallyInactive), done = DispatchGroup()
  queue.async(group: done) { print("imported") }
  done.wait()
  queue.activate()
}

/// Whoever reads the settings waits for a change of the settings.
func barrierBehindReader() {
  let settings = DispatchQueue(label: "settings", attributes: .concurrent), renamed = DispatchGroup()
  settings.sync {
    DispatchQueue.global().async(group: renamed) { settings.sync(flags: .barrier) { print("renamed") } }
    renamed.wait()
    print("read")
  }
}

/// The bridge from old code blocks the thread that the task needs.
func blockedMainActor() {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    try? await Task.sleep(nanoseconds: 10_000_000)
    await MainActor.run { print("shown") }
    done.signal()
  }
  done.wait()
}

/// A timer resumes it, so it is no hang.
func dispatchQueueResumedLater() {
  let queue = DispatchQueue(label: "throttle"), done = DispatchGroup()
  queue.suspend()
  queue.async(group: done) { print("sent") }
  DispatchQueue.global().asyncAfter(deadline: .now() + 600) { queue.resume() }
  done.wait()
}

/// Somebody else may still signal.
func mainActorAndInput() {
  let done = DispatchSemaphore(value: 0)
  Task.detached { await MainActor.run { print("shown") } }
  Thread {
    _ = readLine()
    done.signal()
  }.start()
  done.wait()
}

nonisolated(unsafe) let brokenDispatch: KeyValuePairs<String, () -> Void> = [
  "dispatch-queue-suspended": dispatchQueueSuspended, "dispatch-queue-inactive": dispatchQueueInactive,
  "barrier-behind-reader": barrierBehindReader, "blocked-main-actor": blockedMainActor,
]

nonisolated(unsafe) let healthyDispatch: KeyValuePairs<String, () -> Void> = [
  "dispatch-queue-resumed-later": dispatchQueueResumedLater, "main-actor-and-input": mainActorAndInput,
]
