internal import Foundation
import OpTrace

/// Runs a body, and the child tasks that it makes, on threads that nothing else uses: so what they enqueue is known to be
/// the body's, and a body that blocks takes no thread away from other tests.
///
/// Sendable: all that changes is guarded by `condition`.
@available(macOS 15, iOS 18, *)
final class BodyExecutor: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var idle = 0
  private var count = 0
  private var isClosed = false
  private let threads: BodyThreads

  /// More are never needed but by a body that blocks in as many child tasks.
  private static let most = 64

  init(_ threads: BodyThreads) { self.threads = threads }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    let isMissing = idle < jobs.count && count < Self.most
    if isMissing { count += 1 }
    condition.signal()
    condition.unlock()
    if isMissing { OwnThread.start("optrace body", .inherited) { self.work() } }
  }

  /// Its threads end when there is nothing left to do.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  private func work() {
    threads.add(TraceRecorder.threadID)
    condition.lock()
    while true {
      if !jobs.isEmpty {
        let job = jobs.removeFirst()
        condition.unlock()
        job.runSynchronously(on: asUnownedTaskExecutor())
        condition.lock()
      } else if isClosed {
        break
      } else {
        idle += 1
        condition.wait()
        idle -= 1
      }
    }
    count -= 1
    condition.unlock()
  }
}

/// The threads on which a body's own code runs, by the system's numbers.
///
/// Sendable: guarded by `lock`.
final class BodyThreads: @unchecked Sendable {
  private let lock = NSLock()
  private var ids: Set<UInt32>? = []

  func add(_ id: UInt32) { lock.withLock { _ = ids?.insert(id) } }
  /// It is not known on which threads it runs.
  func forget() { lock.withLock { ids = nil } }
  /// Nil: not known.
  var known: Set<UInt32>? { lock.withLock { ids } }
}
