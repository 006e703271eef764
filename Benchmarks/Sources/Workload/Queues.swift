import Foundation
import OpTrace

/// Operations on a queue, in pairs that differ in the recording alone.
enum Queues {
  /// How the operations are made.
  enum Shape: String {
    /// A subclass with an empty `main()`, of `Operation` or of `TracedOperation`.
    case subclass
    /// `queue.addOperation { }`.
    case block
    /// Foundation's class, in a traced queue too.
    case foreign
  }

  final class Plain: Operation, @unchecked Sendable {
    let work: Int
    init(_ work: Int) { self.work = work }
    override func main() { spin(work) }
  }

  final class Traced: TracedOperation, @unchecked Sendable {
    let work: Int
    init(_ work: Int) {
      self.work = work
      super.init()
    }
    override func main() { spin(work) }
  }

  /// Runs `count` operations, each of which works for `work` nanoseconds. In batches: Foundation's own cost grows with the square of
  /// what is pending.
  static func run(_ shape: Shape, on queue: OperationQueue, traced: Bool, count: Int, work: Int) {
    var left = count
    while left > 0 {
      let batch = min(left, 500)
      left -= batch
      switch shape {
      case .block:
        for _ in 0..<batch { queue.addOperation { spin(work) } }
        queue.waitUntilAllOperationsAreFinished()
      case .subclass where traced:
        add((0..<batch).map { _ in Traced(work) }, to: queue)
      case .subclass, .foreign:
        add((0..<batch).map { _ in Plain(work) }, to: queue)
      }
    }
  }

  private static func add(_ operations: [Operation], to queue: OperationQueue) {
    for operation in operations { queue.addOperation(operation) }
    queue.waitUntilAllOperationsAreFinished()
  }

  /// Keeps a processor busy for so many nanoseconds.
  static func spin(_ nanoseconds: Int) {
    guard nanoseconds > 0 else { return }
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(nanoseconds)
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}
