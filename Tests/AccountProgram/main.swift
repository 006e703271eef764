// A program that says what it has, by address, and then waits for good. Before that, it has had much that is gone.
import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

func address(_ object: AnyObject) -> String {
  "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}

/// One that never says that it is ready.
final class NeverReady: Operation, @unchecked Sendable {
  var extra = [1, 2, 3]
  override var isReady: Bool { false }
}

/// One that goes on after `start` returns.
final class Asynchronous: Operation, @unchecked Sendable {
  private let started: DispatchSemaphore
  init(_ started: DispatchSemaphore) { self.started = started }
  override var isAsynchronous: Bool { true }
  override func start() { started.signal() }
}

func leaveTraces() {
  for round in 0..<20 {
    let queue = OperationQueue()
    queue.name = "gone \(round)"
    let operations = (0..<200).map { _ in BlockOperation {} }
    for (one, other) in zip(operations, operations.dropFirst()) { other.addDependency(one) }
    queue.addOperations(operations, waitUntilFinished: true)
    _ = (0..<50).map { _ in NeverReady() }
  }
}

leaveTraces()

nonisolated(unsafe) var operations: [(Operation, OperationQueue?)] = []
nonisolated(unsafe) var queues: [OperationQueue] = []
/// Four wait for it, and at the end the main thread.
let never = DispatchSemaphore(value: 0)
let started = DispatchSemaphore(value: 0)

func queue(_ name: String?, limit: Int = -1, suspended: Bool = false) -> OperationQueue {
  let queue = OperationQueue()
  if let name { queue.name = name }
  queue.maxConcurrentOperationCount = limit
  queue.isSuspended = suspended
  queues.append(queue)
  return queue
}

@discardableResult
func add(_ operation: Operation, to queue: OperationQueue?, name: String? = nil, after: [Operation] = []) -> Operation {
  operation.name = name
  for one in after { operation.addDependency(one) }
  operations.append((operation, queue))
  queue?.addOperation(operation)
  return operation
}

let serial = queue("one at a time", limit: 1)
let running = add(
  BlockOperation {
    started.signal()
    never.wait()
  }, to: serial, name: "runs")
started.wait()
add(BlockOperation {}, to: serial, name: "waits for its turn, with a name that is not short")
let stopped = queue(nil, limit: 3, suspended: true)
let first = add(BlockOperation {}, to: stopped)
let second = add(BlockOperation {}, to: stopped, after: [first])
add(BlockOperation {}, to: stopped, name: "näher", after: [first, second])
let orphan = add(BlockOperation {}, to: nil)
add(BlockOperation {}, to: queue("waits for an orphan"), after: [orphan])
add(NeverReady(), to: queue("wartet für immer"), name: "never ready")
let cancelled = add(NeverReady(), to: queues[3])
cancelled.cancel()
add(Asynchronous(started), to: queue("asynchronous"))
started.wait()
_ = queue("empty", limit: 7)

// MARK: - libdispatch

/// Of the object of libdispatch that a Swift object holds.
func wrapped(_ object: AnyObject) -> String {
  let inside = Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: 16, as: UInt.self)
  return "0x" + String(inside, radix: 16)
}

/// Queues with their widths, counts of suspensions, and how many blocks wait.
nonisolated(unsafe) var dispatchQueues: [(DispatchQueue, String, Int, Int, String, Int)] = []

func blocks(_ queue: DispatchQueue, _ flags: DispatchWorkItemFlags = []) {
  queue.async(flags: flags) {
    started.signal()
    never.wait()
  }
  started.wait()
}

