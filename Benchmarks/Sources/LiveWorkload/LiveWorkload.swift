import BenchmarkSupport
import CFloor
import CoreMetrics
import Foundation
import OpTrace
import OpTraceMetrics
import OpTraceTracing
import Tracing

/// Empty operations of somebody who has a context, measured from inside: `LiveWorkload off|context|spans|metrics COUNT FILE`. They
/// are recorded in any case; `off`: and nothing else; `spans`, `metrics`: by a backend that does nothing. Prints what it took as
/// a line of JSON.
@main
enum LiveWorkload {
  private enum User: ServiceContextKey { typealias Value = String }

  private final class Empty: TracedOperation, @unchecked Sendable {
    override func main() {}
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[2]) else {
      FileHandle.standardError.write(Data("LiveWorkload: see the source for what it does\n".utf8))
      exit(64)
    }
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[3]))
    var configuration = OperationTracing.Configuration()
    switch arguments[1] {
    case "context":
      configuration.makesSpans = false
      OperationTracing.start(configuration)
    case "spans": OperationTracing.start(configuration)
    case "metrics": _ = OperationMetrics.start()
    default: break
    }
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: recorder)
    var context = ServiceContext.topLevel
    context[User.self] = "somebody"
    ServiceContext.withValue(context) { run(min(count, 1000), on: queue) }
    let before = allocation_count()
    var taken = begin()
    ServiceContext.withValue(context) { run(count, on: queue) }
    end(&taken)
    taken.allocations = allocation_count() - before
    taken.lost = recorder.lostRecordCount
    try recorder.stop()
    print(String(decoding: try JSONEncoder().encode(taken), as: UTF8.self))
  }

  /// In batches, one thread after the other: adding, then running. What both do at once would be measured too.
  private static func run(_ count: Int, on queue: OperationQueue) {
    for _ in 0..<max(1, count / 500) {
      queue.isSuspended = true
      for _ in 0..<500 { queue.addOperation(Empty()) }
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  private static func begin() -> Taken {
    Taken(wall: now(CLOCK_MONOTONIC), thread: 0, process: now(CLOCK_PROCESS_CPUTIME_ID))
  }

  private static func end(_ taken: inout Taken) {
    taken.wall = now(CLOCK_MONOTONIC) - taken.wall
    taken.process = now(CLOCK_PROCESS_CPUTIME_ID) - taken.process
  }

  private static func now(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
