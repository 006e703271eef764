import Foundation

/// Classes of operations and queues as programs have them.
enum Classes {
  class Base: Work, @unchecked Sendable {
    init(_ name: String) {
      super.init()
      self.name = name
    }
    override func main() { say("base of \(name ?? "")") }
  }

  class Middle: Base, @unchecked Sendable {
    override func main() {
      super.main()
      say("middle of \(name ?? "")")
    }
  }

  final class Leaf: Middle, @unchecked Sendable {
    private let extra = Array("kept")
    override func main() {
      super.main()
      say("leaf of \(name ?? "") \(String(extra))")
    }
  }

  /// Inherits all that runs.
  final class Quiet: Middle, @unchecked Sendable {}

  final class SlowFetch: Fetch, @unchecked Sendable {
    override func execute() {
      say("slow fetch")
      super.execute()
    }
  }

  static func subclasses() {
    let work = queue("classes", limit: 1)
    let operations = [Base("a"), Middle("b"), Leaf("c"), Quiet("d"), Leaf("e"), SlowFetch("f")]
    work.addOperations(operations, waitUntilFinished: false)
    work.waitUntilAllOperationsAreFinished()
  }

  class Box<Value: Sendable>: Work, @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
    override func main() { say("\(value)") }
  }

  final class Pair<First: Sendable, Second: Sendable>: Box<First>, @unchecked Sendable {
    let second: Second
    init(_ first: First, _ second: Second) {
      self.second = second
      super.init(first)
    }
    override func main() {
      super.main()
      say("with \(second)")
    }
  }

  final class Inherited: Box<[Int]>, @unchecked Sendable {}

  static func generic() {
    let work = queue("generic", limit: 1)
    let operations = [
      Box(1), Box("text"), Box(2), Box([1.5]), Pair(3, "three"), Pair("four", 4), Inherited([5, 6]), Box(7),
    ]
    for (index, operation) in operations.enumerated() {
      operation.name = "box \(index)"
      work.addOperation(operation)
    }
    work.waitUntilAllOperationsAreFinished()
  }

  /// Overrides all that a program may, and calls `super`.
  final class Everything: Base, @unchecked Sendable {
    override func start() {
      say("start")
      super.start()
    }
    override func main() {
      say("main")
      super.main()
    }
    override func cancel() {
      say("cancel")
      super.cancel()
    }
    override var isExecuting: Bool { super.isExecuting }
    override var isFinished: Bool { super.isFinished }
    override var isCancelled: Bool { super.isCancelled }
    override var isAsynchronous: Bool { super.isAsynchronous }
    override var name: String? {
      get { super.name.map { "everything \($0)" } }
      set { super.name = newValue }
    }
    override var queuePriority: Operation.QueuePriority {
      get { super.queuePriority }
      set { super.queuePriority = newValue }
    }
    override var qualityOfService: QualityOfService {
      get { super.qualityOfService }
      set { super.qualityOfService = newValue }
    }
    override var dependencies: [Operation] { super.dependencies }
    override func addDependency(_ operation: Operation) {
      say("depends on \(operation.name ?? "")")
      super.addDependency(operation)
    }
    override func removeDependency(_ operation: Operation) { super.removeDependency(operation) }
    override func waitUntilFinished() { super.waitUntilFinished() }
  }

  static func overrides() {
    let work = queue("overrides", limit: 1)
    work.isSuspended = true
    let first = Everything("a")
    let second = Everything("b")
    first.queuePriority = .high
    second.qualityOfService = .utility
    second.addDependency(first)
    let cancelled = Everything("c")
    cancelled.queuePriority = .low
    work.addOperations([first, second, cancelled], waitUntilFinished: false)
    cancelled.cancel()
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
  }

  /// Runs when somebody allows it, and says so.
  final class Picky: Base, @unchecked Sendable {
    private let lock = NSLock()
    private var isAllowed = false

    override var isReady: Bool { super.isReady && lock.withLock { isAllowed } }

    func allow() {
      willChangeValue(forKey: "isReady")
      lock.withLock { isAllowed = true }
      didChangeValue(forKey: "isReady")
    }
  }

  static func readiness() {
    let work = queue("readiness", limit: 1)
    let picky = Picky("picky")
    let other = Step("other") { _ in say("other") }
    let over = other.whenOver()
    work.addOperations([picky, other], waitUntilFinished: false)
    over.wait()
    picky.allow()
    work.waitUntilAllOperationsAreFinished()
  }

  final class ChattyQueue: Queue, @unchecked Sendable {
    override func addOperation(_ operation: Operation) {
      say("adds \(operation.name ?? "one without a name")")
      super.addOperation(operation)
    }
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      say("adds a block")
      super.addOperation(block)
    }
    override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
      say("adds \(operations.count)")
      super.addOperations(operations, waitUntilFinished: wait)
    }
    override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
      say("adds a barrier")
      super.addBarrierBlock(barrier)
    }
    override func cancelAllOperations() {
      say("cancels all")
      super.cancelAllOperations()
    }
    override func waitUntilAllOperationsAreFinished() { super.waitUntilAllOperationsAreFinished() }
    override var isSuspended: Bool {
      get { super.isSuspended }
      set { super.isSuspended = newValue }
    }
    override var maxConcurrentOperationCount: Int {
      get { super.maxConcurrentOperationCount }
      set { super.maxConcurrentOperationCount = newValue }
    }
    override var name: String? {
      get { super.name }
      set { super.name = newValue }
    }
  }

  static func queueSubclass() {
    let work = ChattyQueue()
    work.name = "chatty"
    work.maxConcurrentOperationCount = 1
    let hold = Gate()
    work.addOperation(Step("held") { _ in hold.wait() })
    work.addBarrierBlock { say("barrier") }
    work.addOperation { say("block") }
    work.addOperations([Step("first"), block("second")], waitUntilFinished: false)
    hold.open()
    work.waitUntilAllOperationsAreFinished()
    work.isSuspended = true
    work.addOperation(Step("cancelled") { _ in fail("a cancelled step ran") })
    work.cancelAllOperations()
    work.isSuspended = false
    work.waitUntilAllOperationsAreFinished()
  }
}
