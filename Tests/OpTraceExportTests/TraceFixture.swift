import OpTraceModel

/// Builds traces by hand; times are nanoseconds, ids count from 1.
struct TraceFixture {
  var trace = Trace(header: TraceHeader())

  init(process: String = "fixture") {
    trace.header.processName = process
    trace.header.processID = 4_194_304
    trace.header.writerVersion = "0.1.0"
    trace.header.startWall = 1_790_000_000_123_456_789
    trace.threads = [
      ThreadRecord(id: ThreadID(1), systemID: 900_001, name: "main", isMain: true),
      ThreadRecord(id: ThreadID(2), systemID: 900_002, name: "", isMain: false),
      ThreadRecord(id: ThreadID(3), systemID: 900_003, name: "worker", isMain: false),
    ]
  }

  mutating func queue(_ name: String, limit: Int) -> QueueID {
    let id = QueueID(UInt32(trace.queues.count + 1))
    trace.queues.append(QueueRecord(id: id, name: name, initialLimit: limit))
    return id
  }

  /// A synchronous operation. `end` nil: executing when the trace ends; `begin` nil: never ran.
  @discardableResult
  mutating func operation(
    _ name: String, on queue: QueueID? = nil, thread: UInt32 = 2, enqueued: Nanoseconds? = 0,
    ready: Nanoseconds? = nil, begin: Nanoseconds?, end: Nanoseconds? = nil, after: [OperationID] = [],
    isAsynchronous: Bool = false
  ) -> OperationID {
    let id = OperationID(UInt32(trace.operations.count + 1))
    var operation = OperationRecord(id: id, className: "Fixture.Step", name: name)
    let thread = ThreadID(thread)
    operation.queue = queue
    operation.isAsynchronous = isAsynchronous
    operation.enqueued = enqueued.map { Stamp($0, ThreadID(1)) }
    operation.ready = (ready ?? begin).map { Stamp($0, ThreadID(1)) }
    if let begin {
      operation.started = Stamp(begin, thread)
      operation.executionBegan = Stamp(begin, thread)
      if !isAsynchronous { operation.executionEnded = end.map { Stamp($0, thread) } }
      operation.finished = end.map { Stamp($0, thread) }
    }
    operation.dependencies = after.map { Dependency(on: $0, added: enqueued ?? 0) }
    trace.operations.append(operation)
    trace.end = max(trace.end, end ?? begin ?? enqueued ?? 0)
    return id
  }

  subscript(id: OperationID) -> OperationRecord {
    get { trace.operations[Int(id.rawValue) - 1] }
    set { trace.operations[Int(id.rawValue) - 1] = newValue }
  }
}
