import COpTrace
import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Foundation's documented behaviour, with its own and with the traced types: a program sees no difference.
enum Kit: CaseIterable, CustomTestStringConvertible {
  case plain, traced

  var testDescription: String { self == .plain ? "plain" : "traced" }

  func queue(limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> OperationQueue {
    switch self {
    case .plain:
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = limit
      return queue
    case .traced:
      return TracedOperationQueue(maxConcurrentOperationCount: limit, recorder: Kit.recorder)
    }
  }

  func block(_ body: @escaping @Sendable () -> Void) -> BlockOperation {
    self == .plain ? BlockOperation(block: body) : TracedBlockOperation(block: body)
  }

  func sync(_ body: @escaping @Sendable (Operation) -> Void) -> Operation {
    self == .plain ? PlainSync(body) : SyncWork { body($0) }
  }

  func async(_ body: @escaping @Sendable (Operation, @escaping @Sendable () -> Void) -> Void) -> Operation {
    switch self {
    case .plain: PlainAsync(body)
    case .traced: AsyncWork { operation in body(operation, { operation.finish() }) }
    }
  }

  /// One recorder for all tests. Its file is removed at once and continues without a name.
  static let recorder: TraceRecorder? = {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString).optrace")
    let recorder = try? TraceRecorder(writingTo: url)
    try? FileManager.default.removeItem(at: url)
    return recorder
  }()
}

final class PlainSync: Operation, @unchecked Sendable {
  let body: @Sendable (Operation) -> Void
  init(_ body: @escaping @Sendable (Operation) -> Void) { self.body = body }
  override func main() { body(self) }
}

final class PlainAsync: Operation, @unchecked Sendable {
  let body: @Sendable (Operation, @escaping @Sendable () -> Void) -> Void
  private let lock = NSLock()
  private var running = false
  private var over = false
  init(_ body: @escaping @Sendable (Operation, @escaping @Sendable () -> Void) -> Void) { self.body = body }
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { running } }
  override var isFinished: Bool { lock.withLock { over } }
  override func start() {
    if isCancelled {
      lock.withLock { over = true }
      return didChangeValue(forKey: "isFinished")
    }
    lock.withLock { running = true }
    didChangeValue(forKey: "isExecuting")
    body(self) {
      self.lock.withLock {
        self.running = false
        self.over = true
      }
      self.didChangeValue(forKey: "isExecuting")
      self.didChangeValue(forKey: "isFinished")
    }
  }
}

@Suite(.ownThread) struct ParityTests {
  @Test func theRecorderRecords() { #expect(Kit.recorder?.isRecording == true) }

  @Test(arguments: Kit.allCases) func dependenciesOrderAcrossQueues(_ kit: Kit) {
    let log = Log<String>()
    let a = kit.queue(), b = kit.queue()
    let operations = ["1", "2", "3", "4"].map { name in kit.sync { _ in log.add(name) } }
    for index in 1..<4 { operations[index].addDependency(operations[index - 1]) }
    for (index, operation) in operations.enumerated().reversed() { (index % 2 == 0 ? a : b).addOperation(operation) }
    operations[3].waitUntilFinished()
    #expect(log.all == ["1", "2", "3", "4"])
    #expect(operations[3].dependencies == [operations[2]])
    #expect(operations.allSatisfy { $0.isFinished && !$0.isExecuting && !$0.isCancelled })
  }

  @Test(arguments: Kit.allCases) func serialQueueKeepsTheOrderOfAdding(_ kit: Kit) {
    let log = Log<Int>()
    let queue = kit.queue(limit: 1)
    for index in 0..<20 { queue.addOperation { log.add(index) } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(0..<20))
  }

  @Test(arguments: Kit.allCases) func priorityOrdersReadyOperations(_ kit: Kit) {
    let log = Log<String>()
    let queue = kit.queue(limit: 1)
    queue.isSuspended = true
    let priorities: [(String, Operation.QueuePriority)] = [
      ("low", .low), ("normal", .normal), ("highest", .veryHigh), ("lowest", .veryLow), ("high", .high),
    ]
    for (name, priority) in priorities {
      let operation = kit.block { log.add(name) }
      operation.queuePriority = priority
      queue.addOperation(operation)
    }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["highest", "high", "normal", "low", "lowest"])
  }

