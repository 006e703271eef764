import Dispatch
import Foundation

/// Programs that hang, crash or do what they should not, and say a line when they have got there. One that neither hangs
/// nor crashes waits to be killed.
enum Evidences {
  private static func hang() -> Never { while true { sleep(60) } }

  /// Returns when the operation executes.
  @discardableResult
  private static func holder(_ name: String, in work: Queue) -> Step {
    let begun = Gate()
    let holder = Step(name) { _ in
      begun.open()
      hang()
    }
    work.addOperation(holder)
    begun.wait()
    return holder
  }

  // MARK: Adding

  /// Foundation on Linux holds the queue's lock while it asks the new operation, and takes it again when that is ready.
  static func addingHangs() {
    let work = queue("work", limit: 2)
    holder("holder", in: work)
    work.addBarrierBlock {}
    let cancelled = Step("cancelled")
    cancelled.cancel()
    work.addOperation(cancelled)
    fail("the call returned")
  }

  static func addingSeveralHangs() {
    let work = queue("work", limit: 2)
    holder("holder", in: work)
    work.addBarrierBlock {}
    let cancelled = Step("cancelled")
    cancelled.cancel()
    work.addOperations([cancelled, Step("second")], waitUntilFinished: true)
    fail("the call returned")
  }

  /// An adding call inside of another one, and the inner one hangs.
  final class Nested: Work, @unchecked Sendable {
    let inner: @Sendable () -> Void
    init(_ name: String, _ inner: @escaping @Sendable () -> Void) {
      self.inner = inner
      super.init()
      self.name = name
    }
    override var isReady: Bool {
      inner()
      return super.isReady
    }
  }

  static func innerAddingHangs() {
    let work = queue("work", limit: 2)
    holder("holder", in: work)
    work.addBarrierBlock {}
    let cancelled = Step("cancelled")
    cancelled.cancel()
    queue("outer").addOperation(Nested("outer") { work.addOperation(cancelled) })
    fail("the call returned")
  }

  /// What adds waits inside of it, in the program's own code, and then goes on.
  static func addingReturns() {
    let work = queue("work")
    let isToBeHeld = Gate(), held = Gate()
    isToBeHeld.open()
    let slow = Nested("slow") {
      if isToBeHeld.isOpen { held.wait() }
    }
    let over = slow.whenOver()
    Thread.detachNewThread { work.addOperation(slow) }
    // Long enough for the recorder to tell of it: the file is looked at by the test, which lets the program go on.
    awaitInput()
    held.open()
    over.wait()
    say("returned")
    hang()
  }

  private static func awaitInput() { _ = readLine() }

  // MARK: Dependencies

  static func dependsOnItself() {
    let work = queue("work")
    let loop = Step("loop")
    work.isSuspended = true
    work.addOperation(loop)
    loop.addDependency(loop)
    fail("the call returned")
  }

  static func dependsOnItselfBeforeAdding() {
    let loop = Step("loop")
    loop.addDependency(loop)
    fail("the call returned")
  }

  // MARK: Readiness

  final class Unwilling: Work, @unchecked Sendable {
    override var isReady: Bool { super.isReady && false }
  }

  final class Silent: Work, @unchecked Sendable {
    private let lock = NSLock()
    private var isAllowed = false
    override var isReady: Bool { super.isReady && lock.withLock { isAllowed } }
    func allow() { lock.withLock { isAllowed = true } }
  }

  final class Hasty: Work, @unchecked Sendable {
    override var isReady: Bool { true }
    override func main() { say("hasty ran") }
  }

