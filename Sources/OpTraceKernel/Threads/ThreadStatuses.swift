import OpTraceFormat
public import OpTraceModel

/// What every thread does and in which operation, by the recorder's last snapshot and by the recorded waits.
public struct ThreadStatuses: Sendable, Equatable {
  /// The threads of the snapshot, in its order; then others that wait or execute, by number.
  public private(set) var threads: [ThreadStatus] = []
  /// The moment that this describes: the snapshot's, else the trace's end.
  public let time: Nanoseconds
  /// The snapshot; nil: the trace has none, and only threads that wait or execute are known.
  public let snapshot: ThreadSnapshot?
  /// When anything last moved before that moment; nil: never, or something has moved since.
  public let lastSign: Nanoseconds?
  /// Whether operations or threads have moved since that moment.
  public let wentOn: Bool

  /// O(operations + waits + threads).
  public init(of trace: Trace) {
    snapshot = trace.snapshot
    time = trace.snapshot?.time ?? trace.end
    let last = trace.lastSign
    wentOn = last.map { [time] in $0 > time } ?? false
    lastSign = wentOn ? nil : last
    let facts = Facts(trace, at: time)
    var seen = Set<ThreadID>()
    for thread in snapshot?.threads ?? [] where seen.insert(thread.thread).inserted {
      threads.append(facts.status(of: thread.thread, thread))
    }
    let others = Set(facts.executing.keys).union(facts.waiting.keys).subtracting(seen)
    for id in others.sorted() { threads.append(facts.status(of: id, nil)) }
  }
}

/// What the trace shows of threads at a moment.
private struct Facts {
  let trace: Trace
  private var records: [ThreadID: ThreadRecord] = [:]
  private var queues: [QueueID: QueueRecord] = [:]
  /// For each thread the operation or task whose code it runs; the innermost, if there are several.
  private(set) var executing: [ThreadID: (operation: OperationID, began: Nanoseconds)] = [:]
  /// For each thread its innermost wait.
  private(set) var waiting: [ThreadID: WaitRecord] = [:]
  private let newest: NewestSamples

