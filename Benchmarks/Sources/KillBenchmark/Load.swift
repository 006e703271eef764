import CRecorderTestSupport
import Foundation
import OpTrace

/// The process that records: threads that mark and add operations as fast as they can, until one of them, or somebody from
/// outside, ends it all. A steady one slows down when it has filled its ring: a second of it then takes little of that.
struct Load: Sendable {
  private let recorder: TraceRecorder
  private let witness: Witness
  /// Marks of each thread until it slows down.
  private let hurry: Int

  /// `ring`: the size of a flight recorder in bytes; 0: none.
  init(trace: String, witness: Witness, ring: Int, isSteady: Bool) throws {
    recorder = try TraceRecorder(
      writingTo: URL(fileURLWithPath: trace), configuration: ring > 0 ? .flightRecorder(capacity: ring) : .init())
    self.witness = witness
    // At least 24 bytes each.
    hurry = isSteady ? 2 * ring / 24 / Witness.threadCount : .max
  }

  func run(until ending: Ending, after microseconds: UInt32) -> Never {
    // No core files.
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &limit)
    let queue = TracedOperationQueue(name: "shared", maxConcurrentOperationCount: 3, recorder: recorder)
    for thread in 0..<Witness.threadCount { Thread { work(thread, queue) }.start() }
    while witness.isIdle { usleep(100) }
    usleep(microseconds)
    switch ending {
    case .kill: break
    case .fault: test_fault()
    case .abort: abort()
    case .exit: _exit(Ending.exitStatus)
    }
    while true { pause() }
  }

  private func work(_ thread: Int, _ queue: TracedOperationQueue) {
    var marks = 0
    var operations = 0
    while true {
      if marks >= hurry {
        witness.noteSteadiness(by: thread)
        usleep(5_000)
      }
      for _ in 0..<8 {
        marks += 1
        recorder.mark("\(thread) \(marks)")
        witness.note(marks: marks, by: thread)
      }
      operations += 1
      let operation = TracedBlockOperation(name: "\(thread) \(operations)") {}
      queue.addOperation(operation)
      operation.waitUntilFinished()
      witness.note(operations: operations, by: thread)
    }
  }
}
