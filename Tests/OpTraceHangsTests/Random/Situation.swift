import OpTraceFormat
import OpTraceModel

/// A moment of a program: what is finished, what executes and waits, and what is in which queue. It can be made a
/// trace, and it can be played to its end (``SituationPlay``).
struct Situation {
  enum Wait: Equatable {
    case job(Int)
    /// Until a queue is empty.
    case queue(Int)
    /// `DispatchQueue.main.sync`.
    case mainThread
  }

  enum Stage { case pending, executing, finished }

  struct Job {
    /// Nil: never given to a queue; it may have been started by hand.
    var queue: Int?
    var stage = Stage.pending
    var isCancelled = false
    var isBarrier = false
    /// Its `start()` has returned: it holds its slot and no thread.
    var isAsynchronous = false
    var dependencies: [Int] = []
    /// Open waits of an executing job.
    var waits: [Wait] = []
    /// The job that started it by hand, and executes until it returns.
    var host: Int?
  }

  struct Queue {
    /// -1: no limit.
    var limit = -1
    var isSuspended = false
    var isMain = false
  }

  /// In the order of enqueueing.
  var jobs: [Job] = []
  var queues: [Queue] = []
  /// What the main thread waits for, outside of every job.
  var mainWait: Wait?
}

extension Situation {
  private static let main = ThreadID(1)

  /// The thread on which an executing job runs; nil: none.
  private func thread(of job: Int) -> ThreadID? {
    if let host = jobs[job].host { return thread(of: host) }
    if jobs[job].isAsynchronous { return nil }
    if let queue = jobs[job].queue, queues[queue].isMain { return Self.main }
    return ThreadID(UInt32(job + 2))
  }

  /// The trace of a recorder, a second after the last change.
  var trace: Trace {
    var header = TraceHeader()
    header.processName = "situation"
    var trace = Trace(header: header)
    trace.threads = (0...jobs.count).map { index in
      let number = UInt32(index)
      return ThreadRecord(id: ThreadID(number + 1), systemID: number + 100, name: "", isMain: index == 0)
    }
    for (index, queue) in queues.enumerated() {
      var record = QueueRecord(id: QueueID(UInt32(index + 1)), name: "q\(index)", initialLimit: queue.limit)
      record.initiallySuspended = queue.isSuspended
      record.isMain = queue.isMain
      trace.queues.append(record)
    }
    trace.objects = [ObjectRecord(id: ObjectID(1), kind: .queue, address: 4096, name: "com.apple.main-thread")]
    for index in jobs.indices { trace.operations.append(record(of: index)) }
    for (index, job) in jobs.enumerated() where job.stage == .executing {
      for wait in job.waits { trace.waits.append(record(of: wait, thread: thread(of: index), inside: index)) }
    }
    if let mainWait { trace.waits.append(record(of: mainWait, thread: Self.main, inside: nil)) }
    trace.lastEvent = 30_000
    trace.end = 1_000_000_000
    return trace
  }

  private func record(of index: Int) -> OperationRecord {
    let job = jobs[index]
    var record = OperationRecord(id: OperationID(UInt32(index + 1)), className: "Job", name: "job \(index)")
    let thread = thread(of: index) ?? ThreadID(UInt32(index + 2))
    record.created = 0
    record.isAsynchronous = job.isAsynchronous
    record.isBarrier = job.isBarrier
    if let queue = job.queue {
      record.queue = QueueID(UInt32(queue + 1))
      record.enqueued = Stamp(Nanoseconds(1000 + index), Self.main)
      record.enqueueCount = 1
    }
    record.dependencies = job.dependencies.map { Dependency(on: OperationID(UInt32($0 + 1)), added: 1000) }
    if job.isCancelled { record.cancelRequested = Stamp(5000, Self.main) }
    let isFree = job.isCancelled || job.dependencies.allSatisfy { jobs[$0].stage == .finished }
    if isFree || job.stage != .pending { record.ready = Stamp(6000, Self.main) }
    guard job.stage != .pending else { return record }
    record.started = Stamp(10_000, thread)
    record.executionBegan = Stamp(10_001, thread)
    record.startCount = 1
    if job.isAsynchronous || job.stage == .finished { record.startReturned = Stamp(20_001, thread) }
    guard job.stage == .finished else { return record }
    record.executionEnded = Stamp(19_000, thread)
    record.finished = Stamp(20_000, thread)
    record.finishCount = 1
    return record
  }

  private func record(of wait: Wait, thread: ThreadID?, inside: Int?) -> WaitRecord {
    let target: WaitRecord.Target =
      switch wait {
      case .job(let job): .operation(OperationID(UInt32(job + 1)))
      case .queue(let queue): .queue(QueueID(UInt32(queue + 1)))
      case .mainThread: .object(ObjectID(1))
      }
    return WaitRecord(
      target: target, thread: thread ?? ThreadID(UInt32((inside ?? 0) + 2)),
      inside: inside.map { OperationID(UInt32($0 + 1)) }, began: 30_000)
  }
}

extension Situation: CustomStringConvertible {
  /// Enough to build the situation again.
  var description: String {
    let queues = queues.enumerated().map { index, queue in
      "q\(index) limit \(queue.limit)\(queue.isSuspended ? " suspended" : "")\(queue.isMain ? " main" : "")"
    }
    let jobs = jobs.enumerated().map { index, job in
      "#\(index) \(job.queue.map { "q\($0)" } ?? "-") \(job.stage)\(job.isCancelled ? " cancelled" : "")"
        + (job.isBarrier ? " barrier" : "") + (job.isAsynchronous ? " async" : "")
        + (job.dependencies.isEmpty ? "" : " after \(job.dependencies)")
        + (job.waits.isEmpty ? "" : " waits \(job.waits)") + (job.host.map { " inside #\($0)" } ?? "")
    }
    return (queues + jobs).joined(separator: "; ") + (mainWait.map { "; main waits \($0)" } ?? "")
  }
}
