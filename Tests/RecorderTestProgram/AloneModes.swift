// Classes with a `start()` and states of their own, of which the recorder sees what the hooks see.
import Foundation
import OpTrace

/// Own states, and when the next one comes is told from outside.
private protocol Stateful: Operation {
  var state: State { get }
}

private final class State: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0
  var isExecuting: Bool { lock.withLock { value == 1 } }
  var isFinished: Bool { lock.withLock { value == 2 } }
  func set(_ next: Int) { lock.withLock { value = next } }
}

extension Stateful {
  func begin() {
    state.set(1)
    didChangeValue(forKey: "isExecuting")
  }

  func end() {
    state.set(2)
    for key in ["isExecuting", "isFinished"] { didChangeValue(forKey: key) }
  }

  func named(_ name: String) -> Self {
    self.name = name
    return self
  }
}

private class Plain: Operation, Stateful, @unchecked Sendable {
  let state = State()
  override var isExecuting: Bool { state.isExecuting }
  override var isFinished: Bool { state.isFinished }
}

/// The compiler knows which `start()` this is, and calls it past all hooks. That it executes is announced later.
private final class Late: Plain, @unchecked Sendable {
  override func start() {
    Thread.detachNewThread {
      usleep(50_000)
      self.begin()
      self.end()
    }
  }
}

/// Traced, and nothing of ours is called while it runs.
private class Alone: TracedOperation, Stateful, @unchecked Sendable {
  let state = State()
  override var isExecuting: Bool { state.isExecuting }
  override var isFinished: Bool { state.isFinished }
  override func start() {
    begin()
    DispatchQueue.global().async { self.end() }
  }
}

private final class AloneAndLate: Alone, @unchecked Sendable {
  override func start() {
    Thread.detachNewThread {
      usleep(50_000)
      self.begin()
      self.end()
    }
  }
}

/// Overrides all of it, and leaves it to ours.
private class Polite: TracedOperation, @unchecked Sendable {
  override var isExecuting: Bool { super.isExecuting }
  override var isFinished: Bool { super.isFinished }
  override func start() { super.start() }
  override func main() {}
}

private class PoliteFetch: TracedAsyncOperation, @unchecked Sendable {
  override var isExecuting: Bool { super.isExecuting }
  override var isFinished: Bool { super.isFinished }
  override func start() { super.start() }
  override func execute() { DispatchQueue.global().async { self.finish() } }
}

private func make(_ round: String) -> [Operation] {
  let operations = [Alone(), Polite(), PoliteFetch()]
  for (operation, kind) in zip(operations, ["alone", "polite", "fetch"]) { operation.name = "\(kind) \(round)" }
  return operations
}

/// Until each is over and its `start()` has returned, which may be later.
private func run(_ operations: [Operation], in queue: OperationQueue) {
  let threads = DispatchQueue(label: "threads", attributes: .concurrent)
  queue.underlyingQueue = threads
  queue.addOperations(operations, waitUntilFinished: true)
  threads.sync(flags: .barrier) {}
}

/// False when there is no such mode.
func runAloneMode(_ mode: String, recorder open: () -> TraceRecorder) throws -> Bool {
  switch mode {
  case "unseen-start":
    let recorder = open()
    TraceRecorder.default = recorder
    try recorder.instrumentProcess()
    let plain = Late().named("plain")
    plain.start()
    plain.waitUntilFinished()
    let traced = AloneAndLate().named("traced")
    traced.start()
    traced.waitUntilFinished()
    try recorder.stop()

  case "alone-everywhere":
    let recorder = open()
    TraceRecorder.default = recorder
    try recorder.instrumentProcess()
    for operation in make("by hand") {
      operation.start()
      operation.waitUntilFinished()
    }
    run(make("in plain"), in: OperationQueue())
    run(make("in traced"), in: TracedOperationQueue(name: "traced"))
    let cancelled = Alone().named("cancelled")
    cancelled.cancel()
    run([cancelled], in: TracedOperationQueue(name: "traced"))
    try recorder.stop()

  case "alone-in-traced":
    // Nobody asks for hooks but these classes.
    let recorder = open()
    run(make("in traced"), in: TracedOperationQueue(name: "traced", recorder: recorder))
    try recorder.stop()

  case "alone-by-hand":
    // Nobody has met any of them before its start.
    let recorder = open()
    TraceRecorder.default = recorder
    for operation in make("by hand") {
      operation.start()
      operation.waitUntilFinished()
    }
    try recorder.stop()

  default:
    return false
  }
  return true
}
