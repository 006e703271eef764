// Programs whose operations block. What has to last goes on until a file appears that the test makes.
import CRecorderTestSupport
import Foundation
import OpTrace

/// What runs on threads of its own, and when all of it is over.
private final class Threads: Sendable {
  private let group = DispatchGroup()

  /// Runs the block in an operation by hand, so that no queue's limit of threads matters.
  func run(_ name: String, traced: Bool = false, _ body: @escaping @Sendable () -> Void) {
    run {
      let operation = traced ? TracedBlockOperation(name: name, block: body) : BlockOperation(block: body)
      operation.name = name
      operation.start()
    }
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread { [group] in
      body()
      group.leave()
    }
  }

  func join() { group.wait() }
}

/// Calls nothing that is watched.
private func awaitFile(_ path: String) { while access(path, F_OK) != 0 { usleep(1000) } }

/// A thread that somebody else lets go on once it waits: how long it takes until then is up to the machine.
private struct WaitingThread: Sendable {
  private let status: String

  /// The calling one.
  init() {
    let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    status = "/proc/\(link)/stat"
  }

  /// Returns when it has been seen asleep several times in a row, which no lock that is held for a moment explains.
  func awaitSleep() {
    var inARow = 0
    while inARow < 5 {
      let text = FileManager.default.contents(atPath: status).map { String(decoding: $0, as: UTF8.self) } ?? ""
      guard let name = text.lastIndex(of: ")") else { return }
      inARow = text[name...].dropFirst(2).first == "S" ? inARow + 1 : 0
      usleep(1000)
    }
  }
}

private final class Flag: @unchecked Sendable {
  let condition = NSCondition()
  /// Under the condition's lock.
  private var value = false

  func await() {
    condition.lock()
    while !value { condition.wait() }
    condition.unlock()
  }

  func raise() {
    condition.lock()
    value = true
    condition.broadcast()
    condition.unlock()
  }
}

/// One operation for each kind of wait, named by it; all last until "go". The queues are held by operations.
private func blockInEverything(_ path: String) {
  let go = path + ".go"
  let threads = Threads()
  let semaphore = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  let flag = Flag()
  let timed = Flag()
  let lock = NSConditionLock(condition: 0)
  nonisolated(unsafe) let item = DispatchWorkItem { awaitFile(go) }
  let serial = DispatchQueue(label: "test.serial")
  let concurrent = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
  let free = DispatchQueue(label: "test.free")

  group.enter()
  threads.run("semaphore") { semaphore.wait() }
  threads.run("traced", traced: true) { semaphore.wait() }
  threads.run("semaphore in sync") { free.sync { semaphore.wait() } }
  threads.run("group") { group.wait() }
  threads.run("condition") { flag.await() }
  threads.run("condition lock") {
    // Without a date it traps in Foundation on Linux.
    if lock.lock(whenCondition: 1, before: Date(timeIntervalSinceNow: 3600)) { lock.unlock() }
  }
  threads.run("timed condition") {
    timed.condition.lock()
    _ = timed.condition.wait(until: Date(timeIntervalSinceNow: 3600))
    timed.condition.unlock()
  }
  threads.run("work item") { item.wait() }
  threads.run { item.perform() }

  // The queues are taken before anybody waits for them.
  let taken = DispatchGroup()
  for _ in 0..<2 { taken.enter() }
  threads.run("holder") {
    serial.sync {
      taken.leave()
      awaitFile(go)
    }
  }
  threads.run("reader") {
    concurrent.sync {
      taken.leave()
      awaitFile(go)
    }
  }
  taken.wait()
  threads.run("sync") { serial.sync {} }
  threads.run("barrier") { concurrent.sync(flags: .barrier) {} }

  threads.run("signaller") {
    awaitFile(go)
    for _ in 0..<4 { semaphore.signal() }
    group.leave()
    flag.raise()
    timed.raise()
    lock.lock()
    lock.unlock(withCondition: 1)
  }
  // The main thread blocks as well.
  let main = BlockOperation { semaphore.wait() }
  main.name = "main thread"
  main.start()
  threads.join()
}

/// Results are what they are without the hooks; what does not wait for long leaves nothing.
private func callEverything() {
  struct Problem: Error {}
  let queue = DispatchQueue(label: "test.results")
  let semaphore = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  let condition = NSCondition()
  let soon: @Sendable () -> DispatchTime = { .now() + .milliseconds(20) }

  func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let operation = BlockOperation(block: body)
    operation.name = name
    operation.start()
  }
  // Outside of operations.
  print(semaphore.wait(timeout: soon()))
  run("first") {
    semaphore.signal()
    semaphore.wait()
  }
  run("second") { print(semaphore.wait(timeout: soon())) }
  // A new one has no past, wherever it lies.
  run("new") {
    let addresses = (0..<8).map { _ in
      let short = DispatchSemaphore(value: 0)
      short.signal()
      return UInt(bitPattern: Unmanaged.passUnretained(short).toOpaque())
    }
    let fresh = DispatchSemaphore(value: 0)
    print("used \(addresses.contains(UInt(bitPattern: Unmanaged.passUnretained(fresh).toOpaque())))")
    print(fresh.wait(timeout: soon()))
  }
  run("group") {
    group.enter()
    print(group.wait(timeout: soon()))
    group.leave()
    print(group.wait(timeout: .distantFuture))
  }
  run("condition") {
    condition.lock()
    print(condition.wait(until: Date(timeIntervalSinceNow: 0.02)))
    condition.unlock()
  }
  run("quick") {
    print(semaphore.wait(timeout: .now()), group.wait(timeout: .now()))
    semaphore.signal()
    print(semaphore.wait(timeout: .distantFuture))
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "inside")
    print(queue.sync { DispatchQueue.getSpecific(key: key) ?? "outside" })
    print(queue.sync(flags: .barrier) { DispatchQueue.getSpecific(key: key) ?? "outside" })
    do { try queue.sync { throw Problem() } } catch { print("thrown") }
    // A block that libdispatch made itself.
    let item = DispatchWorkItem(flags: .barrier) { print(DispatchQueue.getSpecific(key: key) ?? "outside") }
    queue.sync(execute: item)
    print(item.wait(timeout: .now() + 20), item.isCancelled)
    let cancelled = DispatchWorkItem { print("never") }
    cancelled.cancel()
    queue.sync(execute: cancelled)
    print("done")
  }
}

