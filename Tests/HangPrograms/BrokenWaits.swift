import Dispatch
import Foundation
import Synchronization

// More programs that hang for good: waits for what nobody does, for oneself, and for threads that all wait.

func delegateQueue() {
  // A callback comes on the queue whose only slot waits for it, as with a session's delegate queue.
  let queue = limitedQueue(1)
  queue.name = "delegate"
  queue.addOperation {
    let done = DispatchSemaphore(value: 0)
    Thread {
      usleep(100_000)
      queue.addOperation { done.signal() }
    }.start()
    done.wait()
  }
  queue.waitUntilAllOperationsAreFinished()
}

func connectionPool() {
  // Each request needs a second connection while it has one.
  let pool = DispatchSemaphore(value: 2)
  let queue = limitedQueue(2)
  let meeting = Meeting(of: 2)
  for _ in 0..<4 {
    queue.addOperation {
      pool.wait()
      meeting.arrive()
      pool.wait()
      pool.signal()
      pool.signal()
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

func throwPath() {
  // What throws does not signal.
  let slot = DispatchSemaphore(value: 1)
  struct Bad: Error {}
  @Sendable func work(_ number: Int) throws {
    slot.wait()
    if number == 0 { throw Bad() }
    slot.signal()
  }
  let queue = limitedQueue(1)
  for number in 0..<3 { queue.addOperation { try? work(number) } }
  queue.waitUntilAllOperationsAreFinished()
}

func streamNeverEnds() {
  let (stream, continuation) = AsyncStream<Int>.makeStream()
  continuation.yield(1)
  keptStream.withLock { $0 = continuation }
  Task {
    for await number in stream { print(number) }
    exit(0)
  }
  dispatchMain()
}
let keptStream = Mutex<AsyncStream<Int>.Continuation?>(nil)

final class NotifiesUnderLock: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false
  override var isAsynchronous: Bool { true }
  override var isFinished: Bool { lock.withLock { isOver } }
  override func start() {
    DispatchQueue.global().async { [self] in
      lock.withLock {
        willChangeValue(forKey: "isFinished")
        isOver = true
        didChangeValue(forKey: "isFinished")
      }
    }
  }
}

func kvoUnderLock() {
  let queue = limitedQueue(1)
  let first = NotifiesUnderLock(), second = BlockOperation {}
  second.addDependency(first)
  queue.addOperations([first, second], waitUntilFinished: true)
}

func mainQueueOperation() {
  let operation = BlockOperation {}
  OperationQueue.main.addOperation(operation)
  operation.waitUntilFinished()
}

func groupChild() {
  Task {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await lost() }
      group.addTask {}
    }
    exit(0)
  }
  dispatchMain()
}

func addAndWaitInside() {
  let queue = limitedQueue(1)
  queue.addOperation { queue.addOperations([BlockOperation {}], waitUntilFinished: true) }
  queue.waitUntilAllOperationsAreFinished()
}

func waitUntilEmptyInside() {
  let queue = limitedQueue(1)
  queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
  queue.waitUntilAllOperationsAreFinished()
}

func dependsOnSuspended() {
  let paused = limitedQueue(1), work = limitedQueue(1)
  paused.isSuspended = true
  let first = BlockOperation {}, second = BlockOperation {}
  second.addDependency(first)
  paused.addOperation(first)
  work.addOperation(second)
  second.waitUntilFinished()
}

func neverAdded() {
  let queue = limitedQueue(2)
  let first = BlockOperation {}, second = BlockOperation {}
  second.addDependency(first)
  queue.addOperation(second)
  queue.waitUntilAllOperationsAreFinished()
}

final class NeverReady: Operation, @unchecked Sendable { override var isReady: Bool { false } }

func neverReady() { limitedQueue(1).addOperations([NeverReady()], waitUntilFinished: true) }

func threadsAcross() {
  let first = NSLock(), second = NSLock()
  let done = DispatchSemaphore(value: 0)
  let meeting = Meeting(of: 2)
  for (one, other) in [(first, second), (second, first)] {
    Thread {
      one.lock()
      meeting.arrive()
      other.lock()
      done.signal()
    }.start()
  }
  done.wait()
}

func workItemWait() {
  // It waits for what its own serial queue has to run.
  let queue = DispatchQueue(label: "serial")
  let done = DispatchSemaphore(value: 0)
  queue.async {
    let item = DispatchWorkItem {}
    queue.async(execute: item)
    item.wait()
    done.signal()
  }
  done.wait()
}

func lockTwice() {
  let lock = NSLock()
  let done = DispatchSemaphore(value: 0)
  DispatchQueue(label: "store").async {
    lock.lock()
    lock.lock()
    done.signal()
  }
  done.wait()
}

