import Dispatch
import Foundation

/// Both halves of a deadlock, one after the other.
let latent: [String: @Sendable () -> Void] = [
  "two-locks": twoLocks, "three-locks": threeLocks, "two-queues": twoQueues, "slot-and-lock": slotAndLock,
  "queue-and-lock": queueAndLock, "writers": writers, "tasks-block-tasks": tasksBlockTasks,
  "operation-waits-for-block": operationWaitsForBlock,
  "one-task-blocks": { tasksBlock(1) }, "many-tasks-block": { tasksBlock(64) },
]

func transfer(from: Account, to: Account) {
  from.lock.lock()
  to.lock.lock()
  from.money -= 1
  to.money += 1
  to.lock.unlock()
  from.lock.unlock()
}

func twoLocks() {
  let (left, right) = (Account(), Account())
  together([{ transfer(from: left, to: right) }, { transfer(from: right, to: left) }])
}

func threeLocks() {
  let all = [Account(), Account(), Account()]
  together((0..<3).map { index in { transfer(from: all[index], to: all[(index + 1) % 3]) } })
}

func twoQueues() {
  let (cache, disk) = (DispatchQueue(label: "cache"), DispatchQueue(label: "disk"))
  let group = DispatchGroup()
  cache.async(group: group) { disk.sync { print("saved") } }
  disk.asyncAfter(deadline: .now() + 0.15) { cache.sync { print("loaded") } }
  usleep(300_000)
  group.wait()
}

/// The operation has the only slot, and takes the lock; somebody has the lock, and waits for an operation of that queue.
func slotAndLock() {
  let queue = OperationQueue()
  queue.name = "database"
  queue.maxConcurrentOperationCount = 1
  let account = Account()
  let writing = BlockOperation { account.lock.withLock { account.money += 1 } }
  together([
    {
      queue.addOperation(writing)
      writing.waitUntilFinished()
    },
    {
      account.lock.lock()
      let reading = BlockOperation { print("read") }
      queue.addOperation(reading)
      reading.waitUntilFinished()
      account.lock.unlock()
    },
  ])
}

func queueAndLock() {
  let queue = DispatchQueue(label: "state")
  let account = Account()
  together([
    { queue.sync { account.lock.withLock { account.money += 1 } } },
    { account.lock.withLock { queue.sync { account.money -= 1 } } },
  ])
}

/// The C library's own, for writing.
func writers() {
  let locks = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 2)
  for index in 0..<2 { pthread_rwlock_init(locks + index, nil) }
  nonisolated(unsafe) let pair = locks
  @Sendable func both(_ first: Int, _ second: Int) {
    pthread_rwlock_rdlock(pair + first)
    pthread_rwlock_wrlock(pair + second)
    pthread_rwlock_unlock(pair + second)
    pthread_rwlock_unlock(pair + first)
  }
  together([{ both(0, 1) }, { both(1, 0) }])
}

/// Each task blocks its thread until another task has run.
func tasksBlockTasks() {
  wait {
    for _ in 0..<5 {
      await Task.detached {
        let answered = DispatchSemaphore(value: 0)
        Task.detached { answered.signal() }
        block(on: answered)
      }.value
    }
  }
}

/// The same at once: one alone goes on.
func tasksBlock(_ count: Int) {
  wait {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let answered = DispatchSemaphore(value: 0)
          Task.detached { answered.signal() }
          block(on: answered)
        }
      }
    }
  }
}

/// Out of sight of the compiler, which forbids it in an async function.
func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

func operationWaitsForBlock() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  for _ in 0..<3 {
    queue.addOperation {
      let answered = DispatchSemaphore(value: 0)
      queue.underlyingWork { answered.signal() }
      answered.wait()
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

extension OperationQueue {
  /// Where the answer comes from.
  fileprivate func underlyingWork(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: body)
  }
}