  @Test(arguments: Kit.allCases) func priorityDoesNotReplaceDependency(_ kit: Kit) {
    let log = Log<String>()
    let queue = kit.queue(limit: 1)
    queue.isSuspended = true
    let low = kit.sync { _ in log.add("low") }
    let high = kit.sync { _ in log.add("high") }
    low.queuePriority = .veryLow
    high.queuePriority = .veryHigh
    high.addDependency(low)
    queue.addOperations([high, low], waitUntilFinished: false)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["low", "high"])
  }

  @Test(arguments: Kit.allCases) func limitHoldsAndCanBeRaised(_ kit: Kit) {
    let queue = kit.queue(limit: 1)
    let started = Log<Int>()
    let gates = (0..<3).map { _ in Gate() }
    let both = (Gate(), Gate())
    queue.addOperation {
      started.add(0)
      both.0.open()
      gates[0].wait()
    }
    queue.addOperation {
      started.add(1)
      both.1.open()
      gates[1].wait()
    }
    both.0.wait()
    #expect(started.all == [0])
    queue.maxConcurrentOperationCount = 2
    both.1.wait()
    #expect(started.all == [0, 1])
    #expect(queue.maxConcurrentOperationCount == 2)
    for gate in gates { gate.open() }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operationCount == 0)
  }

  @Test(arguments: Kit.allCases) func suspendedQueueStartsNothing(_ kit: Kit) {
    let queue = kit.queue()
    queue.isSuspended = true
    #expect(queue.isSuspended)
    let operation = kit.sync { _ in }
    queue.addOperation(operation)
    #expect(!operation.isExecuting && !operation.isFinished && operation.isReady)
    #expect(queue.operations == [operation] && queue.operationCount == 1)
    queue.isSuspended = false
    operation.waitUntilFinished()
    #expect(operation.isFinished)
  }

  @Test(arguments: Kit.allCases) func cancelBeforeStartFinishesWithoutRunning(_ kit: Kit) {
    let queue = kit.queue(limit: 1)
    queue.isSuspended = true
    let log = Log<String>()
    let sync = kit.sync { _ in log.add("sync") }
    let async = kit.async { _, finish in
      log.add("async")
      finish()
    }
    queue.addOperations([sync, async], waitUntilFinished: false)
    sync.cancel()
    async.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == [])
    #expect(sync.isCancelled && sync.isFinished && async.isCancelled && async.isFinished)
  }

  @Test(arguments: Kit.allCases) func cancelledOperationDoesNotWaitForItsDependencies(_ kit: Kit) {
    let queue = kit.queue()
    let gate = Gate()
    let slow = kit.sync { _ in gate.wait() }
    let waiting = kit.sync { _ in }
    waiting.addDependency(slow)
    queue.addOperations([slow, waiting], waitUntilFinished: false)
    waiting.cancel()
    waiting.waitUntilFinished()
    #expect(waiting.isFinished && !slow.isFinished)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test(arguments: Kit.allCases) func cancelWhileExecutingIsOnlyARequest(_ kit: Kit) {
    let queue = kit.queue()
    let running = Gate(), goOn = Gate()
    let seen = Log<Bool>()
    let sync = kit.sync { operation in
      running.open()
      goOn.wait()
      seen.add(operation.isCancelled)
    }
    queue.addOperation(sync)
    running.wait()
    #expect(sync.isExecuting)
    sync.cancel()
    #expect(sync.isExecuting && !sync.isFinished)
    goOn.open()
    sync.waitUntilFinished()
    #expect(seen.all == [true])
  }

  @Test(arguments: Kit.allCases) func cancelAfterFinishChangesNothing(_ kit: Kit) {
    let operation = kit.sync { _ in }
    kit.queue().addOperations([operation], waitUntilFinished: true)
    operation.cancel()
    #expect(!operation.isCancelled && operation.isFinished)
  }

  @Test(arguments: Kit.allCases) func cancelAllReachesEveryOperation(_ kit: Kit) {
    let queue = kit.queue()
    queue.isSuspended = true
    let runs = Counter()
    let operations = (0..<5).map { _ in kit.sync { _ in runs.add() } }
    queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(operations.allSatisfy { $0.isCancelled && $0.isFinished } && runs.value == 0)
  }

  @Test(arguments: Kit.allCases) func completionBlockRunsOnceAfterTheFinish(_ kit: Kit) {
    let done = Gate()
    let log = Log<Bool>()
    for operation in [kit.sync { _ in }, kit.async { _, finish in finish() }, kit.block {}] {
      operation.completionBlock = { [weak operation] in
        log.add(operation?.isFinished ?? true)
        done.open()
      }
      kit.queue().addOperation(operation)
      done.wait()
    }
    #expect(log.all == [true, true, true])
  }

  @Test(arguments: Kit.allCases) func currentQueueIsTheOperationsQueue(_ kit: Kit) {
    let queue = kit.queue()
    let seen = Log<Bool>()
    let operations = [
      kit.sync { _ in seen.add(OperationQueue.current === queue) },
      kit.block { seen.add(OperationQueue.current === queue) },
    ]
    queue.addOperations(operations, waitUntilFinished: true)
    #expect(seen.all == [true, true])
    #expect(OperationQueue.current !== queue)
  }

  @Test(arguments: Kit.allCases) func underlyingQueueIsUsed(_ kit: Kit) {
    let key = DispatchSpecificKey<Int>()
    let dispatch = DispatchQueue(label: "underlying")
    dispatch.setSpecific(key: key, value: 7)
    let queue = kit.queue()
    queue.underlyingQueue = dispatch
    #expect(queue.underlyingQueue === dispatch)
    let seen = Log<Int?>()
    queue.addOperations([kit.sync { _ in seen.add(DispatchQueue.getSpecific(key: key)) }], waitUntilFinished: true)
    #expect(seen.all == [7])
  }

  @Test(arguments: Kit.allCases) func progressCountsFinishedOperations(_ kit: Kit) {
    let queue = kit.queue(limit: 1)
    queue.progress.totalUnitCount = 3
    for _ in 0..<3 { queue.addOperation(kit.sync { _ in }) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.completedUnitCount == 3)
  }

  @Test(arguments: Kit.allCases) func barrierRunsAloneBetweenTheOthers(_ kit: Kit) {
    let queue = kit.queue()
    let log = Log<String>()
    let gate = Gate()
    queue.addOperation {
      gate.wait()
      log.add("before")
    }
    queue.addBarrierBlock { log.add("barrier") }
    queue.addOperation { log.add("after") }
    #expect(log.all == [])
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["before", "barrier", "after"])
  }

  @Test(arguments: Kit.allCases) func manualStartRunsOnTheCallingThread(_ kit: Kit) {
    let thread = optrace_thread_id()
    let seen = Log<Bool>()
    let here: @Sendable () -> Void = { seen.add(optrace_thread_id() == thread) }
    for operation in [kit.sync { _ in here() }, kit.block(here)] {
      operation.start()
      #expect(operation.isFinished)
      operation.start()  // Starting a finished operation does nothing.
    }
    #expect(seen.all == [true, true])
    let cancelled = kit.sync { _ in seen.add(false) }
    cancelled.cancel()
    cancelled.start()
    #expect(cancelled.isFinished && seen.all.count == 2)
  }

  @Test(arguments: Kit.allCases) func asynchronousOperationOutlivesItsStart(_ kit: Kit) {
    let finishes = Log<@Sendable () -> Void>()
    let begun = Gate()
    let operation = kit.async { _, finish in
      finishes.add(finish)
      begun.open()
    }
    #expect(operation.isAsynchronous)
    let queue = kit.queue(limit: 1)
    let next = kit.sync { _ in }
    queue.addOperations([operation, next], waitUntilFinished: false)
    begun.wait()
    #expect(operation.isExecuting && !operation.isFinished && !next.isFinished)
    finishes.all.first?()
    next.waitUntilFinished()
    #expect(operation.isFinished && !operation.isExecuting)
  }

  @Test(arguments: Kit.allCases) func propertiesKeepTheirValues(_ kit: Kit) {
    for operation in [kit.sync { _ in }, kit.async { _, finish in finish() }, kit.block {}] {
      #expect(operation.name == nil)
      operation.name = "name"
      operation.qualityOfService = .utility
      operation.queuePriority = .high
      #expect(operation.name == "name" && operation.qualityOfService == .utility && operation.queuePriority == .high)
      #expect(operation.isReady && !operation.isExecuting && !operation.isFinished)
    }
    let queue = kit.queue()
    #expect(queue.maxConcurrentOperationCount == -1)
    queue.name = "q"
    queue.qualityOfService = .background
    #expect(queue.name == "q" && queue.qualityOfService == .background)
  }

  @Test(arguments: Kit.allCases) func readinessFollowsDependencies(_ kit: Kit) {
    let first = kit.sync { _ in }
    let second = kit.sync { _ in }
    second.addDependency(first)
    #expect(!second.isReady)
    first.start()
    #expect(second.isReady)
    second.removeDependency(first)
    #expect(second.dependencies == [])
    second.start()
    #expect(second.isFinished)
  }

  @Test(arguments: Kit.allCases) func blocksOfOneOperationAllRun(_ kit: Kit) {
    let log = Log<Int>()
    let operation = kit.block { log.add(0) }
    for index in 1..<5 { operation.addExecutionBlock { log.add(index) } }
    #expect(operation.executionBlocks.count == 5)
    kit.queue().addOperations([operation], waitUntilFinished: true)
    #expect(log.all.sorted() == [0, 1, 2, 3, 4])
  }

  @Test(arguments: Kit.allCases) func qualityOfServiceOfAQueueReachesItsBlocks(_ kit: Kit) {
    let queue = kit.queue()
    queue.qualityOfService = .utility
    queue.isSuspended = true
    queue.addOperation {}
    #expect(queue.operations.map(\.qualityOfService) == [.utility])
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }
}
