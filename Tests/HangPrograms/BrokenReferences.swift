import Dispatch
import Foundation
import Synchronization

// Programs that hang for good although something in them goes on: who could end the wait is told by who refers to what is waited for.

/// A beat, as of a program that reports that it is alive.
private func beat() -> any DispatchSourceTimer {
  let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "beat"))
  timer.schedule(deadline: .now() + 600, repeating: 600)
  timer.setEventHandler {}
  timer.resume()
  return timer
}

/// The task needs the main thread, which waits for it.
func mainActorBesideTimer() {
  let timer = beat(), shown = DispatchSemaphore(value: 0)
  Task.detached {
    await MainActor.run { print("shown") }
    shown.signal()
  }
  withExtendedLifetime(timer) { shown.wait() }
}

/// The same by way of a block of the main queue.
func mainQueueBesideTimer() {
  let timer = beat(), shown = DispatchGroup()
  shown.enter()
  DispatchQueue.main.async { shown.leave() }
  withExtendedLifetime(timer) { shown.wait() }
}

final class Loader {
  private var callbacks: [() -> Void] = []
  func load(_ callback: @escaping () -> Void) { callbacks.append(callback) }
  /// Forgets to call them.
  func cancel() { callbacks = [] }
}

func callbackReleased() {
  let timer = beat(), loaded = DispatchSemaphore(value: 0)
  let loader = Loader()
  loader.load { loaded.signal() }
  loader.cancel()
  withExtendedLifetime((timer, loader)) { loaded.wait() }
}

func continuationReleased() {
  keptTimer = beat()
  Task {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    exit(0)
  }
  dispatchMain()
}
nonisolated(unsafe) var keptTimer: (any DispatchSourceTimer)?

/// The block that signals is behind the one that waits.
func serialQueueBehindItself() {
  let timer = beat(), queue = DispatchQueue(label: "store"), done = DispatchGroup()
  queue.async(group: done) {
    let saved = DispatchSemaphore(value: 0)
    queue.async { saved.signal() }
    saved.wait()
  }
  withExtendedLifetime(timer) { done.wait() }
}

// What looks alike, and goes on.

/// A timer signals, too.
func mainActorOrTimer() {
  let shown = DispatchSemaphore(value: 0)
  Task.detached {
    await MainActor.run { print("shown") }
    shown.signal()
  }
  let timer = beat()
  timer.setEventHandler { shown.signal() }
  withExtendedLifetime(timer) { shown.wait() }
}

/// Who holds the semaphore only weakly signals it.
func mainActorOrWeak() {
  final class Door: Sendable { let opened = DispatchSemaphore(value: 0) }
  let door = Door()
  Task.detached {
    await MainActor.run { print("shown") }
    door.opened.signal()
  }
  DispatchQueue.global().asyncAfter(deadline: .now() + 600) { [weak door] in door?.opened.signal() }
  door.opened.wait()
}

func callbackKept() {
  let loaded = DispatchSemaphore(value: 0)
  let loader = Loader()
  loader.load { loaded.signal() }
  keptLoader.withLock { $0 = Int(bitPattern: Unmanaged.passRetained(loader).toOpaque()) }
  keptTimer = beat()
  loaded.wait()
}
let keptLoader = Mutex(0)

func continuationKept() {
  keptTimer = beat()
  Task {
    await withUnsafeContinuation { (one: UnsafeContinuation<Void, Never>) in
      keptTimer?.setEventHandler { one.resume() }
    }
    exit(0)
  }
  dispatchMain()
}

/// Whoever cancels the task lets it go on.
func cancelHandlerSignals() {
  let shown = DispatchSemaphore(value: 0)
  let task = Task.detached {
    await withTaskCancellationHandler {
      await MainActor.run { print("shown") }
      shown.signal()
    } onCancel: {
      shown.signal()
    }
  }
  DispatchQueue.global().asyncAfter(deadline: .now() + 600) { task.cancel() }
  shown.wait()
}

/// The task's child signals, and has what is in its parent's memory.
func asyncLetSignals() {
  let shown = DispatchSemaphore(value: 0)
  Task.detached {
    async let later: Void = {
      try? await Task.sleep(for: .seconds(600))
      shown.signal()
    }()
    await MainActor.run { print("shown") }
    await later
  }
  shown.wait()
}

