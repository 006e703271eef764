// Programs that hang, and the same that do not: `HangingProgram NAME [healthy]`. They know nothing of OpTrace.
import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

let isHealthy = CommandLine.arguments.dropFirst(2).first == "healthy"
/// Long enough for others to come to where they will stay.
let moment: UInt32 = 150_000

func makeQueue(_ limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> OperationQueue {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = limit
  return queue
}

// MARK: - Two locks in two orders

func transfer(from first: NSLock, to second: NSLock) {
  first.lock()
  usleep(moment)
  second.lock()
  second.unlock()
  first.unlock()
}

func twoLocks() {
  let checking = NSLock()
  let savings = NSLock()
  let queue = makeQueue(2)
  queue.addOperation { transfer(from: checking, to: savings) }
  queue.addOperation { isHealthy ? transfer(from: checking, to: savings) : transfer(from: savings, to: checking) }
  queue.waitUntilAllOperationsAreFinished()
}

// MARK: - A Mutex held across a wait

final class Cache: Sendable {
  let entries = Mutex<[Int: Int]>([:])

  func refresh(_ queue: OperationQueue) {
    let load = BlockOperation { self.store() }
    guard !isHealthy else {
      queue.addOperation(load)
      load.waitUntilFinished()
      return
    }
    entries.withLock { _ in
      queue.addOperation(load)
      load.waitUntilFinished()
    }
  }

  func store() { entries.withLock { $0[1] = 1 } }
}

func mutexAcrossWait() { Cache().refresh(makeQueue()) }

// MARK: - A reader-writer lock held by the main thread

final class Settings: @unchecked Sendable {
  var lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() { pthread_rwlock_init(lock, nil) }

  func read() {
    pthread_rwlock_rdlock(lock)
    pthread_rwlock_unlock(lock)
  }

  func write(_ body: () -> Void) {
    pthread_rwlock_wrlock(lock)
    body()
    pthread_rwlock_unlock(lock)
  }
}

func rwlockOfMain() {
  let settings = Settings()
  let queue = makeQueue()
  settings.write {
    queue.addOperation { settings.read() }
    if !isHealthy { queue.waitUntilAllOperationsAreFinished() }
  }
  queue.waitUntilAllOperationsAreFinished()
}

// MARK: - Semaphores and groups

func semaphore() {
  let answered = DispatchSemaphore(value: 0)
  let queue = makeQueue()
  queue.addOperation { awaitAnswer(answered) }
  if isHealthy { answered.signal() }
  queue.waitUntilAllOperationsAreFinished()
}

func awaitAnswer(_ answered: DispatchSemaphore) { answered.wait() }

func group() {
  let group = DispatchGroup()
  let queue = makeQueue()
  for _ in 0..<3 { group.enter() }
  for _ in 0..<(isHealthy ? 3 : 2) { queue.addOperation { group.leave() } }
  queue.addOperation { awaitGroup(group) }
  queue.waitUntilAllOperationsAreFinished()
}

func awaitGroup(_ group: DispatchGroup) { group.wait() }

// MARK: - A serial queue's block that locks twice, behind an operation's semaphore

func blockLocksTwice() {
  let lock = NSLock()
  let done = DispatchSemaphore(value: 0)
  let serial = DispatchQueue(label: "ledger")
  let queue = makeQueue()
  queue.addOperation {
    serial.async {
      lockTwice(lock)
      done.signal()
    }
    awaitAnswer(done)
  }
  queue.waitUntilAllOperationsAreFinished()
}

func lockTwice(_ lock: NSLock) {
  lock.lock()
  if !isHealthy { lock.lock() }
  lock.unlock()
}

// MARK: - 64 operations that wait in the pool

func pool() {
  let queue = makeQueue()
  for index in 0..<64 {
    queue.addOperation {
      let part = BlockOperation { usleep(1000) }
      if isHealthy { part.start() }
      // Nobody starts it, else.
      waitForPart(part, index)
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

func waitForPart(_ part: Operation, _ index: Int) { part.waitUntilFinished() }

// MARK: - Busy, and asleep

func busy() {
  let queue = makeQueue()
  queue.addOperation { compute(seconds: isHealthy ? 0.2 : 300) }
  queue.waitUntilAllOperationsAreFinished()
}

@inline(never) func compute(seconds: Double) {
  var sum = 0.0
  let end = ProcessInfo.processInfo.systemUptime + seconds
  while ProcessInfo.processInfo.systemUptime < end {
    for number in 1..<100_000 { sum += 1 / Double(number) }
  }
  if sum < 0 { print(sum) }
}

func asleep() {
  let queue = makeQueue()
  queue.addOperation { nap(isHealthy ? 200_000 : 300_000_000) }
  queue.waitUntilAllOperationsAreFinished()
}

@inline(never) func nap(_ time: UInt32) { usleep(time) }

let programs: KeyValuePairs<String, () -> Void> = [
  "two-locks": twoLocks, "mutex": mutexAcrossWait, "rwlock": rwlockOfMain, "semaphore": semaphore, "group": group,
  "locks-twice": blockLocksTwice, "pool": pool, "busy": busy, "asleep": asleep,
]
guard let program = programs.first(where: { $0.key == CommandLine.arguments.dropFirst().first }) else {
  print(programs.map(\.key).joined(separator: "\n"))
  exit(64)
}
program.value()
