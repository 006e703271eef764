// A program that is linked with OpTrace, and without any shared library of Swift's: it records itself.
// usage: program [late]     late: after it has had a second thread
import Dispatch
import Foundation
import OpTrace

/// Says itself when it is finished.
final class Late: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var isRunning = false
  private var isOver = false
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { isRunning } }
  override var isFinished: Bool { lock.withLock { isOver } }

  override func start() {
    set(running: true, over: false)
    DispatchQueue.global().async { self.set(running: false, over: true) }
  }

  private func set(running: Bool, over: Bool) {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    lock.withLock {
      isRunning = running
      isOver = over
    }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

final class Plain: Operation, @unchecked Sendable {
  override func main() {}
}

actor Counter {
  private(set) var count = 0
  func add(_ value: Int) { count += value }
}

func workOnQueues() {
  let queue = OperationQueue()
  queue.name = "work"
  // An empty queue gives it to libdispatch.
  queue.addBarrierBlock {}
  for _ in 0..<4 { queue.addOperation(Plain()) }
  for _ in 0..<3 { queue.addOperation {} }
  for _ in 0..<2 { queue.addOperation(Late()) }
  queue.addBarrierBlock {}
  queue.waitUntilAllOperationsAreFinished()
  let group = DispatchGroup()
  for _ in 0..<5 { DispatchQueue.global().async(group: group) {} }
  group.wait()
}

@Sendable func workInTasks() async -> Int {
  let counter = Counter()
  async let first = 1
  await withTaskGroup(of: Void.self) { group in
    for value in 0..<6 { group.addTask { await counter.add(value) } }
  }
  return await first + counter.count
}

if CommandLine.arguments.contains("late") {
  let group = DispatchGroup()
  DispatchQueue.global().async(group: group) {}
  group.wait()
}
let recorder = TraceRecorder.default
do {
  try recorder?.instrumentProcess()
} catch {
  print(error)
}
workOnQueues()
let done = DispatchSemaphore(value: 0)
Task.detached {
  print(await workInTasks())
  done.signal()
}
done.wait()
try recorder?.stop()
