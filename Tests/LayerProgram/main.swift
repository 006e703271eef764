// Programs that hang, or go wrong, in dispatch queues and tasks, and the same that do not: `LayerProgram NAME [healthy]`. They
// know nothing of OpTrace.
import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

let isHealthy = CommandLine.arguments.dropFirst(2).first == "healthy"
/// Long enough for others to come to where they will stay.
let moment: UInt32 = 100_000

/// Ends when somebody calls ``finish()``.
final class Async: Operation, @unchecked Sendable {
  private let body: (Async) -> Void
  private let lock = NSLock()
  private var state = 0

  init(_ name: String, _ body: @escaping (Async) -> Void) {
    self.body = body
    super.init()
    self.name = name
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == 1 } }
  override var isFinished: Bool { lock.withLock { state == 2 } }

  override func start() {
    set(1, "isExecuting")
    body(self)
  }

  func finish() { set(2, "isFinished") }

  private func set(_ value: Int, _ key: String) {
    willChangeValue(forKey: key)
    lock.withLock { state = value }
    didChangeValue(forKey: key)
  }
}

let queue = OperationQueue()
let accounts = DispatchQueue(label: "accounts")
let journal = DispatchQueue(label: "journal")

// MARK: - Cycles

func twoQueues() {
  let both = DispatchGroup()
  accounts.async(group: both) {
    usleep(moment)
    if isHealthy { journal.async(group: both) {} } else { journal.sync {} }
  }
  journal.async(group: both) {
    usleep(moment)
    accounts.sync {}
  }
  both.wait()
}

func operationSync() {
  let read = BlockOperation {
    usleep(moment)
    accounts.sync {}
  }
  read.name = "read"
  accounts.async {
    queue.addOperation(read)
    if !isHealthy { read.waitUntilFinished() }
  }
  usleep(moment / 2)
  queue.waitUntilAllOperationsAreFinished()
}

func slotThroughSync() {
  queue.maxConcurrentOperationCount = 1
  let load = BlockOperation {
    accounts.sync {
      let part = BlockOperation {}
      queue.addOperation(part)
      if !isHealthy { part.waitUntilFinished() }
    }
  }
  queue.addOperation(load)
  load.waitUntilFinished()
}

func locksTwice() {
  let lock = NSLock()
  let done = DispatchSemaphore(value: 0)
  let upload = BlockOperation {
    accounts.async {
      lock.lock()
      if !isHealthy { lock.lock() }
      lock.unlock()
      done.signal()
    }
    done.wait()
  }
  upload.name = "upload"
  queue.addOperation(upload)
  upload.waitUntilFinished()
}

// MARK: - The main thread

func mainFinishes() {
  let upload = Async("upload") { upload in
    (isHealthy ? accounts : DispatchQueue.main).async { upload.finish() }
  }
  queue.addOperation(upload)
  upload.waitUntilFinished()
}

func mainSync() {
  accounts.async {
    usleep(moment)
    if !isHealthy { DispatchQueue.main.sync {} }
  }
  usleep(moment / 4)
  accounts.sync {}
}

// MARK: - Nobody, and too early

func nobodyFinishes() {
  let upload = Async("upload") { upload in
    accounts.async { journal.async { if isHealthy { upload.finish() } } }
  }
  queue.addOperation(upload)
  upload.waitUntilFinished()
}

func tooEarly() {
  let shown = DispatchSemaphore(value: 0)
  let load = Async("load") { load in
    accounts.async {
      // On a busy machine, too, the dependent begins before this is over.
      if !isHealthy { shown.wait() }
      usleep(moment)
    }
    (isHealthy ? accounts : journal).async { load.finish() }
  }
  let show = BlockOperation { shown.signal() }
  show.addDependency(load)
  queue.addOperations([load, show], waitUntilFinished: true)
  accounts.sync {}
}

// MARK: - Tasks

/// Kept, so that it is not told to have been lost.
nonisolated(unsafe) var parked: [CheckedContinuation<Void, Never>] = []

func continuation() {
  let done = DispatchSemaphore(value: 0)
  Task {
    await withCheckedContinuation { continuation in
      if isHealthy { continuation.resume() } else { parked.append(continuation) }
    }
    done.signal()
  }
  done.wait()
}

func taskPool() {
  let gate = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
    done.enter()
    Task {
      if isHealthy { gate.signal() }
      block(gate)
      done.leave()
    }
  }
  usleep(moment)
  done.enter()
  Task {
    gate.signal()
    done.leave()
  }
  done.wait()
}

func block(_ gate: DispatchSemaphore) { gate.wait() }

let programs: KeyValuePairs<String, () -> Void> = [
  "two-queues": twoQueues, "operation-sync": operationSync, "slot": slotThroughSync, "locks-twice": locksTwice,
  "main-finishes": mainFinishes, "main-sync": mainSync, "nobody-finishes": nobodyFinishes, "too-early": tooEarly,
  "continuation": continuation, "task-pool": taskPool,
]
guard let program = programs.first(where: { $0.key == CommandLine.arguments.dropFirst().first }) else {
  print(programs.map(\.key).joined(separator: "\n"))
  exit(64)
}
program.value()
