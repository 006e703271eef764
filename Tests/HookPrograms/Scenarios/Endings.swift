import CRecorderTestSupport
import Dispatch
import Foundation

/// Programs that do much, or end in other ways than most.
enum Endings {
  /// A number that any thread raises.
  /// Sendable: `number` is only touched under `lock`.
  final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    func add() { lock.withLock { number += 1 } }
    var value: Int { lock.withLock { number } }
  }

  final class Counted: Work, @unchecked Sendable {
    private let counter: Counter
    init(_ counter: Counter) { self.counter = counter }
    override func main() { counter.add() }
  }

  static func runSome(_ count: Int, in name: String) {
    let work = queue(name, limit: 1)
    for index in 1...count { work.addOperation(Step("\(name) \(index)")) }
    work.waitUntilAllOperationsAreFinished()
    say("\(name): \(count)")
  }

  /// 200,000 operations of two classes in 8 queues, added by as many threads.
  static func load() {
    let counter = Counter()
    let group = DispatchGroup()
    for number in 1...8 {
      group.enter()
      Thread.detachNewThread {
        let work = queue("queue \(number)", limit: number % 3 == 0 ? -1 : number)
        for _ in 0..<250 {
          let batch: [Operation] = (0..<100).map { index in
            index % 2 == 0 ? Counted(counter) : BlockWork { counter.add() }
          }
          work.addOperations(batch, waitUntilFinished: false)
          work.waitUntilAllOperationsAreFinished()
        }
        group.leave()
      }
    }
    group.wait()
    say("ran \(counter.value)")
  }

  /// Lives on: the last thread that lets a queue go may be past its end, where nothing is recorded any more.
  static let shared = queue("shared", limit: 2)

  /// Each thread starts one by hand, adds one, and ends.
  static func shortThreads() {
    let work = shared
    let counter = Counter()
    for _ in 0..<25 {
      let group = DispatchGroup()
      for _ in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          Counted(counter).start()
          work.addOperation(Counted(counter))
          group.leave()
        }
      }
      group.wait()
    }
    work.waitUntilAllOperationsAreFinished()
    say("ran \(counter.value)")
  }

  /// Becomes another image of itself, with the same process number.
  static func exec() {
    guard CommandLine.arguments.count < 3 else { return runSome(3, in: "second image") }
    runSome(2, in: "first image")
    let texts = [CommandLine.arguments[0], "exec", "again"]
    var words: [UnsafeMutablePointer<CChar>?] = texts.map { (text: String) in strdup(text) }
    words.append(nil)
    execv("/proc/self/exe", words)
    fail("exec did not work")
  }

  /// The child goes on without `exec`, which is as much as a process without other threads may do.
  static func fork() {
    let status = test_run_in_fork {
      Step("by hand in the child").start()
      Endings.runSome(3, in: "child")
    }
    runSome(2, in: "parent")
    say("the child's status: \(status)")
  }

  static func underscoreExit() {
    runSome(3, in: "work")
    _exit(5)
  }

  static func exitStatus() {
    runSome(3, in: "work")
    exit(9)
  }

  static func trap() {
    let work = queue("work", limit: 1)
    let before = Step("before")
    let trap = Step("trap") { _ in
      say("traps")
      fatalError("as it should")
    }
    trap.addDependency(before)
    work.addOperations([before, trap], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }

  static func kill() {
    let work = queue("work", limit: 1)
    let after = Step("kill") { _ in
      say("kills itself")
      Foundation.kill(getpid(), SIGKILL)
      sleep(60)
    }
    let before = Step("before")
    after.addDependency(before)
    work.addOperations([before, after], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }
}
