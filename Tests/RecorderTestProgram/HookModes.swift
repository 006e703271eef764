// Programs whose operations are followed by the hooks. The hooks belong to a process as a whole: each has its own.
import CRecorderTestSupport
import Foundation
import OpTrace

/// A plain class with the usual state machine of its own.
private class Asynchronous: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var executing = false
  private var finished = false

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { executing } }
  override var isFinished: Bool { lock.withLock { finished } }

  func set(executing: Bool, finished: Bool, announcing keys: [String]) {
    lock.withLock {
      self.executing = executing
      self.finished = finished
    }
    for key in keys { didChangeValue(forKey: key) }
  }

  override func start() {
    set(executing: true, finished: false, announcing: ["isExecuting"])
    DispatchQueue.global().async {
      self.set(executing: false, finished: true, announcing: ["isExecuting", "isFinished"])
    }
  }
}

/// Forgets to tell anybody that it has finished.
private final class Silent: Asynchronous, @unchecked Sendable {
  private let asked = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0)

  override var isFinished: Bool {
    defer { asked.signal() }
    return super.isFinished
  }

  override func start() {
    while asked.wait(timeout: .now()) == .success {}
    set(executing: true, finished: false, announcing: ["isExecuting"])
    DispatchQueue.global().async {
      // The recorder asks when `start()` has returned, and so does the queue: the last time that anybody does.
      for _ in 0..<2 { self.asked.wait() }
      self.set(executing: false, finished: true, announcing: [])
      self.isOver.signal()
    }
  }
}

private final class FinalAsynchronous: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var state = 0

  override var isExecuting: Bool { lock.withLock { state == 1 } }
  override var isFinished: Bool { lock.withLock { state == 2 } }
  override func start() {
    lock.withLock { state = 1 }
    didChangeValue(forKey: "isExecuting")
    Thread.detachNewThread {
      self.lock.withLock { self.state = 2 }
      self.didChangeValue(forKey: "isFinished")
    }
  }
}

/// Announces its readiness before anybody has it.
private final class Announcing: Operation, @unchecked Sendable {
  private let lock = NSLock()
  func announce() { didChangeValue(forKey: "isReady") }
  /// A key of its own, which Foundation ignores: nobody may ask anything now.
  func announceMore() { lock.withLock { didChangeValue(forKey: "state") } }
  override var isExecuting: Bool { lock.withLock { super.isExecuting } }
  override func main() {}
}

/// Adds itself while it holds the lock of its getters.
private final class AddsItself: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var state = 0

  override var isExecuting: Bool { lock.withLock { state == 1 } }
  override var isFinished: Bool { lock.withLock { state == 2 } }
  func add(to queue: OperationQueue) { lock.withLock { queue.addOperation(self) } }
  override func start() {
    lock.withLock { state = 2 }
    didChangeValue(forKey: "isFinished")
  }
}

/// Runs Foundation's `start()` on another thread; its own returns at once, or when all is over.
private final class Detached: Operation, @unchecked Sendable {
  private let over: DispatchSemaphore?
  init(waits: Bool) { over = waits ? DispatchSemaphore(value: 0) : nil }
  override func start() {
    Thread.detachNewThread {
      super.start()
      self.over?.signal()
    }
    over?.wait()
  }
  override func main() {}
}

/// Overrides the getter, and leaves the states to Foundation.
private final class Asked: Operation, @unchecked Sendable {
  override var isFinished: Bool { super.isFinished }
  override func main() {}
}

private final class Nested: Operation, @unchecked Sendable {
  let depth: Int
  init(_ depth: Int) {
    self.depth = depth
    super.init()
    name = "nested \(depth)"
  }
  override func main() { if depth > 0 { Nested(depth - 1).start() } }
}

private class Late: Operation, @unchecked Sendable { override func main() {} }
private final class Generic<Value>: Operation, @unchecked Sendable { override func main() {} }
private final class Deeper<Value>: Late, @unchecked Sendable { override func main() { super.main() } }
private final class PlainQueue: OperationQueue, @unchecked Sendable {
  override func addOperation(_ operation: Operation) { super.addOperation(operation) }
}

