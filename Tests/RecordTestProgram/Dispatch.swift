import Dispatch
import Foundation

/// Hands its work on from block to block, and is finished by the last.
private final class Upload: Operation, @unchecked Sendable {
  private let disk: DispatchQueue
  private let network: DispatchQueue
  private let lock = NSLock()
  private var state = 0

  init(_ disk: DispatchQueue, _ network: DispatchQueue) {
    self.disk = disk
    self.network = network
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == 1 } }
  override var isFinished: Bool { lock.withLock { state == 2 } }

  override func start() {
    set(1, "isExecuting")
    disk.async { [self] in
      usleep(1000)
      network.async { self.set(2, "isFinished") }
    }
  }

  private func set(_ value: Int, _ key: String) {
    willChangeValue(forKey: key)
    lock.withLock { state = value }
    didChangeValue(forKey: key)
  }
}

/// Blocks of dispatch queues, by all calls that submit one. What each prints is in one order.
func dispatchBlocks() {
  let disk = DispatchQueue(label: "disk")
  let network = DispatchQueue(label: "network", attributes: .concurrent)
  let below = DispatchQueue(label: "below", target: disk)
  let queue = OperationQueue()
  queue.addOperations([Upload(disk, network)], waitUntilFinished: true)

  let group = DispatchGroup()
  let done = DispatchSemaphore(value: 0)
  for _ in 0..<3 { network.async(group: group) { usleep(100) } }
  group.notify(queue: below) { done.signal() }
  done.wait()
  network.async(flags: .barrier) { done.signal() }
  done.wait()
  disk.asyncAfter(deadline: .now() + 0.01) { done.signal() }
  done.wait()
  let item = DispatchWorkItem { print("item") }
  disk.async(execute: item)
  disk.async(execute: item)
  // libdispatch ends a program that asks for the end of an item which has run twice.
  let last = DispatchWorkItem {}
  disk.async(execute: last)
  last.notify(queue: network) { done.signal() }
  done.wait()
  disk.sync {}
  let cancelled = DispatchWorkItem { print("never") }
  disk.async { usleep(2000) }
  disk.async(execute: cancelled)
  cancelled.cancel()
  disk.async(qos: .userInitiated) { done.signal() }
  done.wait()
  DispatchQueue.main.async { print("main") }
  network.async {
    // Long enough for another thread to take part.
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      usleep(5000)
      network.async { usleep(100) }
    }
    done.signal()
  }
  done.wait()
  let timer = DispatchSource.makeTimerSource(queue: disk)
  timer.setEventHandler { done.signal() }
  timer.schedule(deadline: .now() + 0.001)
  timer.resume()
  done.wait()
  RunLoop.main.run(until: Date() + 0.05)
  network.sync(flags: .barrier) {}
}