let plain = DispatchQueue(label: "account.serial")
blocks(plain)
plain.async {}
plain.async {}
// With the queue below, which has work for it.
dispatchQueues.append((plain, "account.serial", 1, 0, "-", 3))
let wide = DispatchQueue(label: "account.concurrent", attributes: .concurrent)
blocks(wide)
wide.async(flags: .barrier) {}
wide.async {}
dispatchQueues.append((wide, "account.concurrent", 4094, 0, "-", 2))
let twice = DispatchQueue(label: "account.suspended")
twice.suspend()
twice.suspend()
twice.async {}
dispatchQueues.append((twice, "account.suspended", 1, 2, "-", 1))
let idle = DispatchQueue(label: "account.inactive", attributes: .initiallyInactive)
dispatchQueues.append((idle, "account.inactive", 1, 0, "inactive", 0))
let under = DispatchQueue(label: "account.target", target: plain)
under.async {}
dispatchQueues.append((under, "account.target", 1, 0, "-", 1))
let group = DispatchGroup()
group.enter()
group.enter()
let three = DispatchSemaphore(value: 3)
three.wait()

for one in dispatchQueues {
  print("dispatch", wrapped(one.0), one.1, one.2, one.3, one.4, one.5, separator: "\t")
}
print("group", wrapped(group), 2, separator: "\t")
print("semaphore", wrapped(three), 2, separator: "\t")
print("semaphore", wrapped(never), -4, separator: "\t")

// MARK: - Tasks

/// The runtime's object of a task.
func task<Success: Sendable, Failure: Error>(_ task: Task<Success, Failure>) -> String {
  "0x" + String(unsafeBitCast(task, to: UInt.self), radix: 16)
}

actor Keeper {
  private var count = 0
  /// Keeps the actor, and a thread of the pool.
  func keep() {
    started.signal()
    never.wait()
    count += 1
  }
  func need() { count += 1 }
}

@Sendable func forever() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in started.signal() }
}

// None of them needs the main thread, which waits here.

/// Tasks that are gone.
let gone = Task.detached {
  await withTaskGroup(of: Int.self) { group in
    for number in 0..<500 { group.addTask { number } }
    for await _ in group {}
  }
  started.signal()
}
started.wait()

let keeper = Keeper()
let waits = Task.detached { await forever() }
started.wait()
let awaits = Task.detached(priority: .low) { await waits.value }
let keeps = Task.detached { await keeper.keep() }
started.wait()
let needs = Task.detached { await keeper.need() }
let forMain = Task.detached { await MainActor.run {} }
let parent = Task.detached {
  async let child: Void = forever()
  await child
}
started.wait()
let grouped = Task.detached {
  await withTaskGroup(of: Void.self) { group in
    group.addTask { await forever() }
    group.addTask { await forever() }
  }
}
started.wait()
started.wait()
waits.cancel()
print("task", task(waits), "continuation", "cancelled", 0, separator: "\t")
print("task", task(awaits), "task", "-", 0, separator: "\t")
print("task", task(keeps), "runs", "-", 0, separator: "\t")
print("task", task(needs), "executor", "-", 0, separator: "\t")
print("task", task(forMain), "executor", "-", 0, separator: "\t")
print("task", task(parent), "task", "-", 1, separator: "\t")
print("task", task(grouped), "group", "-", 2, separator: "\t")

for (one, queue) in operations {
  let words = [
    "operation", address(one), queue.map { address($0) } ?? "-", "\(type(of: one))",
    one.isExecuting ? "executing" : "-", one.isCancelled ? "cancelled" : "-",
    one.dependencies.map { address($0) }.joined(separator: ","), one.name ?? "-",
  ]
  print(words.joined(separator: "\t"))
}
for one in queues {
  let name = one.name.flatMap { $0.hasPrefix("NSOperationQueue 0x") ? nil : $0 } ?? "-"
  let members = one.operations.map { address($0) }.joined(separator: ",")
  print(
    "queue", address(one), one.maxConcurrentOperationCount, one.isSuspended ? "suspended" : "-", name, members,
    separator: "\t")
}

// MARK: - Memory that is never touched

for kind in [MAP_SHARED, MAP_PRIVATE] {
  let size = 512 << 20
  let memory = mmap(nil, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
  print("untouched", "0x" + String(UInt(bitPattern: memory), radix: 16), size, separator: "\t")
}
print("end")
fflush(nil)
never.wait()