/// Uses itself for the last time while it goes.
private final class LeavingQueue: OperationQueue, @unchecked Sendable {
  deinit {
    cancelAllOperations()
    isSuspended = true
    waitUntilAllOperationsAreFinished()
    left.signal()
  }
}
private final class LeavingWork: Operation, @unchecked Sendable {
  override func main() {}
  deinit {
    waitUntilFinished()
    start()
    left.signal()
  }
}
private let left = DispatchSemaphore(value: 0)
private func useLeavingOnes(_ round: Int) {
  let queue = LeavingQueue()
  queue.name = "queue \(round)"
  queue.addOperations([LeavingWork().named("work \(round)")], waitUntilFinished: true)
}

private extension Operation {
  func named(_ name: String) -> Self {
    self.name = name
    return self
  }
}

/// The words of a class's metadata: its size stands 32 bytes into it, and 36 the part of it that lies before.
private func metadata(of type: AnyClass) -> [UInt] {
  let base = unsafeBitCast(type, to: UnsafeRawPointer.self)
  let bytes = Int(base.load(fromByteOffset: 32, as: UInt32.self))
  let before = Int(base.load(fromByteOffset: 36, as: UInt32.self))
  return (0..<bytes / 8).map { (base - before).load(fromByteOffset: $0 * 8, as: UInt.self) }
}

private let classes: [AnyClass] = [
  Operation.self, BlockOperation.self, OperationQueue.self, Late.self, PlainQueue.self, Generic<Int>.self,
]

/// Some of everything; named by `round`.
private func useEverything(_ round: String) {
  let queue = PlainQueue()
  queue.maxConcurrentOperationCount = 2
  let block = BlockOperation {}.named("\(round) block")
  let late = Late().named("\(round) late")
  let generic = Generic<Int>().named("\(round) generic")
  late.addDependency(block)
  queue.addOperations([block, late, generic], waitUntilFinished: true)
  queue.addBarrierBlock {}
  queue.waitUntilAllOperationsAreFinished()
}

