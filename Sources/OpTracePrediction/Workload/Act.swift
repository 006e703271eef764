import OpTraceFormat
import OpTraceModel

/// Something that a thread was recorded to do, and when.
struct Act: Comparable {
  enum Kind {
    /// Code of an operation begins on the thread.
    case open(Int32)
    case begin(Int32)
    case enqueue(Int32)
    case cancel(Int32)
    case suspend(Int32)
    case resume(Int32)
    case limit(Int32, Int32)
    case signal(Int32)
    /// In ``ThreadActs/waits``.
    case wait(Int32)
    case finish(Int32)
    /// It has returned.
    case close(Int32)
    /// The completion block of an operation begins on the thread, and returns.
    case openCompletion(Int32)
    case closeCompletion
  }

  var thread: UInt32
  var time: Nanoseconds
  var kind: Kind
  /// The order of what a thread did at one moment: an operation that had begun before ends before another begins.
  private var rank: UInt8

  /// - Parameter isBegun: an operation whose code began at an earlier moment.
  init(_ stamp: Stamp, _ kind: Kind, isBegun: Bool = true) {
    (thread, time, self.kind) = (stamp.thread.rawValue, stamp.time, kind)
    rank =
      switch kind {
      case .enqueue, .cancel, .suspend, .resume, .limit, .signal, .wait: 0
      case .finish: isBegun ? 1 : 5
      case .close: isBegun ? 2 : 6
      case .closeCompletion: isBegun ? 1 : 7
      case .open, .openCompletion: 3
      case .begin: 4
      }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.thread == right.thread && left.time == right.time && left.rank == right.rank
  }

  static func < (left: Self, right: Self) -> Bool {
    if left.thread != right.thread { return left.thread < right.thread }
    return left.time != right.time ? left.time < right.time : left.rank < right.rank
  }
}

/// All that the threads of a trace did, by thread, in the order of time.
struct ThreadActs {
  private(set) var all: [Act] = []
  /// The trace's waits, without those inside of a longer one of their thread.
  private(set) var waits: [WaitRecord] = []
  /// What has to run in a pool before some of them are over.
  let endings: PoolEndings

  /// O(n log n) for n events.
  init(_ trace: Trace, queues: [QueueID: Int32]) {
    var over: [ThreadID: Nanoseconds] = [:]
    for wait in trace.waits where wait.began >= over[wait.thread] ?? .min {
      if case .object(let id) = wait.target, trace.object(id)?.kind == .adding { continue }
      over[wait.thread] = wait.ended ?? .max
      waits.append(wait)
    }
    endings = PoolEndings(trace, waits)
    all.reserveCapacity(trace.operations.count * 5 + waits.count)
    for index in trace.operations.indices { add(trace.operations[index], Int32(clamping: index)) }
    for queue in trace.queues { add(queue, queues) }
    for (index, wait) in waits.enumerated() {
      all.append(Act(Stamp(wait.began, wait.thread), .wait(Int32(clamping: index))))
      guard endings.helpers[index] == nil else { continue }
      if case .object(let id) = wait.target, let signal = wait.endSignal, let thread = signal.thread {
        all.append(Act(Stamp(signal.time, thread), .signal(Int32(clamping: id.rawValue))))
      }
    }
    all.sort()
  }

  private mutating func add(_ operation: borrowing OperationRecord, _ index: Int32) {
    if let completion = operation.completion, let began = completion.began {
      all.append(Act(began, .openCompletion(index)))
      let ended = Stamp(completion.ended?.time ?? .max, began.thread)
      all.append(Act(ended, .closeCompletion, isBegun: ended.time > began.time))
    }
    if operation.queue != nil, let stamp = operation.enqueued { all.append(Act(stamp, .enqueue(index))) }
    if let stamp = operation.cancelRequested { all.append(Act(stamp, .cancel(index))) }
    let opened = operation.started ?? operation.executionBegan
    if let stamp = operation.finished {
      all.append(
        Act(stamp, .finish(index), isBegun: stamp.thread != opened?.thread || stamp.time > opened?.time ?? .min))
    }
    guard let opened else { return }
    all.append(Act(opened, .open(index)))
    if let stamp = operation.executionBegan, stamp.thread == opened.thread { all.append(Act(stamp, .begin(index))) }
    // A body that was not seen to end ends with the last that was seen of it.
    var closed = opened.time
    for stamp in [operation.executionEnded, operation.startReturned, operation.finished] {
      if let stamp, stamp.thread == opened.thread { closed = max(closed, stamp.time) }
    }
    if let returned = operation.startReturned, returned.thread == opened.thread { closed = returned.time }
    let isOpen = operation.startReturned == nil && operation.executionEnded == nil && operation.finished == nil
    let end = isOpen ? .max : closed
    all.append(Act(Stamp(end, opened.thread), .close(index), isBegun: end > opened.time))
  }

  private mutating func add(_ queue: QueueRecord, _ queues: [QueueID: Int32]) {
    guard let index = queues[queue.id] else { return }
    for change in queue.changes {
      let at = Stamp(change.time, change.thread)
      switch change.kind {
      case .suspended: all.append(Act(at, .suspend(index)))
      case .resumed: all.append(Act(at, .resume(index)))
      case .limit(let limit): all.append(Act(at, .limit(index, Int32(clamping: limit))))
      case .cancelledAll: break
      }
    }
  }
}
