import Foundation
import OpTrace

/// Records a real trace of so many operations, every second of which depends on the one before it: `MakeTrace COUNT FILE`.
///
/// They come in batches, since Foundation's own cost grows with the square of what is pending.
@main
enum MakeTrace {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 || arguments.count == 4, let count = Int(arguments[1]), count > 0 else {
      FileHandle.standardError.write(Data("usage: MakeTrace COUNT FILE [stuck]\n".utf8))
      exit(64)
    }
    // Nobody starts what waits in a suspended queue: the trace of a program that hangs.
    let isStuck = arguments.count == 4
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[2]))
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
    queue.isSuspended = isStuck
    var made = 0
    while made < count {
      var batch: [Operation] = []
      for number in 0..<min(500, count - made) {
        let operation = TracedOperation()
        if number % 2 == 1, let before = batch.last { operation.addDependency(before) }
        batch.append(operation)
      }
      made += batch.count
      queue.addOperations(batch, waitUntilFinished: !isStuck)
    }
    try recorder.stop()
    if isStuck { exit(0) }
  }
}
