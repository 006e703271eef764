import Foundation

/// What runs or ends on other threads than a queue's own.
enum Threads {
  /// Finished from another thread; synchronous ones wait for them.
  static func asynchronous() {
    let work = queue("asynchronous", limit: 2)
    let hold = Gate()
    let first = Fetch("first") { hold.wait() }
    let second = Fetch("second")
    let atOnce = AsyncWork()
    atOnce.name = "at once"
    let last = Step("last") { _ in say("last") }
    second.addDependency(first)
    last.addDependency(second)
    last.addDependency(atOnce)
    work.addOperations([first, atOnce, second, last], waitUntilFinished: false)
    hold.open()
    work.waitUntilAllOperationsAreFinished()
  }

  final class PathFetch: PathWork, @unchecked Sendable {
    override func execute() { Thread.detachNewThread { self.finish() } }
  }

  static func asynchronousByKeyPath() {
    let work = queue("asynchronous", limit: 1)
    let first = PathFetch()
    first.name = "first"
    let last = Step("last")
    last.addDependency(first)
    let cancelled = PathFetch()
    cancelled.name = "cancelled"
    cancelled.cancel()
    work.addOperations([first, last, cancelled], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }

  final class SilentFetch: SilentWork, @unchecked Sendable {
    override func execute() { Thread.detachNewThread { self.finish() } }
  }

  static func asynchronousInSilence() {
    let work = queue("asynchronous", limit: 1)
    let first = SilentFetch()
    first.name = "first"
    let last = Step("last")
    last.addDependency(first)
    work.addOperations([first, last], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }

  static func mainQueue() {
    let background = queue("background", limit: 1)
    let main = theMainQueue()
    let load = Step("load") { _ in say("not on the main thread: \(!Thread.isMainThread)") }
    let show = Step("show") { _ in say("on the main thread: \(Thread.isMainThread)") }
    show.addDependency(load)
    let over = show.whenOver()
    main.addOperation(block("first"))
    main.addOperation(show)
    background.addOperation(load)
    while !over.isOpen { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
  }

  /// Nobody but the compiler knows that `Solo` has no other `start`: an optimised program calls Foundation's directly.
  final class Solo: Work, @unchecked Sendable {
    override func main() { say("solo") }
  }

  /// Through the method table, as the optimiser does not know the class here.
  @inline(never)
  static func start(_ operation: Operation) { operation.start() }

  static func byHand() {
    let step = Step("step") { _ in say("step") }
    step.start()
    let solo = Solo()
    solo.name = "solo"
    solo.start()
    let block = block("block") { say("block") }
    block.start()
    let cancelled = Step("cancelled") { _ in fail("a cancelled operation ran") }
    cancelled.cancel()
    cancelled.start()
    let fetch = Fetch("fetch") { say("fetch") }
    let over = fetch.whenOver()
    start(fetch)
    over.wait()
    say("over: \([step, solo, block, cancelled, fetch].allSatisfy(\.isFinished))")
  }
}
