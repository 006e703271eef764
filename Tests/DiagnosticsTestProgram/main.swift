// Programs that hang, are sent signals and fork: what can't be done inside a test process. Each prints a line when it has
// come to where the test wants it.
// usage: DiagnosticsTestProgram MODE TRACE [ring]
import CRecorderTestSupport
import Foundation
import OpTrace
import OpTraceDiagnostics

test_buffer_lines()

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let recorder: TraceRecorder
do {
  recorder = try TraceRecorder(
    writingTo: URL(fileURLWithPath: arguments[2]),
    configuration: arguments.contains("ring") ? .flightRecorder(capacity: 1 << 20) : .streaming)
} catch {
  print("error: \(error)")
  exit(3)
}

/// A serial queue whose operation waits for a later one of the same queue; comes back when it does.
func deadlock(_ name: String = "work") -> TracedOperationQueue {
  let queue = TracedOperationQueue(name: name, maxConcurrentOperationCount: 1, recorder: recorder)
  let inner = TracedBlockOperation(name: "inner") {}
  let hasBegun = DispatchSemaphore(value: 0)
  let outer = TracedBlockOperation(name: "outer") {
    hasBegun.signal()
    inner.waitUntilFinished()
  }
  queue.addOperations([outer, inner], waitUntilFinished: false)
  hasBegun.wait()
  return queue
}

/// Takes every thread that the pool has, and some that it does not.
func exhaustPool() -> TracedOperationQueue {
  let queue = TracedOperationQueue(name: "pool", recorder: recorder)
  let never = DispatchSemaphore(value: 0)
  for number in 1...8 { queue.addOperation(named: "blocked \(number)") { never.wait() } }
  return queue
}

nonisolated(unsafe) var watchdog: Watchdog?

/// What a handler was given, in order.
final class Reports: @unchecked Sendable {
  private let lock = NSLock()
  private let arrived = DispatchSemaphore(value: 0)
  private var reports: [QueueReport] = []

  func add(_ report: QueueReport) {
    lock.withLock { reports.append(report) }
    arrived.signal()
  }
  func next() -> QueueReport {
    arrived.wait()
    return lock.withLock { reports.removeFirst() }
  }
  /// How many came and were not taken.
  var rest: Int { lock.withLock { reports.count } }
}
let reports = Reports()

switch arguments[1] {
case "quit":
  // The main thread hangs, and no thread of the pool is left.
  try SignalReport.install(for: recorder)
  let work = deadlock()
  let pool = exhaustPool()
  print("hanging")
  work.waitUntilAllOperationsAreFinished()
  withExtendedLifetime(pool) {}

case "quit-late":
  // Threads that were made before take the signal too, and the one that installs it has it blocked.
  for _ in 0..<4 { Thread { while true { sleep(60) } }.start() }
  var mask = sigset_t()
  sigemptyset(&mask)
  sigaddset(&mask, SIGQUIT)
  pthread_sigmask(SIG_BLOCK, &mask, nil)
  try SignalReport.install(for: recorder)
  let queue = TracedOperationQueue(name: "held", recorder: recorder)
  queue.isSuspended = true
  queue.addOperation(named: "ready") {}
  print("ready")
  while let line = readLine() {
    print("still here: \(line)")
    if line == "stop" { try recorder.stop() }
  }

case "quit-remove":
  // Also where this program was started with the signal ignored or blocked.
  signal(SIGQUIT, SIG_DFL)
  var mask = sigset_t()
  sigemptyset(&mask)
  sigaddset(&mask, SIGQUIT)
  pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  let report = try SignalReport.install(for: recorder)
  do { try SignalReport.install(for: recorder) } catch { print(error) }
  do { try SignalReport.install(for: recorder, signal: SIGKILL) } catch { print(error) }
  // In a forked child the signal kills, as it did before.
  print("child: \(test_run_in_fork { kill(getpid(), SIGQUIT); while true { sleep(60) } } & 0x7f)")
  report.remove()
  report.remove()
  _ = try SignalReport.install(for: recorder)
  print("installed again")
  _ = readLine()

case "watch":
  // The handler of the library, on standard error.
  watchdog = Watchdog(recorder, after: .milliseconds(300))
  let queue = deadlock()
  print("hanging")
  queue.waitUntilAllOperationsAreFinished()

case "stalls":
  // Idle queues, one of them suspended on purpose; then one stall after the other.
  watchdog = Watchdog(recorder, after: .milliseconds(500)) { reports.add($0) }
  let idle = TracedOperationQueue(name: "idle", recorder: recorder)
  idle.addOperations([TracedBlockOperation(name: "done") {}], waitUntilFinished: true)
  idle.isSuspended = true
  Thread.sleep(forTimeInterval: 1.5)
  print("idle: \(reports.rest)")
  let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: recorder)
  for name in ["first", "second"] {
    let gate = DispatchSemaphore(value: 0)
    queue.addOperation(named: name) { gate.wait() }
    let report = reports.next()
    print(report.silence >= .milliseconds(500), report.hasErrors)
    print(report.queues.prefix { $0 != "," })
    // What moves nothing: it looks again, and it is the same stall.
    recorder.mark("somebody watches")
    Thread.sleep(forTimeInterval: 1.5)
    print("again: \(reports.rest)")
    gate.signal()
    queue.waitUntilAllOperationsAreFinished()
  }

case "handler":
  // The handler takes long, and enqueues: where it runs, and where it is stuck as well.
  let held = TracedOperationQueue(name: "held", recorder: recorder)
  held.isSuspended = true
  let other = TracedOperationQueue(name: "other", recorder: recorder)
  watchdog = Watchdog(recorder, after: .milliseconds(500)) { report in
    other.addOperations([TracedBlockOperation(name: "tell") {}], waitUntilFinished: true)
    held.addOperation(named: "from the handler") {}
    Thread.sleep(forTimeInterval: 1)
    reports.add(report)
  }
  held.addOperation(named: "ready") {}
  print(reports.next().verdict)
  Thread.sleep(forTimeInterval: 2)
  print("again: \(reports.rest)")

case "deleted":
  unlink(arguments[2])
  _ = FileManager.default.createFile(atPath: arguments[2], contents: Data("something else".utf8))
  watchdog = Watchdog(recorder, after: .milliseconds(300)) { reports.add($0) }
  let queue = deadlock()
  print(reports.next().verdict)
  withExtendedLifetime(queue) {}
  exit(0)

case "closed":
  // The program has closed all descriptors that it does not know.
  for descriptor in 3..<256 { close(Int32(descriptor)) }
  watchdog = Watchdog(recorder, after: .milliseconds(300))
  let queue = deadlock()
  print("hanging")
  queue.waitUntilAllOperationsAreFinished()

case "watch-fork":
  let reported = DispatchSemaphore(value: 0)
  watchdog = Watchdog(recorder, after: .milliseconds(100)) { report in
    print("reported: \(report.verdict)")
    reported.signal()
  }
  // A child has the object, and no thread behind it.
  let status = test_run_in_fork {
    watchdog = nil
    print("released in the child")
    exit(0)
  }
  print("child: \(status)")
  let queue = deadlock()
  reported.wait()
  watchdog?.cancel()
  watchdog = nil
  withExtendedLifetime(queue) {}
  print("end")
  exit(0)

default: exit(64)
}
