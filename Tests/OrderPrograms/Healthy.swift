import Dispatch
import Foundation

/// Two orders that never meet, or no orders at all.
let healthy: [String: @Sendable () -> Void] = [
  "gate": gate, "ordered-by-dependency": orderedByDependency, "ordered-by-submission": orderedBySubmission,
  "same-strand": sameStrand, "try-lock": tryLock, "readers": readers, "parent-before-child": parentBeforeChild,
  "before-the-threads": beforeTheThreads,
  "recursive": recursive, "condition": condition, "one-order": oneOrder, "semaphore-as-lock": semaphoreAsLock,
]

/// Whoever takes both has the third lock first.
func gate() {
  let (left, right, gate) = (Account(), Account(), NSLock())
  together([
    { gate.withLock { transfer(from: left, to: right) } }, { gate.withLock { transfer(from: right, to: left) } },
  ])
}

func orderedByDependency() {
  let queue = OperationQueue()
  let (left, right) = (Account(), Account())
  let first = BlockOperation { transfer(from: left, to: right) }
  let second = BlockOperation { transfer(from: right, to: left) }
  second.addDependency(first)
  queue.addOperations([first, second], waitUntilFinished: true)
}

/// The second order begins when the first one is over, because that submits it.
func orderedBySubmission() {
  let (left, right) = (Account(), Account())
  let group = DispatchGroup()
  DispatchQueue.global().async(group: group) {
    transfer(from: left, to: right)
    DispatchQueue.global().async(group: group) { transfer(from: right, to: left) }
  }
  group.wait()
}

func sameStrand() {
  let (left, right) = (Account(), Account())
  onThread {
    transfer(from: left, to: right)
    transfer(from: right, to: left)
  }
}

func tryLock() {
  let (left, right) = (Account(), Account())
  together([
    { transfer(from: left, to: right) },
    {
      right.lock.withLock {
        if left.lock.try() { left.lock.unlock() }
      }
    },
  ])
}

func readers() {
  let locks = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 2)
  for index in 0..<2 { pthread_rwlock_init(locks + index, nil) }
  nonisolated(unsafe) let pair = locks
  @Sendable func both(_ first: Int, _ second: Int) {
    pthread_rwlock_rdlock(pair + first)
    pthread_rwlock_rdlock(pair + second)
    pthread_rwlock_unlock(pair + second)
    pthread_rwlock_unlock(pair + first)
  }
  together([{ both(0, 1) }, { both(1, 0) }])
}

/// The main thread sets all up in another order, before there is anybody else.
func beforeTheThreads() {
  let (left, right) = (Account(), Account())
  transfer(from: left, to: right)
  together([{ transfer(from: right, to: left) }, { transfer(from: right, to: left) }])
}

func parentBeforeChild() {
  let root = Account()
  for _ in 0..<100 {
    let child = Account(parent: root)
    onThread { transfer(from: child.parent ?? child, to: child) }
  }
}

func recursive() {
  let (one, other) = (NSRecursiveLock(), NSLock())
  together([
    { one.withLock { other.withLock { one.withLock { print("again") } } } },
    { one.withLock { other.withLock { print("once") } } },
  ])
}

func condition() {
  let condition = NSCondition()
  nonisolated(unsafe) var isSet = false
  onThread {
    let setter = Thread {
      condition.lock()
      isSet = true
      condition.signal()
      condition.unlock()
    }
    condition.lock()
    setter.start()
    while !isSet { condition.wait() }
    condition.unlock()
  }
}

func oneOrder() {
  let (left, right) = (Account(), Account())
  for _ in 0..<10 { onThread { transfer(from: left, to: right) } }
}

/// A value of one: whoever waits also signals.
func semaphoreAsLock() {
  let lock = DispatchSemaphore(value: 1)
  wait {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          block(on: lock)
          lock.signal()
        }
      }
    }
  }
}