/// False when there is no such mode.
func runHookMode(_ mode: String, path: String, recorder open: () -> TraceRecorder) throws -> Bool {
  switch mode {
  case "hooks-life":
    let before = classes.map(metadata)
    let call = test_import()
    useEverything("never")
    let recorder = open()
    try recorder.instrumentProcess()
    for attempt in [recorder, try TraceRecorder(writingTo: URL(fileURLWithPath: path + ".other"))] {
      do { try attempt.instrumentProcess() } catch { print(error) }
    }
    useEverything("first")
    print("patched \(classes.map(metadata) != before) \(test_import() != call)")
    try recorder.stop()
    print("restored \(classes.map(metadata) == before) \(test_import() == call)")
    useEverything("after")
    let second = try TraceRecorder(writingTo: URL(fileURLWithPath: path + ".second"))
    try second.instrumentProcess()
    useEverything("second")
    try second.stop()
    print("restored \(classes.map(metadata) == before) \(test_import() == call)")

  case "hooks-wish":
    // Asks for itself what may have been asked for from outside.
    let recorder = open()
    try recorder.instrumentProcess()
    useEverything("own")
    try recorder.stop()
    useEverything("later")
    print("done")

  case "hooks-late":
    // What was there before the hooks is recorded in part, and nothing is said of it that was not seen.
    let queue = OperationQueue()
    queue.isSuspended = true
    let early = Late().named("early")
    queue.addOperation(early)
    let recorder = open()
    try recorder.instrumentProcess()
    let dependent = Late().named("dependent")
    dependent.addDependency(early)
    queue.addOperation(dependent)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()

  case "hooks-deinit":
    // The system gives the same addresses again and again.
    let recorder = open()
    try recorder.instrumentProcess()
    for round in 0..<20 {
      useLeavingOnes(round)
      // Threads of the pool may let them go.
      for _ in 0..<2 { left.wait() }
    }
    try recorder.stop()

  case "hooks-classes":
    let recorder = open()
    try recorder.instrumentProcess()
    let queue = OperationQueue()
    queue.addOperations(
      [
        Asynchronous().named("asynchronous"), Asked().named("asked"), Detached(waits: false).named("detached"),
        Detached(waits: true).named("detached, waits"),
      ], waitUntilFinished: true)
    let silent = Silent().named("silent")
    queue.addOperation(silent)
    silent.isOver.wait()
    // As others see it: a call of a final method that is known to the compiler passes the hooks by.
    guard queue.operations.contains(where: { $0 === silent && $0.isFinished }) else { return false }
    // The compiler knows which `start()` this is, and calls it past all hooks.
    let direct = FinalAsynchronous().named("direct")
    direct.start()
    while !direct.isFinished { usleep(1000) }
    let ready = Announcing().named("announces before")
    ready.announce()
    ready.announceMore()
    queue.addOperation(ready)
    ready.waitUntilFinished()
    for (name, queue) in [("adds itself", queue), ("adds itself, traced", TracedOperationQueue(recorder: recorder))] {
      let own = AddsItself().named(name)
      own.add(to: queue)
      own.waitUntilFinished()
    }
    Nested(40).start()
    let byHand = Asked().named("by hand")
    byHand.start()
    byHand.start()
    // Two ways at once: each is recorded once.
    let traced = TracedOperationQueue(name: "traced")
    let both = TracedBlockOperation(name: "traced in plain") {}
    queue.addOperation(both)
    both.waitUntilFinished()
    traced.addOperations(
      [Late().named("plain in traced"), TracedBlockOperation(name: "both") {}], waitUntilFinished: true)
    TracedBlockOperation(name: "traced by hand") {}.start()
    try recorder.stop()
    // The silent one can't end any more.
    _exit(0)

  case "hooks-fork":
    let recorder = open()
    try recorder.instrumentProcess()
    useEverything("before")
    let status = test_run_in_fork {
      // Without a queue: the threads of the parent's pool are not there.
      let operation = Late().named("in child")
      operation.start()
      let dependent = Generic<String>().named("in child too")
      dependent.addDependency(operation)
      dependent.start()
      if !operation.isFinished || !dependent.isFinished { _exit(1) }
      let file = URL(fileURLWithPath: CommandLine.arguments[2] + ".child")
      do { try TraceRecorder(writingTo: file).instrumentProcess() } catch { print(error) }
    }
    useEverything("after")
    try recorder.stop()
    print("child \(status)")

  case "hooks-threads":
    // Classes and objects are met by many threads at the same time, and recorders come and go meanwhile.
    let recorder = open()
    try recorder.instrumentProcess()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let queue = OperationQueue()
      for round in 0..<50 {
        let operations: [Operation] = [
          Generic<(Int, Int8)>(), Generic<[Int16]>(), Generic<Int32?>(), Deeper<Int64>(), Deeper<[UInt]>(),
          Generic<String>(), Generic<Set<Int>>(), Late(), BlockOperation {}, Asynchronous(),
        ]
        for (operation, next) in zip(operations, operations.dropFirst()) { next.addDependency(operation) }
        queue.addOperations(operations, waitUntilFinished: round % 2 == 0)
        if thread == 0, round % 10 == 0 {
          // A traced queue of another recorder uses the hooks too.
          let other = try? TraceRecorder(writingTo: URL(fileURLWithPath: path + ".\(round)"))
          let traced = TracedOperationQueue(recorder: other)
          traced.addOperations([Late(), BlockOperation {}], waitUntilFinished: true)
          try? other?.stop()
        }
      }
      queue.waitUntilAllOperationsAreFinished()
    }
    try recorder.stop()

  case "hooks-stop-meanwhile":
    // Hooks are put in and taken out while operations run: nothing is lost, crashes or hangs.
    let queue = OperationQueue()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for round in 0..<40 {
        guard let recorder = try? TraceRecorder(writingTo: URL(fileURLWithPath: path + ".\(round)")) else { continue }
        try? recorder.instrumentProcess()
        usleep(500)
        try? recorder.stop()
      }
      done.signal()
    }
    var count = 0
    while done.wait(timeout: .now()) != .success {
      queue.addOperations([Late(), BlockOperation {}, Asynchronous(), Generic<Int>()], waitUntilFinished: true)
      count += 1
    }
    print("ran \(count > 0)")

  default:
    return false
  }
  return true
}