/// A closure on the waiting thread's own stack is run by another thread.
func closureOnStack() {
  let shown = DispatchSemaphore(value: 0)
  Task.detached {
    await MainActor.run { print("shown") }
    shown.signal()
  }
  let isTaken = Atomic(false)
  DispatchQueue.concurrentPerform(iterations: 2) { _ in
    if isTaken.exchange(true, ordering: .relaxed) {
      sleep(600)
      shown.signal()
    } else {
      shown.wait()
    }
  }
}

/// A thread has the semaphore, and sleeps.
func threadSignalsLater() {
  let shown = DispatchSemaphore(value: 0)
  Task.detached {
    await MainActor.run { print("shown") }
    shown.signal()
  }
  Thread {
    sleep(600)
    shown.signal()
  }.start()
  shown.wait()
}

// Swift's module of the C library does not have them.
@_silgen_name("epoll_create1") private func makeSet(_ flags: Int32) -> Int32
@_silgen_name("epoll_ctl") private func change(
  _ set: Int32, _ how: Int32, _ file: Int32, _ event: UnsafeRawPointer?
) -> Int32
@_silgen_name("epoll_wait") private func wait(
  _ set: Int32, _ events: UnsafeMutableRawPointer?, _ count: Int32, _ limit: Int32
) -> Int32

/// `struct epoll_event`: what is waited for, then data, which is packed on x86-64.
private struct SetEvent {
  #if arch(x86_64)
    private static let dataOffset = 4
  #else
    private static let dataOffset = 8
  #endif
  private(set) var bytes = [UInt8](repeating: 0, count: 16)

  init(reading address: UInt = 0) {
    bytes[0] = 1
    withUnsafeBytes(of: address) { bytes.replaceSubrange(Self.dataOffset..<Self.dataOffset + 8, with: $0) }
  }

  mutating func next(of set: Int32) -> UnsafeMutableRawPointer? {
    guard bytes.withUnsafeMutableBytes({ wait(set, $0.baseAddress, 1, 0) }) == 1 else { return nil }
    return bytes.withUnsafeBytes {
      UnsafeMutableRawPointer(bitPattern: $0.loadUnaligned(fromByteOffset: Self.dataOffset, as: UInt.self))
    }
  }
}

/// Only the system has its address, and gives it back with an event. The loop asks for it when a source says so.
func addressInTheSystem() {
  final class Context {
    let ready = DispatchSemaphore(value: 0)
  }
  let set = makeSet(0)
  let source = DispatchSource.makeReadSource(fileDescriptor: set, queue: DispatchQueue(label: "loop"))
  source.setEventHandler {
    var event = SetEvent()
    if let address = event.next(of: set) { Unmanaged<Context>.fromOpaque(address).takeRetainedValue().ready.signal() }
  }
  source.resume()
  @inline(never) func wanted() -> DispatchSemaphore {
    let context = Context()
    let event = SetEvent(reading: UInt(bitPattern: Unmanaged.passRetained(context).toOpaque()))
    _ = event.bytes.withUnsafeBytes { change(set, 1, 0, $0.baseAddress) }
    return context.ready
  }
  wanted().wait()
}

/// A message is lost, and the parent of the task that waits for it waits for that task.
func childOfLostMessage() {
  actor Mailbox {
    private var waiting: [Int: CheckedContinuation<Int, Never>] = [:]
    func wait(_ number: Int) async -> Int { await withCheckedContinuation { waiting[number] = $0 } }
    func deliver(_ number: Int) { if number != 3 { waiting.removeValue(forKey: number)?.resume(returning: number) } }
  }
  Task.detached {
    let mailbox = Mailbox()
    await withTaskGroup(of: Int.self) { group in
      group.addTask { await mailbox.wait(3) }
      await mailbox.deliver(3)
      for await number in group { print(number) }
    }
  }
  dispatchMain()
}

nonisolated(unsafe) let brokenReferences: KeyValuePairs<String, () -> Void> = [
  "main-actor-beside-timer": mainActorBesideTimer, "main-queue-beside-timer": mainQueueBesideTimer,
  "callback-released": callbackReleased, "continuation-released": continuationReleased,
  "serial-queue-behind-itself": serialQueueBehindItself, "child-of-lost-message": childOfLostMessage,
]

nonisolated(unsafe) let healthyReferences: KeyValuePairs<String, () -> Void> = [
  "main-actor-or-timer": mainActorOrTimer, "main-actor-or-weak": mainActorOrWeak, "callback-kept": callbackKept,
  "continuation-kept": continuationKept, "cancel-handler-signals": cancelHandlerSignals,
  "async-let-signals": asyncLetSignals, "closure-on-stack": closureOnStack,
  "thread-signals-later": threadSignalsLater, "address-in-the-system": addressInTheSystem,
]
