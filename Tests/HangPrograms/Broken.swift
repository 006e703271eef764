import Dispatch
import Foundation
import Synchronization

// Programs that hang for good, as public reports of hangs do.

func slotsWaitOwnAdditions() {
  // Both slots of a queue wait for what they added to it.
  let queue = limitedQueue(2)
  queue.name = "parse"
  let meeting = Meeting(of: 2)
  for _ in 0..<2 {
    queue.addOperation {
      let s = DispatchSemaphore(value: 0)
      meeting.arrive()
      queue.addOperation { s.signal() }
      s.wait()
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

func thirtySuspended() {
  let queues = (0..<30).map { n -> OperationQueue in
    let q = OperationQueue()
    q.name = "tenant-\(n)"
    q.isSuspended = true
    q.addOperation {}
    q.addOperation {}
    return q
  }
  for q in queues { q.waitUntilAllOperationsAreFinished() }
}

func mainWaitsForMainactorTask() {
  let done = DispatchSemaphore(value: 0)
  Task {
    await touch()
    done.signal()
  }
  done.wait()
}

func mainWaitsForMainAsync() {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { done.signal() }
  done.wait()
}

func poolStarved() {
  let s = DispatchSemaphore(value: 0)
  for _ in 0..<8 { Task { s.wait() } }
  usleep(200_000)
  Task { s.signal() }
  dispatchMain()
}

func poolStarvedWithTimer() {
  let s = DispatchSemaphore(value: 0)
  let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "beat"))
  timer.schedule(deadline: .now(), repeating: 0.5)
  timer.setEventHandler {}
  timer.resume()
  for _ in 0..<8 { Task { s.wait() } }
  usleep(200_000)
  Task { s.signal() }
  withExtendedLifetime(timer) { dispatchMain() }
}

func lockLeftLocked() {
  let lock = NSLock()
  let meeting = Meeting(of: 2)
  let t = Thread {
    lock.lock()
    meeting.arrive()
    /* early return without unlock */ sleep(1000)
  }
  t.start()
  meeting.arrive()
  let q = OperationQueue()
  q.addOperation { lock.lock() }
  q.addOperation { lock.lock() }
  q.waitUntilAllOperationsAreFinished()
}

func lockLeftByPool() {
  let lock = NSLock()
  let q = limitedQueue(1)
  q.addOperation { lock.lock() }
  q.addOperation { lock.lock() }
  q.waitUntilAllOperationsAreFinished()
}

func barrierSyncAcross() {
  let a = DispatchQueue(label: "cache.a", attributes: .concurrent),
    b = DispatchQueue(label: "cache.b", attributes: .concurrent)
  let meeting = Meeting(of: 3)
  a.async(flags: .barrier) {
    meeting.arrive()
    b.sync {}
  }
  b.async(flags: .barrier) {
    meeting.arrive()
    a.sync {}
  }
  meeting.arrive()
  a.sync {}
}

func missedSignal() {
  let c = NSCondition()
  let q = OperationQueue()
  c.lock()
  c.broadcast()
  c.unlock()
  q.addOperation {
    c.lock()
    c.wait()
    c.unlock()
  }
  q.maxConcurrentOperationCount = 1
  q.addOperation {}
  q.waitUntilAllOperationsAreFinished()
}

func semaphoreNever() {
  let q = limitedQueue(1)
  let s = DispatchSemaphore(value: 0)
  q.addOperation { s.wait() }
  q.addOperation {}
  q.waitUntilAllOperationsAreFinished()
}

func semaphoreNeverRunloop() {
  let q = limitedQueue(1)
  let s = DispatchSemaphore(value: 0)
  q.addOperation { s.wait() }
  q.addOperation {}
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
  dispatchMain()
}

func groupLeaveMissing() {
  let g = DispatchGroup()
  let q = OperationQueue()
  for n in 0..<3 {
    g.enter()
    q.addOperation { if n != 1 { g.leave() } }
  }
  g.wait()
}

func continuationLost() {
  let done = DispatchSemaphore(value: 0)
  Task {
    await lost()
    done.signal()
  }
  done.wait()
}

func continuationLostMain() {
  Task {
    await lost()
    exit(0)
  }
  dispatchMain()
}

func syncCycle() {
  let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
  let meeting = Meeting(of: 3)
  a.async {
    meeting.arrive()
    b.sync {}
  }
  b.async {
    meeting.arrive()
    a.sync {}
  }
  meeting.arrive()
  a.sync {}
}

func sleepHolders() {
  // Both holders sleep in a semaphore that only work behind them would signal.
  let q = limitedQueue(2)
  let s = DispatchSemaphore(value: 0)
  q.addOperation { s.wait() }
  q.addOperation { s.wait() }
  q.addOperation { s.signal() }
  q.addOperation { s.signal() }
  q.waitUntilAllOperationsAreFinished()
}

func barrierOpReentry() {
  let q = limitedQueue(2)
  // A barrier of an empty queue is not the queue's, and nobody waits for it: the first operation is there until it is added.
  let isAdded = DispatchSemaphore(value: 0)
  q.addOperation { isAdded.wait() }
  q.addBarrierBlock {
    let behind = BlockOperation {}
    q.addOperation(behind)
    behind.waitUntilFinished()
  }
  isAdded.signal()
  q.waitUntilAllOperationsAreFinished()
}

func lockHeldByComputing() {
  let lock = NSLock()
  let meeting = Meeting(of: 2)
  Thread {
    lock.lock()
    meeting.arrive()
    var x = 1
    while true { x &+= x }
  }.start()
  meeting.arrive()
  let q = limitedQueue(2)
  for _ in 0..<4 {
    q.addOperation {
      lock.lock()
      lock.unlock()
    }
  }
  q.waitUntilAllOperationsAreFinished()
}

func kvoFinishMissing() {
  final class Fetch: Operation, @unchecked Sendable {
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { true }
    override var isFinished: Bool { false }
    override func start() { DispatchQueue.global().async { print("done, told nobody") } }
  }
  let q = limitedQueue(1)
  q.addOperation(Fetch())
  q.addOperation {}
  q.waitUntilAllOperationsAreFinished()
}

func dependencyCycle() {
  let q = OperationQueue()
  let a = BlockOperation {}, b = BlockOperation {}
  a.addDependency(b)
  b.addDependency(a)
  q.addOperations([a, b], waitUntilFinished: true)
}

enum Settings {
  static let shared: Int = {
    settingsBegan.signal()
    cacheBegan.wait()
    return Cache.shared + 1
  }()
}

enum Cache {
  static let shared: Int = {
    cacheBegan.signal()
    settingsBegan.wait()
    return Settings.shared + 1
  }()
}
let settingsBegan = DispatchSemaphore(value: 0), cacheBegan = DispatchSemaphore(value: 0)

func initialisersAcross() {
  // The semaphores themselves are made before.
  _ = (settingsBegan, cacheBegan)
  let q = OperationQueue()
  q.addOperation { print(Settings.shared) }
  q.addOperation { print(Cache.shared) }
  q.waitUntilAllOperationsAreFinished()
}

final class Registry: Sendable {
  static let shared = Registry()
  let count: Int
  init() { count = Registry.known() + 1 }
  static func known() -> Int { Registry.shared.count }
}

func initialiserOfItself() {
  let q = OperationQueue()
  q.addOperation { print(Registry.shared.count) }
  q.waitUntilAllOperationsAreFinished()
}

nonisolated(unsafe) let broken: KeyValuePairs<String, () -> Void> = [
  "slots-wait-own-additions": slotsWaitOwnAdditions,
  "thirty-suspended": thirtySuspended,
  "main-waits-for-mainactor-task": mainWaitsForMainactorTask,
  "main-waits-for-main-async": mainWaitsForMainAsync,
  "pool-starved": poolStarved,
  "pool-starved-with-timer": poolStarvedWithTimer,
  "lock-left-locked": lockLeftLocked,
  "lock-left-by-pool": lockLeftByPool,
  "barrier-sync-across": barrierSyncAcross,
  "missed-signal": missedSignal,
  "semaphore-never": semaphoreNever,
  "semaphore-never-runloop": semaphoreNeverRunloop,
  "group-leave-missing": groupLeaveMissing,
  "continuation-lost": continuationLost,
  "continuation-lost-main": continuationLostMain,
  "sync-cycle": syncCycle,
  "sleep-holders": sleepHolders,
  "barrier-op-reentry": barrierOpReentry,
  "lock-held-by-computing": lockHeldByComputing,
  "kvo-finish-missing": kvoFinishMissing,
  "dependency-cycle": dependencyCycle,
  "initialisers-across": initialisersAcross,
  "initialiser-of-itself": initialiserOfItself,
]

@MainActor func touch() {}
func lost() async {
  await withCheckedContinuation { (c: CheckedContinuation<Void, Never>) in kept.withLock { $0 = c } }
}
let kept = Mutex<CheckedContinuation<Void, Never>?>(nil)
