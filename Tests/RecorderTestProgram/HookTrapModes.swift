// Programs with hooks whose classes do what is allowed and rare: a recorder that asks too much, or too late, would hang
// them, or lose what they do.
import Foundation
import OpTrace

/// Both accessors of a property take one lock, as careful programs write them.
private final class LockingOperation: Operation, @unchecked Sendable {
  private let lock = NSLock()
  override var name: String? {
    get { lock.withLock { super.name } }
    set { lock.withLock { super.name = newValue } }
  }
  override var queuePriority: QueuePriority {
    get { lock.withLock { super.queuePriority } }
    set { lock.withLock { super.queuePriority = newValue } }
  }
  override var qualityOfService: QualityOfService {
    get { lock.withLock { super.qualityOfService } }
    set { lock.withLock { super.qualityOfService = newValue } }
  }
  override func main() {}
}

private final class LockingQueue: OperationQueue, @unchecked Sendable {
  private let lock = NSLock()
  override var name: String? {
    get { lock.withLock { super.name } }
    set { lock.withLock { super.name = newValue } }
  }
  override var maxConcurrentOperationCount: Int {
    get { lock.withLock { super.maxConcurrentOperationCount } }
    set { lock.withLock { super.maxConcurrentOperationCount = newValue } }
  }
  override var isSuspended: Bool {
    get { lock.withLock { super.isSuspended } }
    set { lock.withLock { super.isSuspended = newValue } }
  }
  override var underlyingQueue: DispatchQueue? {
    get { lock.withLock { super.underlyingQueue } }
    set { lock.withLock { super.underlyingQueue = newValue } }
  }
}

/// Who asks for its name uses another queue.
private final class TalkingQueue: OperationQueue, @unchecked Sendable {
  let other = OperationQueue()
  override var name: String? {
    get {
      other.addOperation {}
      return super.name
    }
    set { super.name = newValue }
  }
}

/// Enqueues itself as soon as anybody asks what it is.
private final class EagerOperation: Operation, @unchecked Sendable {
  private let queue: OperationQueue
  private var isEnqueued = false

  init(on queue: OperationQueue) {
    self.queue = queue
    super.init()
    name = "eager"
  }

  override var isAsynchronous: Bool {
    if !isEnqueued {
      isEnqueued = true
      queue.addOperation(self)
    }
    return false
  }
  override func main() {}
}

private func increase(_ value: inout Int) async {
  try? await Task.sleep(nanoseconds: 100_000)
  value += 1
}

private func lengthen(_ text: inout String?) async {
  try? await Task.sleep(nanoseconds: 100_000)
  text = (text ?? "") + "x"
}

/// Changes that are open while a task waits end on another thread than they began on.
private func changeInPlace(_ number: Int, rounds: Int) async -> Bool {
  let queue = OperationQueue()
  queue.name = "queue"
  queue.maxConcurrentOperationCount = number * 1000
  let operation = BlockOperation {}
  operation.name = "\(number)"
  queue.addOperation(operation)
  for _ in 0..<rounds {
    await increase(&queue.maxConcurrentOperationCount)
    await lengthen(&queue.name)
    await lengthen(&operation.name)
  }
  let added = String(repeating: "x", count: rounds)
  return queue.maxConcurrentOperationCount == number * 1000 + rounds && queue.name == "queue" + added
    && operation.name == "\(number)" + added
}

/// False when there is no such mode.
func runHookTrapMode(_ mode: String, recorder open: () -> TraceRecorder) throws -> Bool {
  switch mode {
  case "hooks-locking-overrides":
    let recorder = open()
    try recorder.instrumentProcess()
    let queue = LockingQueue()
    queue.maxConcurrentOperationCount = 2
    queue.isSuspended = true
    queue.name = "locking"
    queue.underlyingQueue = DispatchQueue(label: "under")
    let operation = LockingOperation()
    operation.name = "first"
    queue.addOperation(operation)
    operation.name = "second"
    operation.name? += " name"
    operation.queuePriority = .high
    operation.qualityOfService = .utility
    queue.name? += " queue"
    queue.isSuspended.toggle()
    operation.waitUntilFinished()
    let talking = TalkingQueue()
    talking.addOperations([BlockOperation {}], waitUntilFinished: true)
    _ = talking.name
    talking.other.waitUntilAllOperationsAreFinished()
    try recorder.stop()

  case "hooks-eager":
    let recorder = open()
    try recorder.instrumentProcess()
    let queue = OperationQueue()
    let eager = EagerOperation(on: queue)
    let dependent = BlockOperation {}
    dependent.addDependency(eager)
    queue.addOperation(dependent)
    _ = eager.isAsynchronous
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()

  case "hooks-in-place":
    let recorder = open()
    try recorder.instrumentProcess()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      let results = await withTaskGroup(of: Bool.self) { group in
        for number in 1...4 { group.addTask { await changeInPlace(number, rounds: 20) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      print("unchanged by recording \(results == [true, true, true, true])")
      done.signal()
    }
    done.wait()
    try recorder.stop()

  default:
    return false
  }
  return true
}
