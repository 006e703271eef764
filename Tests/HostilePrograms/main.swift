// Programs that make it hard to see stacks and threads: `HostilePrograms NAME [LIBRARY]`. They know nothing of OpTrace.
import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

let queue = OperationQueue()
queue.maxConcurrentOperationCount = 2

/// Called back by C: adds an operation from wherever it is.
func addOne(_ context: UnsafeMutableRawPointer?) { queue.addOperation { usleep(1000) } }

func finish() { queue.waitUntilAllOperationsAreFinished() }

/// An operation is pending until the standard input ends: time for a snapshot.
func stayStill() {
  queue.addOperation { while readLine() != nil {} }
  finish()
}

func plain() {
  for _ in 0..<10 { addOne(nil) }
  finish()
}

func library(_ path: String) {
  for _ in 0..<20 { guard call_library(path, nil, addOne) else { exit(3) } }
  finish()
}

func signalStack() {
  for _ in 0..<10 { call_on_signal_stack(addOne, nil) }
  finish()
}

func fibers() {
  for _ in 0..<10 { call_on_fiber(addOne, nil) }
  finish()
}

func startThread(_ body: @escaping @Sendable () -> Void) {
  let thread = Thread(block: body)
  thread.stackSize = 128 * 1024
  thread.start()
}

func manyThreads() {
  let gate = DispatchSemaphore(value: 0)
  for _ in 0..<300 { startThread { gate.wait() } }
  stayStill()
  for _ in 0..<300 { gate.signal() }
}

func comingThreads() {
  for _ in 0..<3 {
    startThread {
      while true {
        var thread = pthread_t()
        if pthread_create(&thread, nil, { _ in nil }, nil) == 0 { pthread_join(thread, nil) }
      }
    }
  }
  stayStill()
}

func frameLoop() {
  wait_in_a_loop()
  stayStill()
}

/// Blocks of a child, whose queues have no thread yet.
func child() {
  let made = DispatchQueue(label: "of the parent")
  let pid = make_child()
  guard pid == 0 else {
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    print("the child ended with \(status)")
    plain()
    return
  }
  let group = DispatchGroup()
  for _ in 0..<100 { made.async(group: group) {} }
  for _ in 0..<100 { DispatchQueue.global().async(group: group) {} }
  group.wait()
  _exit(0)
}

func manyBlocks() {
  let serial = DispatchQueue(label: "full")
  serial.suspend()
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  total.initialize(to: 0)
  nonisolated(unsafe) let sum = total
  for _ in 0..<100_000 { serial.async { sum.pointee += 1 } }
  serial.resume()
  print(serial.sync { sum.pointee })
}

func cancelledItems() {
  let serial = DispatchQueue(label: "items")
  let began = DispatchSemaphore(value: 0)
  let goOn = DispatchSemaphore(value: 0)
  let running = DispatchWorkItem {
    began.signal()
    goOn.wait()
  }
  let waiting = DispatchWorkItem { print("never") }
  serial.async(execute: running)
  serial.async(execute: waiting)
  began.wait()
  waiting.cancel()
  running.cancel()
  goOn.signal()
  running.wait()
  serial.sync {}
  let early = DispatchWorkItem { print("never") }
  early.cancel()
  serial.async(execute: early)
  serial.async(execute: early)
  serial.sync {}
  print(running.isCancelled, waiting.isCancelled, early.isCancelled)
}

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "plain": plain()
case "library": library(arguments.dropFirst().first ?? "")
case "signal-stack": signalStack()
case "fibers": fibers()
case "many-threads": manyThreads()
case "coming-threads": comingThreads()
case "frame-loop": frameLoop()
case "child": child()
case "many-blocks": manyBlocks()
case "cancelled-items": cancelledItems()
default: exit(2)
}
print("over")
