import Foundation

/// Operations that sleep: their time is what they are given, whatever else runs.
class Piece: Operation, @unchecked Sendable {
  let milliseconds: Double
  let before: (@Sendable () -> Void)?
  let after: (@Sendable () -> Void)?

  var kind: String { "\(type(of: self))" }

  init(
    _ milliseconds: Double, before: (@Sendable () -> Void)? = nil, after: (@Sendable () -> Void)? = nil
  ) {
    self.milliseconds = milliseconds
    self.before = before
    self.after = after
    super.init()
    queuePriority = Knobs.shared.priority(kind, .normal)
  }

  override func main() {
    before?()
    rest(Knobs.shared.milliseconds(kind, milliseconds))
    after?()
  }

  /// Depends on it, unless a change says otherwise.
  func follows(_ other: Operation) {
    if Knobs.shared.keeps(kind, waitingFor: "\(type(of: other))") { addDependency(other) }
  }
}

final class Load: Piece, @unchecked Sendable {}
final class Decode: Piece, @unchecked Sendable {}
final class Scale: Piece, @unchecked Sendable {}
final class Store: Piece, @unchecked Sendable {}
final class Join: Piece, @unchecked Sendable {}

/// Finished by a timer; it holds no thread.
final class Fetch: Operation, @unchecked Sendable {
  private let milliseconds: Double
  private let lock = NSLock()
  private var executes = false
  private var isOver = false

  init(_ milliseconds: Double) {
    self.milliseconds = Knobs.shared.milliseconds("Fetch", milliseconds)
    super.init()
    queuePriority = Knobs.shared.priority("Fetch", .normal)
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { executes } }
  override var isFinished: Bool { lock.withLock { isOver } }

  override func start() {
    willChangeValue(forKey: "isExecuting")
    lock.withLock { executes = true }
    didChangeValue(forKey: "isExecuting")
    Self.network.asyncAfter(deadline: .now() + milliseconds * 4 / 1000) { self.finish() }
  }

  private func finish() {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    lock.withLock { (executes, isOver) = (false, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }

  /// A serial queue of its own thread, as network libraries have.
  private static let network = DispatchQueue(label: "network callbacks")
}

func rest(_ milliseconds: Double) {
  if milliseconds > 0 { usleep(UInt32(milliseconds * 4000)) }
}

/// Queues by name, with the limits that a change gives them.
final class Queues: @unchecked Sendable {
  private var all: [String: OperationQueue] = [:]
  private let lock = NSLock()

  init(_ limits: KeyValuePairs<String, Int>) {
    for (name, limit) in limits {
      let queue = OperationQueue()
      queue.name = name
      queue.maxConcurrentOperationCount = Knobs.shared.limit(name, limit)
      all[name] = queue
    }
  }

  subscript(_ name: String) -> OperationQueue { lock.withLock { all[name] ?? OperationQueue() } }

  func add(_ operation: Operation, to name: String) {
    self[Knobs.shared.queue(of: "\(type(of: operation))", name)].addOperation(operation)
  }

  /// Until all are empty: what runs in one may add to another.
  func waitUntilDone() {
    while all.values.contains(where: { $0.operationCount > 0 }) {
      for name in all.keys.sorted() { self[name].waitUntilAllOperationsAreFinished() }
    }
  }
}
