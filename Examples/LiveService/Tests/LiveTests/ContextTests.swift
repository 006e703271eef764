import Foundation
import OpTrace
import OpTraceTracing
import Testing
import Tracing

/// The context of who adds an operation is there when it runs.
extension LiveTests {
  final class Plain: Operation, @unchecked Sendable {
    let log: Log<String?>
    init(_ log: Log<String?>) { self.log = log }
    override func main() { log.add(currentUser) }
  }

  final class Traced: TracedOperation, @unchecked Sendable {
    let log: Log<String?>
    init(_ log: Log<String?>) { self.log = log }
    override func main() { log.add(currentUser) }
  }

  final class Asynchronous: TracedAsyncOperation, @unchecked Sendable {
    let log: Log<String?>
    init(_ log: Log<String?>) { self.log = log }
    override func execute() {
      log.add(currentUser)
      finish()
    }
  }

  /// As many write it: states of its own, and its code on a thread of its own. (Of a final class the compiler would call `main()`
  /// directly, which no hook sees.)
  class OwnStates: Operation, @unchecked Sendable {
    let log: Log<String?>
    private let lock = NSLock()
    private var running = false
    private var over = false
    init(_ log: Log<String?>) { self.log = log }
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { running } }
    override var isFinished: Bool { lock.withLock { over } }
    override func start() {
      lock.withLock { running = true }
      Thread.detachNewThread { self.main() }
    }
    override func main() {
      log.add(currentUser)
      lock.withLock { (running, over) = (false, true) }
      didChangeValue(forKey: "isExecuting")
      didChangeValue(forKey: "isFinished")
    }
  }

  @Test(arguments: [true, false]) func contextReachesOperationsOfTracedQueues(makesSpans: Bool) throws {
    let observed = try Observed(makesSpans: makesSpans)
    let queue = observed.queue("work")
    let log = Log<String?>()
    asUser("ada") {
      queue.addOperation(Traced(log))
      queue.addOperation(Plain(log))
      queue.addOperation(Asynchronous(log))
      queue.addOperation(TracedTaskOperation { log.add(currentUser) })
      queue.addOperation { log.add(currentUser) }
      let several = TracedBlockOperation(name: "several") { log.add(currentUser) }
      several.addExecutionBlock { log.add(currentUser) }
      queue.addOperations([several, OwnStates(log)], waitUntilFinished: true)
      // No wait of the queue's is for it.
      let isOver = DispatchSemaphore(value: 0)
      queue.addBarrierBlock {
        log.add(currentUser)
        isOver.signal()
      }
      isOver.wait()
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(repeating: "ada", count: 9))
    try observed.end()
  }

  @Test(arguments: [true, false]) func contextReachesOperationsOfPlainQueues(makesSpans: Bool) throws {
    let observed = try Observed(makesSpans: makesSpans, wholeProcess: true)
    let queue = OperationQueue()
    let log = Log<String?>()
    asUser("ada") {
      queue.addOperation(Traced(log))
      queue.addOperation(Plain(log))
      queue.addOperation(OwnStates(log))
      queue.addOperation { log.add(currentUser) }
      let several = BlockOperation { log.add(currentUser) }
      several.addExecutionBlock { log.add(currentUser) }
      queue.addOperations([several], waitUntilFinished: true)
      // No wait of the queue's is for it.
      let isOver = DispatchSemaphore(value: 0)
      queue.addBarrierBlock {
        log.add(currentUser)
        isOver.signal()
      }
      isOver.wait()
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(repeating: "ada", count: 7))
    try observed.end()
  }

  @Test func eachOperationHasTheContextOfWhoAddedIt() throws {
    let observed = try Observed(makesSpans: false)
    let queue = observed.queue("work", limit: 1)
    let log = Log<String?>()
    queue.isSuspended = true
    for user in ["ada", "bob"] { asUser(user) { queue.addOperation { log.add(currentUser) } } }
    queue.addOperation { log.add(currentUser) }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["ada", "bob", nil])
    try observed.end()
  }

  @Test func contextGoesThroughOperationsThatAddOthers() throws {
    let observed = try Observed(makesSpans: false)
    let queue = observed.queue("work")
    let log = Log<String?>()
    asUser("ada") { queue.addOperation { queue.addOperation { log.add(currentUser) } } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["ada"])
    try observed.end()
  }

  @Test func contextOfATaskIsHandedOn() async throws {
    let observed = try Observed(makesSpans: false)
    let queue = observed.queue("work")
    let log = Log<String?>()
    var context = ServiceContext.topLevel
    context[User.self] = "ada"
    await ServiceContext.withValue(context) {
      await Task.yield()
      await withCheckedContinuation { done in
        queue.addOperation {
          log.add(currentUser)
          done.resume()
        }
      }
    }
    #expect(log.all == ["ada"])
    try observed.end()
  }

  @Test func withoutItNothingIsHandedOn() throws {
    let observed = try Observed()
    observed.tracing.stop()
    let queue = observed.queue("work")
    let log = Log<String?>()
    asUser("ada") { queue.addOperation { log.add(currentUser) } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == [nil])
    #expect(observed.tracer.finishedSpans.isEmpty && observed.tracer.activeSpans.isEmpty)
    try observed.end()
  }
}
