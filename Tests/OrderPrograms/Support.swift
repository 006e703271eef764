import Dispatch
import Foundation

/// Runs on a thread of its own, until it has ended.
func onThread(_ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    ended.signal()
  }
  thread.start()
  ended.wait()
}

/// Runs each on a thread of its own, which are all there at once. By chance one comes after the other: so the run ends well.
func together(_ bodies: [@Sendable () -> Void]) {
  let ended = DispatchSemaphore(value: 0)
  for (index, body) in bodies.enumerated() {
    let thread = Thread {
      usleep(UInt32(index) * 150_000)
      body()
      ended.signal()
    }
    thread.start()
  }
  for _ in bodies { ended.wait() }
}

/// Waits for a task from a thread that is none of Swift's pool.
func wait(for body: @escaping @Sendable () async -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    ended.signal()
  }
  ended.wait()
}

final class Account: @unchecked Sendable {
  let lock = NSLock()
  var money = 100
  let parent: Account?
  init(parent: Account? = nil) { self.parent = parent }
}
