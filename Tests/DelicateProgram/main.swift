// What programs do that a recorder could easily disturb. Each prints what it found.
import Foundation

/// Operations, blocks and threads.
func work(_ rounds: Int) {
  for round in 0..<rounds {
    let queue = OperationQueue()
    queue.name = "queue \(round)"
    for i in 0..<200 { queue.addOperation { if i == 0 { usleep(2000) } } }
    let serial = DispatchQueue(label: "serial \(round)")
    serial.async {}
    serial.sync {}
    queue.waitUntilAllOperationsAreFinished()
  }
}

/// Uses a tenth of a second of processor time.
func burn() {
  let end = clock() + 100_000
  while clock() < end {}
}

/// Runs tasks, and returns after the last.
func tasks(_ count: Int) {
  let group = DispatchGroup()
  for _ in 0..<count {
    group.enter()
    Task.detached {
      await Task.yield()
      group.leave()
    }
  }
  group.wait()
}

typealias Enqueue = @convention(thin) (UnownedJob) -> Void
typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

/// An executor that takes the place of the global one.
final class OwnExecutor: SerialExecutor, @unchecked Sendable {
  // One thread takes jobs out, the others only put them in, under the condition's lock.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  nonisolated(unsafe) static var count = 0
  static let shared = OwnExecutor()

  init() {
    Thread.detachNewThread { [unowned(unsafe) self] in
      while true {
        condition.lock()
        while jobs.isEmpty { condition.wait() }
        let job = jobs.removeFirst()
        condition.unlock()
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  func enqueue(_ job: UnownedJob) {
    condition.lock()
    jobs.append(job)
    OwnExecutor.count += 1
    condition.signal()
    condition.unlock()
  }
}

func useOwnExecutor() {
  let hooks = [global_enqueue_hook(), main_enqueue_hook()].compactMap { variable in
    variable.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: EnqueueHook?.self) }
  }
  print("set before:", hooks.map { $0.pointee != nil })
  guard let hook = hooks.first else { return }
  tasks(10)
  let before = hook.pointee
  hook.pointee = { job, _ in OwnExecutor.shared.enqueue(job) }
  tasks(10)
  print("jobs of the own executor:", OwnExecutor.count >= 10)
  hook.pointee = before
  let count = OwnExecutor.count
  tasks(10)
  print("set after:", hook.pointee != nil, OwnExecutor.count == count)
}

switch CommandLine.arguments.dropFirst().first {
case "executor": useOwnExecutor()
case "filter", "filter-all":
  work(2)
  tasks(40)
  print(filter_calls(CommandLine.arguments[1] == "filter" ? 0 : 1))
  work(60)
  tasks(100)
  // Meanwhile the recorder looks whether anything moves.
  usleep(1_500_000)
  work(20)
case "namespace", "namespace-by-number":
  print(enter_user_namespace(CommandLine.arguments[1] == "namespace" ? 0 : 1))
  work(3)
case "signals":
  for _ in 0..<3 {
    burn()
    for number in 1...31 as ClosedRange<Int32> { signal(number, SIG_DFL) }
    burn()
  }
  print("alive")
case "exit":
  signal(SIGALRM) { _ in exit(7) }
  var soon = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: 30000))
  setitimer(__itimer_which_t(0), &soon, nil)
  for _ in 0..<4 { Thread.detachNewThread { while true { work(1) } } }
  while true { work(1) }
default: exit(64)
}
