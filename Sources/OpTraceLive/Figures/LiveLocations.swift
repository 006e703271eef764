import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// The current location of executing operations, and the holder of what they wait for.
struct LiveLocations {
  private let trace: Trace
  private var threads: [ThreadID: ThreadStatus] = [:]
  private var records: [ThreadID: ThreadRecord] = [:]
  private var queues: [QueueID: QueueRecord] = [:]
  /// The innermost open wait of each operation.
  private var waits: [WorkID: WaitRecord] = [:]
  private let time: Nanoseconds
  /// How long a snapshot counts as the present.
  private static let fresh: Nanoseconds = 10_000_000_000

  /// O(operations + waits + threads).
  init(_ trace: Trace) {
    self.trace = trace
    let statuses = ThreadStatuses(of: trace)
    time = statuses.snapshot?.time ?? .min
    for thread in statuses.threads { threads[thread.id] = thread }
    for thread in trace.threads { records[thread.id] = thread }
    for queue in trace.queues { queues[queue.id] = queue }
    for wait in trace.waits where wait.ended == nil {
      if let inside = wait.inside, wait.began >= waits[inside]?.began ?? .min { waits[inside] = wait }
    }
  }

  /// Threads that execute no operation and wait for another thread to do something.
  func waiting(_ now: Nanoseconds) -> [LiveStatus.Waiting] {
    var rows: [ThreadID: LiveStatus.Waiting] = [:]
    // Sorted by their begins, so the innermost wait remains.
    for wait in trace.waits where wait.ended == nil && isOutside(wait.inside) {
      rows[wait.thread] = .init(
        thread: wait.thread, title: title(of: wait.thread), waitsFor: words(wait), time: max(0, now - wait.began),
        location: stood(wait, nil))
    }
    // Use the snapshot only for threads that have recorded nothing since.
    if let snapshot = trace.snapshot, !trace.header.isClosed, now - snapshot.time < Self.fresh {
      for thread in threads.values where rows[thread.id] == nil && thread.state == .blocked {
        guard let awaited = thread.waitsFor, isOutside(thread.operation),
          (records[thread.id]?.lastSign ?? .min) <= snapshot.time
        else { continue }
        rows[thread.id] = .init(
          thread: thread.id, title: title(of: thread.id),
          waitsFor: awaited.words ?? awaited.name ?? awaited.kind.rawValue,
          time: awaited.since.map { max(0, now - $0) }, location: stood(nil, thread))
      }
    }
    return rows.values.sorted { ($1.time ?? -1, $0.thread) < ($0.time ?? -1, $1.thread) }
  }

  private func isOutside(_ work: WorkID?) -> Bool { work.flatMap { trace.operation($0) } == nil }

  private func title(of thread: ThreadID) -> String {
    guard let record = records[thread] else { return thread.description }
    if record.isMain { return "main thread" }
    return record.name.isEmpty ? "thread \(record.systemID)" : record.name
  }

  func execution(_ operation: OperationRecord, _ now: Nanoseconds) -> LiveStatus.Execution {
    let began = operation.executionBegan ?? operation.started
    var row = LiveStatus.Execution(
      id: operation.id, title: operation.title, queue: operation.queue,
      queueTitle: operation.queue.flatMap { queues[$0]?.title }, time: max(0, now - (began?.time ?? now)),
      location: operation.codeLocation)
    if row.location.file == nil, let source = operation.source { row.location.take(source) }
    guard operation.executionEnded == nil, operation.startReturned == nil, let thread = began?.thread else {
      return row
    }
    row.thread = thread
    row.systemThread = records[thread].map(\.systemID).flatMap { $0 == 0 ? nil : $0 }
    let status = threads[thread].flatMap { $0.operation == operation.id ? $0 : nil }
    let wait = waits[operation.id]
    // A snapshot that was taken before it began shows something else.
    let isSeen = time > began?.time ?? .max && operation.lastSign ?? .min <= time
    if let location = stood(wait, isSeen ? status : nil) { row.location = location }
    let isBlocked = status?.state == .blocked && isSeen
    row.isWaiting = wait != nil || isBlocked
    row.waitsFor =
      wait.map(words) ?? (isBlocked ? status?.waitsFor.map { $0.words ?? $0.name ?? $0.kind.rawValue } : nil)
    row.heldBy = heldBy(wait, isBlocked ? status : nil).flatMap { $0 == operation.id ? nil : $0 }
    return row
  }

  /// The line at which it waits, else where the snapshot saw it.
  private func stood(_ wait: WaitRecord?, _ status: ThreadStatus?) -> CodeLocation? {
    guard let frame = wait?.at ?? status?.stack, trace.stacks.ownFrame(frame) != nil,
      let location = trace.stacks.codeLocation(frame), location.function != nil
    else { return nil }
    return location
  }

  private func words(_ wait: WaitRecord) -> String {
    switch wait.target {
    case .operation(let id): trace.operation(id)?.title ?? id.description
    case .queue(let id): queues[id]?.title ?? id.description
    case .object(let id): trace.object(id)?.title ?? "something"
    }
  }

  /// The operation that it waits for; for a lock, what the owner executes; for a serial dispatch queue, what runs
  /// there.
  private func heldBy(_ wait: WaitRecord?, _ status: ThreadStatus?) -> WorkID? {
    if let owner = status?.owner { return threads[owner]?.operation }
    guard let wait else { return nil }
    switch wait.target {
    case .operation(let id): return trace.operation(id)?.finished == nil ? id : nil
    case .queue: return nil
    case .object(let id):
      guard let object = trace.object(id), object.kind == .queue, let name = object.name else { return nil }
      let named = trace.dispatchQueues.filter { $0.label == name && $0.width == 1 }
      guard named.count == 1, let queue = named.first else { return nil }
      return trace.blocks.first {
        $0.queue == queue.id && $0.began != nil && $0.over == nil && $0.submitter != wait.inside
      }?.id
    }
  }
}

extension CodeLocation {
  /// Parses `file:line`, as the program gave it.
  fileprivate mutating func take(_ source: String) {
    guard let colon = source.lastIndex(of: ":"), let number = Int(source[source.index(after: colon)...]) else {
      file = source
      return
    }
    (file, line) = (String(source[..<colon]), number)
  }
}