/// Operations that wait for operations and queues, in all ways there are; those wait for "go".
private func waitForOperations(_ path: String, _ recorder: TraceRecorder) {
  let go = path + ".go"
  let threads = Threads()
  @Sendable func wait(_ name: String, on queue: OperationQueue, traced: Bool) {
    let slow = traced ? TracedBlockOperation { awaitFile(go) } : BlockOperation { awaitFile(go) }
    slow.name = "slow \(name)"
    threads.run(slow.start)
    // Before its start a traced operation belongs to no recorder, and who waits for it waits on a condition.
    while !slow.isExecuting { usleep(1000) }
    queue.addOperation { awaitFile(go) }
    threads.run("\(name) for one", traced: traced) { slow.waitUntilFinished() }
    threads.run("\(name) for all", traced: traced) { queue.waitUntilAllOperationsAreFinished() }
    threads.run("\(name) adding", traced: traced) {
      let block = traced ? TracedBlockOperation { awaitFile(go) } : BlockOperation { awaitFile(go) }
      queue.addOperations([block], waitUntilFinished: true)
    }
  }
  wait("plain", on: OperationQueue(), traced: false)
  wait("traced", on: TracedOperationQueue(recorder: recorder), traced: true)
  threads.join()
}

/// Under a lock of its own.
private final class State: @unchecked Sendable {
  var isOver = false
}

/// False when there is no such mode.
func runBlockingMode(_ mode: String, path: String, recorder open: () -> TraceRecorder) throws -> Bool {
  switch mode {
  case "blocking":
    let recorder = open()
    try recorder.instrumentProcess()
    blockInEverything(path)
    try recorder.stop()

  case "blocking-results":
    if CommandLine.arguments.last == "plain" {
      callEverything()
      break
    }
    let recorder = open()
    try recorder.instrumentProcess()
    callEverything()
    try recorder.stop()

  case "blocking-operations":
    let recorder = open()
    TraceRecorder.default = recorder
    try recorder.instrumentProcess()
    waitForOperations(path, recorder)
    try recorder.stop()

  case "blocking-before-adding":
    // In a serial queue an operation waits for another one, which is added to the same queue then. For good.
    let recorder = open()
    let isDefault = CommandLine.arguments.last == "default"
    if isDefault { TraceRecorder.default = recorder }
    let queue = TracedOperationQueue(
      name: "serial", maxConcurrentOperationCount: 1, recorder: isDefault ? nil : recorder)
    queue.addOperation(named: "outer") {
      let inner = TracedBlockOperation(name: "inner") {}
      Thread.detachNewThread {
        awaitFile(path + ".go")
        queue.addOperation(inner)
      }
      inner.waitUntilFinished()
    }
    while true { sleep(60) }

  case "blocking-main-queue":
    // The main thread does the work, and the operation's thread waits for the end of it.
    let recorder = open()
    try recorder.instrumentProcess()
    let threads = Threads()
    threads.run("hop") { DispatchQueue.main.sync { awaitFile(path + ".go") } }
    Thread.detachNewThread {
      threads.join()
      do { try recorder.stop() } catch { exit(1) }
      exit(0)
    }
    RunLoop.main.run()

  case "blocking-outside":
    // The main thread, and one of the program's own, wait for what operations do; and for what is there already.
    let recorder = open()
    try recorder.instrumentProcess()
    let queue = OperationQueue()
    let semaphore = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let main = WaitingThread()
    let signals = BlockOperation {
      main.awaitSleep()
      semaphore.signal()
    }
    signals.name = "signals"
    queue.addOperation(signals)
    semaphore.wait()
    group.enter()
    let joined = NSCondition()
    let over = State()
    Thread.detachNewThread {
      let own = WaitingThread()
      let leaves = BlockOperation {
        own.awaitSleep()
        group.leave()
      }
      leaves.name = "leaves"
      queue.addOperation(leaves)
      group.wait()
      joined.lock()
      over.isOver = true
      joined.signal()
      joined.unlock()
    }
    joined.lock()
    while !over.isOver { joined.wait() }
    joined.unlock()
    queue.waitUntilAllOperationsAreFinished()
    group.wait()
    try recorder.stop()

  case "blocking-cancelled":
    // A thread that is cancelled while it waits.
    let recorder = open()
    try recorder.instrumentProcess()
    test_cancel_in_wait(
      { body in
        let operation = BlockOperation { body?() }
        operation.name = "cancelled"
        operation.start()
      }, { awaitFile(CommandLine.arguments[2] + ".go") })
    try recorder.stop()

  default:
    return false
  }
  return true
}