  init(_ trace: Trace, at time: Nanoseconds) {
    self.trace = trace
    newest = NewestSamples(trace, at: time)
    for thread in trace.threads { records[thread.id] = thread }
    for queue in trace.queues { queues[queue.id] = queue }
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        if let (thread, began) = operations[index].executing(at: time) {
          enter(operations[index].id, thread, began)
        }
        for block in operations[index].blocks where block.began <= time && (block.ended ?? .max) > time {
          enter(operations[index].id, block.thread, block.began)
        }
      }
    }
    for index in trace.tasks.indices {
      // The last run that had begun by then.
      guard let run = trace.tasks[index].runs.last(where: { $0.began <= time }), (run.ended ?? .max) > time else {
        continue
      }
      enter(trace.tasks[index].id, run.thread, run.began)
    }
    for wait in trace.waits where wait.began <= time && (wait.ended ?? .max) > time {
      if let known = waiting[wait.thread], known.began > wait.began { continue }
      waiting[wait.thread] = wait
    }
  }

  private mutating func enter(_ operation: OperationID, _ thread: ThreadID, _ began: Nanoseconds) {
    if let known = executing[thread], known.began > began { return }
    executing[thread] = (operation, began)
  }

  func status(of id: ThreadID, _ seen: SeenThread?) -> ThreadStatus {
    let record = records[id]
    let wait = waiting[id]
    var status = ThreadStatus(
      id: id, systemID: record?.systemID ?? 0, name: record?.name ?? "", isMain: record?.isMain ?? false,
      state: state(seen, wait), operation: executing[id]?.operation)
    if status.state != .running {
      let isHeld = seen.map { $0.reason.isLock && ($0.owner != nil || $0.ownerHasEnded) } ?? false
      status.waitsFor = isHeld ? seen.flatMap(awaited) : wait.map(awaited) ?? seen.flatMap(awaited)
      if let seen, seen.reason.isLock { (status.owner, status.ownerHasEnded) = (seen.owner, seen.ownerHasEnded) }
      status.waitsFor?.isTimed = seen?.isTimed ?? false
    }
    status.stack = stack(seen?.at, wait?.at)
    if status.state == .running, status.stack == nil, let sample = newest[id] {
      (status.stack, status.sampledAt) = (sample.at, sample.time)
    }
    return status
  }

  /// The stack of a wait was taken on the thread itself, so it is certain where the snapshot had to guess.
  private func stack(_ seen: FrameID?, _ wait: FrameID?) -> FrameID? {
    guard let seen else { return wait }
    guard let wait else { return seen }
    return trace.stacks.stack(seen).contains { trace.stacks[$0]?.isGuessed == true } ? wait : seen
  }

  private func state(_ seen: SeenThread?, _ wait: WaitRecord?) -> ThreadStatus.State {
    let endsByItself = wait.map(trace.endsByItself) ?? false
    let isWaiting = wait != nil && !endsByItself
    guard let seen else { return isWaiting ? .blocked : endsByItself ? .sleeping : .running }
    if seen.isRunning || seen.state == .running { return .running }
    switch seen.reason {
    case .futex: return isWaiting || !seen.isIdle(in: trace.stacks) ? .blocked : .sleeping
    case .mutex, .inheriting, .word, .writer, .readers, .once, .join: return .blocked
    case .unknown, .events, .poll, .time, .input, .child, .signal, .shared:
      if isWaiting { return .blocked }
      return seen.isBusy ? .running : .sleeping
    }
  }

  private func awaited(_ wait: WaitRecord) -> ThreadStatus.Awaited {
    switch wait.target {
    case .operation(let id):
      return .init(kind: .operation, id: Int(id.rawValue), name: trace.operation(id)?.title, since: wait.began)
    case .queue(let id):
      return .init(kind: .queue, id: Int(id.rawValue), name: queues[id]?.title, since: wait.began)
    case .object(let id):
      let object = trace.object(id)
      if let object, object.kind?.endsByItself == true {
        return .init(kind: object.kind == .disk ? .input : .time, words: object.title, since: wait.began)
      }
      return .init(
        kind: object?.kind.map(ThreadStatus.Awaited.Kind.init) ?? .object, id: Int(id.rawValue), name: object?.name,
        address: object?.address, since: wait.began)
    }
  }

  private func awaited(_ seen: SeenThread) -> ThreadStatus.Awaited? {
    guard let kind = ThreadStatus.Awaited.Kind(seen.reason) else { return nil }
    var result = ThreadStatus.Awaited(
      kind: kind, address: seen.reason.hasSources || seen.reason == .child ? nil : seen.lock, words: seen.phrase)
    if kind == .thread, let other = seen.owner {
      result.id = Int(other.rawValue)
      result.name = records[other].flatMap { $0.name.isEmpty ? nil : $0.name }
    }
    return result
  }
}

extension OperationRecord {
  /// The thread that its code is on at a time, and since when; nil: none, also if the code has left its thread.
  fileprivate func executing(at time: Nanoseconds) -> (ThreadID, Nanoseconds)? {
    guard let began = executionBegan ?? started, began.time <= time else { return nil }
    let over = executionEnded ?? startReturned ?? finished
    return (over?.time ?? .max) > time ? (began.thread, began.time) : nil
  }
}

extension ThreadStatus.Awaited.Kind {
  fileprivate init(_ object: WaitedObject) {
    switch object {
    case .semaphore: self = .semaphore
    case .group: self = .group
    case .queue: self = .dispatchQueue
    case .condition: self = .condition
    case .adding: self = .adding
    case .sleep: self = .time
    case .disk, .call: self = .input
    case .mutex, .rwlock, .inheriting: self = .lock
    }
  }

  /// Nil: the system's word says nothing about it.
  fileprivate init?(_ reason: SleepReason) {
    switch reason {
    case .unknown: return nil
    case .mutex, .inheriting, .word, .writer, .readers, .once: self = .lock
    case .join: self = .thread
    case .futex, .events: self = .signal
    case .poll, .input: self = .input
    case .time: self = .time
    case .child, .shared: self = .process
    case .signal: self = .systemSignal
    }
  }
}