func tasksWaitForTasks() {
  // Every thread of the pool waits for a task that needs one.
  @Sendable func fetch() {
    let done = DispatchSemaphore(value: 0)
    Task { done.signal() }
    done.wait()
  }
  Task {
    await withTaskGroup(of: Void.self) { group in for _ in 0..<8 { group.addTask { fetch() } } }
    exit(0)
  }
  dispatchMain()
}

actor Bank {
  func pay() {
    let done = DispatchSemaphore(value: 0)
    Task { finish(done) }
    done.wait()
  }
  private func finish(_ done: DispatchSemaphore) { done.signal() }
}

func actorWaitsForItself() {
  let bank = Bank()
  Task {
    await bank.pay()
    exit(0)
  }
  dispatchMain()
}

func operationWaitsForTask() {
  let queue = limitedQueue(1)
  queue.addOperation {
    let done = DispatchSemaphore(value: 0)
    Task {
      await lost()
      done.signal()
    }
    done.wait()
  }
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

final class IgnoresItsEnd: Operation, @unchecked Sendable {
  override var isAsynchronous: Bool { true }
  override func start() { if !isCancelled { DispatchQueue.global().async {} } }
}

func cancelledAndForgotten() {
  let queue = limitedQueue(1)
  let operation = IgnoresItsEnd()
  queue.isSuspended = true
  queue.addOperation(operation)
  operation.cancel()
  queue.isSuspended = false
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

/// A condition is waited for until a day that nobody will see, and nobody signals it. (Foundation on Linux crashes at
/// `.distantFuture`.)
func inACentury() {
  let condition = NSCondition()
  let queue = OperationQueue()
  queue.addOperation {
    condition.lock()
    _ = condition.wait(until: Date(timeIntervalSinceNow: 100 * 365 * 86400))
    condition.unlock()
  }
  queue.waitUntilAllOperationsAreFinished()
}

/// Who holds the lock wants the main queue; the main thread wants the lock.
func lockAgainstMain() {
  let lock = NSLock()
  let held = DispatchSemaphore(value: 0)
  DispatchQueue(label: "store").async {
    lock.lock()
    held.signal()
    DispatchQueue.main.sync {}
    lock.unlock()
  }
  held.wait()
  usleep(100_000)
  lock.lock()
  lock.unlock()
  dispatchMain()
}

private let scaleBegan = DispatchSemaphore(value: 0)

private enum Screen {
  static let scale: Int = {
    scaleBegan.signal()
    return DispatchQueue.main.sync { 2 }
  }()
}

/// A value is made in the background, by the main queue; the main thread waits until it is made.
func initialiserAgainstMain() {
  _ = scaleBegan
  let queue = OperationQueue()
  queue.addOperation { _ = Screen.scale }
  scaleBegan.wait()
  usleep(100_000)
  _ = Screen.scale
  queue.waitUntilAllOperationsAreFinished()
}

/// "Ready" is signalled once, and two wait for it.
func oneSignalForTwo() {
  let ready = DispatchSemaphore(value: 0)
  let queue = limitedQueue(2)
  ready.signal()
  for number in 1...2 {
    queue.addOperation {
      ready.wait()
      print("stored", number)
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

/// Nobody signals, and a thread computes for ever.
func signalBesideWork() {
  let ready = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    var sum = 0
    while true { sum &+= 1 }
  }
  ready.wait()
}

nonisolated(unsafe) let brokenWaits: KeyValuePairs<String, () -> Void> = [
  "delegate-queue": delegateQueue, "connection-pool": connectionPool, "throw-path": throwPath,
  "stream-never-ends": streamNeverEnds, "kvo-under-lock": kvoUnderLock, "main-queue-operation": mainQueueOperation,
  "group-child": groupChild, "add-and-wait-inside": addAndWaitInside,
  "wait-until-empty-inside": waitUntilEmptyInside, "depends-on-suspended": dependsOnSuspended,
  "never-added": neverAdded, "never-ready": neverReady, "threads-across": threadsAcross,
  "work-item-wait": workItemWait, "lock-twice": lockTwice, "tasks-wait-for-tasks": tasksWaitForTasks,
  "actor-waits-for-itself": actorWaitsForItself, "operation-waits-for-task": operationWaitsForTask,
  "cancelled-and-forgotten": cancelledAndForgotten, "in-a-century": inACentury,
  "lock-against-main": lockAgainstMain, "initialiser-against-main": initialiserAgainstMain,
  "one-signal-for-two": oneSignalForTwo, "signal-beside-work": signalBesideWork,
]
