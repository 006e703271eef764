import Foundation
import OpTrace

/// Records a real trace of so many operations: `MakeTrace COUNT FILE [SHAPE [SPIN]]`.
///
/// With SPIN each third stage of a pipeline computes for so many nanoseconds.
///
/// They come in batches, since Foundation's own cost grows with the square of what is pending.
@main
enum MakeTrace {
  enum Shape: String, CaseIterable {
    /// Every second operation depends on the one before it.
    case pairs
    /// Every operation depends on the one before it.
    case chain
    /// The same in a suspended queue: nobody starts what waits there, as in a program that hangs.
    case stuck
    /// Rows of 40 operations in four queues, each depends on one or two of the row before.
    case layered
    /// Each item goes through four stages, each with a class and a queue of its own.
    case pipeline
    /// One operation, on which all others depend but one, which depends on these.
    case fan
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard (3...5).contains(arguments.count), let count = Int(arguments[1]), count > 0,
      let shape = Shape(rawValue: arguments.count >= 4 ? arguments[3] : "pairs"),
      let spin = UInt64(arguments.count == 5 ? arguments[4] : "0")
    else {
      let shapes = Shape.allCases.map(\.rawValue).joined(separator: "|")
      FileHandle.standardError.write(Data("usage: MakeTrace COUNT FILE [\(shapes) [SPIN]]\n".utf8))
      exit(64)
    }
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[2]))
    switch shape {
    case .pairs, .stuck: pairs(count, recorder, isStuck: shape == .stuck)
    case .chain: pairs(count, recorder, isStuck: false, every: 1)
    case .layered: layered(count, recorder)
    case .pipeline: pipeline(count, recorder, spin)
    case .fan: fan(count, recorder)
    }
    try recorder.stop()
    // Without checking what still waits.
    exit(0)
  }

  private static let batch = 500

  private static func pairs(_ count: Int, _ recorder: TraceRecorder, isStuck: Bool, every: Int = 2) {
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
    queue.isSuspended = isStuck
    for start in stride(from: 0, to: count, by: batch) {
      var operations: [Operation] = []
      for number in 0..<min(batch, count - start) {
        let operation = TracedOperation()
        if (number + 1) % every == 0, let before = operations.last { operation.addDependency(before) }
        operations.append(operation)
      }
      queue.addOperations(operations, waitUntilFinished: !isStuck)
    }
  }

  private static func layered(_ count: Int, _ recorder: TraceRecorder) {
    let queues = (1...4).map {
      TracedOperationQueue(name: "lane \($0)", maxConcurrentOperationCount: 2, recorder: recorder)
    }
    let width = 40
    var before: [Operation] = []
    for start in stride(from: 0, to: count, by: width) {
      let row = (0..<min(width, count - start)).map { _ in TracedOperation() }
      for (column, operation) in row.enumerated() where !before.isEmpty {
        operation.addDependency(before[column])
        if column % 3 == 0 { operation.addDependency(before[(column + 1) % width]) }
      }
      for (number, queue) in queues.enumerated() {
        queue.addOperations(
          row.enumerated().filter { $0.offset % queues.count == number }.map(\.element), waitUntilFinished: false)
      }
      if start / width % 8 == 7 { for queue in queues { queue.waitUntilAllOperationsAreFinished() } }
      before = row
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }

  private final class Fetch: TracedOperation, @unchecked Sendable {}
  private final class Decode: TracedOperation, @unchecked Sendable {}
  private final class Scale: TracedOperation, @unchecked Sendable {
    /// Nanoseconds; set before it is added to its queue.
    var spin: UInt64 = 0

    override func main() {
      let end = DispatchTime.now().uptimeNanoseconds + spin
      while spin > 0, DispatchTime.now().uptimeNanoseconds < end {}
    }
  }
  private final class Store: TracedOperation, @unchecked Sendable {}

  private static func pipeline(_ count: Int, _ recorder: TraceRecorder, _ spin: UInt64) {
    let stages: [(name: String, make: () -> Operation)] = [
      ("network", { Fetch() }), ("imaging", { Decode() }), ("scaling", { Scale() }), ("store", { Store() }),
    ]
    let queues = stages.map {
      TracedOperationQueue(name: $0.name, maxConcurrentOperationCount: 2, recorder: recorder)
    }
    for start in stride(from: 0, to: count, by: batch) {
      var operations: [Operation] = []
      for number in 0..<min(batch, count - start) {
        let stage = number % stages.count
        let operation = stages[stage].make()
        (operation as? Scale)?.spin = spin
        if stage > 0, let before = operations.last { operation.addDependency(before) }
        operations.append(operation)
      }
      for (stage, queue) in queues.enumerated() {
        queue.addOperations(
          operations.enumerated().filter { $0.offset % stages.count == stage }.map(\.element),
          waitUntilFinished: false)
      }
      for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    }
  }

  private static func fan(_ count: Int, _ recorder: TraceRecorder) {
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
    let first = TracedOperation()
    let last = TracedOperation()
    queue.addOperations([first], waitUntilFinished: true)
    for start in stride(from: 0, to: count - 2, by: batch) {
      let operations = (0..<min(batch, count - 2 - start)).map { _ in TracedOperation() }
      for operation in operations {
        operation.addDependency(first)
        last.addDependency(operation)
      }
      queue.addOperations(operations, waitUntilFinished: true)
    }
    queue.addOperations([last], waitUntilFinished: true)
  }
}