  static func neverReady() {
    let work = queue("work", limit: 1)
    let unwilling = Unwilling()
    unwilling.name = "unwilling"
    let before = Step("before")
    unwilling.addDependency(before)
    work.addOperations([before, unwilling], waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
    fail("it ran")
  }

  static func readyInSilence() {
    let work = queue("work", limit: 1)
    let silent = Silent()
    silent.name = "silent"
    work.addOperation(silent)
    silent.allow()
    say("ready \(silent.isReady)")
    work.waitUntilAllOperationsAreFinished()
    fail("it ran")
  }

  static func readyTooEarly() {
    let work = queue("work", limit: 2)
    let hasty = Hasty()
    hasty.name = "hasty"
    let over = hasty.whenOver()
    let before = Step("before") { _ in hang() }
    hasty.addDependency(before)
    work.addOperations([before, hasty], waitUntilFinished: false)
    over.wait()
    hang()
  }

  // MARK: Barriers, suspension, limits

  static func barrierOnIdleQueue() {
    let work = queue("work")
    work.addOperation(Step("before"))
    work.waitUntilAllOperationsAreFinished()
    work.isSuspended = true
    let ran = Gate()
    work.addBarrierBlock { ran.open() }
    ran.wait()
    say("ran")
    work.waitUntilAllOperationsAreFinished()
    hang()
  }

  static func barrierOutlivesTheWait() {
    let work = queue("work")
    let begun = Gate()
    work.addBarrierBlock {
      begun.open()
      hang()
    }
    begun.wait()
    work.waitUntilAllOperationsAreFinished()
    say("waited")
    hang()
  }

  static func suspendedForGood() {
    let work = queue("work", limit: 3)
    work.addOperation(Step("first"))
    work.waitUntilAllOperationsAreFinished()
    work.isSuspended = true
    work.isSuspended = false
    work.isSuspended = true
    work.addOperation(Step("waits"))
    work.waitUntilAllOperationsAreFinished()
    fail("it ran")
  }

  static func limitOfZero() {
    let work = queue("work", limit: 3)
    work.addOperation(Step("first"))
    work.waitUntilAllOperationsAreFinished()
    work.maxConcurrentOperationCount = 0
    work.addOperation(Step("waits"))
    work.waitUntilAllOperationsAreFinished()
    fail("it ran")
  }

  // MARK: Starting and finishing

  static func startedInAQueue() {
    let work = queue("work")
    work.isSuspended = true
    let owned = Step("owned")
    work.addOperation(owned)
    owned.start()
    fail("the call returned")
  }

  static func startedTwice() {
    let twice = Step("twice")
    twice.start()
    twice.start()
    say("started twice")
    hang()
  }

  static func addedTwice() {
    let work = queue("work")
    work.isSuspended = true
    let twice = Step("twice")
    work.addOperation(twice)
    work.addOperation(twice)
    fail("the call returned")
  }

  static func dependentReleased() {
    let work = queue("work")
    let before = Step("before")
    var after: Step? = Step("after")
    after?.addDependency(before)
    after = nil
    work.isSuspended = true
    work.addOperation(before)
    say("released")
    hang()
  }

  static func cancelledDependentReleased() {
    let before = holder("before", in: queue("work"))
    let over: Gate = {
      let after = Step("after")
      after.addDependency(before)
      let over = after.whenOver()
      queue("other").addOperation(after)
      after.cancel()
      return over
    }()
    over.wait()
    say("over")
    hang()
  }

  static func finishedBeforeStart() {
    let work = queue("work")
    work.isSuspended = true
    let early = Fetch("early")
    work.addOperation(early)
    early.finish()
    say("finished")
    work.isSuspended = false
    hang()
  }

  /// Takes the cancelling for the end, and tells nobody.
  final class Lazy: Fetch, @unchecked Sendable {
    override func start() {
      guard !isCancelled else { return }
      super.start()
    }
  }

  static func cancelledAndNeverFinished() {
    let work = queue("work", limit: 1)
    work.isSuspended = true
    let lazy = Lazy("lazy")
    let slow = Fetch("slow") { hang() }
    lazy.cancel()
    work.addOperations([slow, lazy], waitUntilFinished: false)
    work.maxConcurrentOperationCount = 2
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
    fail("it was over")
  }
}
