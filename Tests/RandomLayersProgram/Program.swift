import Dispatch
import Foundation

/// What comes next. It is called once, on any thread.
typealias Then = @Sendable () -> Void

/// A healthy program that a seed makes up, over operations, dispatch queues and tasks.
///
/// Nobody blocks a thread but threads of the program's own, and who waits for a queue: that is always one of a higher rank than
/// all queues whose turn it has, so that no cycle arises. What is done does not depend on who comes first, so the sum is the
/// same in every run.
final class Program: @unchecked Sendable {
  private let lock = NSLock()
  private var steps = 0
  private var sum: UInt64 = 0
  private static let lockOfKept = NSLock()
  private nonisolated(unsafe) static var kept: [AnyObject] = []

  private static let depth = 6

  /// Ranks of queues, in their order: the serial ones, the concurrent one, the main queue.
  static let rank = DispatchSpecificKey<Int>()
  let serial: [DispatchQueue]
  let concurrent: DispatchQueue
  /// Has one's turn with it.
  let below: DispatchQueue
  /// Those for what operations in operations wait for are others: their slots are held.
  let operationQueues: [[OperationQueue]]
  let store = Store()
  let desk: Desk
  let executor = Executor()

  init() {
    serial = (0..<3).map { DispatchQueue(label: "serial \($0)") }
    concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    below = DispatchQueue(label: "below", target: serial[1])
    desk = Desk(DispatchQueue(label: "desk"))
    operationQueues = (0...Self.depth).map { _ in
      [1, 2, OperationQueue.defaultMaxConcurrentOperationCount, 1].map { limit in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = limit
        return queue
      }
    }
    for queues in operationQueues { queues[3].underlyingQueue = serial[0] }
    for (rank, queue) in (serial + [concurrent, DispatchQueue.main]).enumerated() {
      queue.setSpecific(key: Self.rank, value: rank)
    }
  }

  /// Runs all that the seed says; tells the sum.
  func run(seed: Int, then: @escaping @Sendable (String) -> Void) {
    let first = Node(seed: Node.mixed(UInt64(seed), 7), depth: Self.depth, inside: 0)
    perform(first) { [self] in
      perform(first.child(10)) { [self] in
        then(lock.withLock { "seed \(seed): \(steps) steps, \(String(sum, radix: 16))" })
      }
    }
  }

  /// That it was done.
  func count(_ node: Node) {
    lock.withLock {
      steps += 1
      sum &+= node.seed
    }
    if node.chance(2, percent: 5) { usleep(UInt32(node.number(3, below: 200))) }
  }

  /// Keeps it until the process ends. Foundation on Linux reads those that depend on an operation, be they gone or not, and still does
  /// so on one thread when the last of them runs on another.
  func keep(_ object: AnyObject) { Self.lockOfKept.withLock { Self.kept.append(object) } }

  /// Does what the node says, and all below it; then `then`, whether on this thread or on another.
  func perform(_ node: Node, _ then: @escaping Then) {
    count(node)
    guard node.depth > 0 else { return then() }
    switch node.number(below: 10) {
    case 0: inTurn(node.children[...], then)
    case 1...4: dispatch(node, then)
    case 5...7:
      let task: @Sendable () async -> Void = { [self] in await await_(node) }
      if node.chance(4, percent: 50) {
        Task(priority: node.chance(5, percent: 30) ? .low : nil) {
          await task()
          then()
        }
      } else {
        Task.detached {
          await task()
          then()
        }
      }
    default: operate(node, then)
    }
  }

  func inTurn(_ nodes: ArraySlice<Node>, _ then: @escaping Then) {
    guard let first = nodes.first else { return then() }
    perform(first) { [self] in inTurn(nodes.dropFirst(), then) }
  }
}

/// Calls somebody once so many are done.
final class Join: @unchecked Sendable {
  private let lock = NSLock()
  private var open: Int
  private let then: Then

  init(_ count: Int, _ then: @escaping Then) {
    open = count
    self.then = then
  }

  func done() {
    let isLast = lock.withLock {
      open -= 1
      return open == 0
    }
    if isLast { then() }
  }
}
