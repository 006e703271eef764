public import OpTraceModel

/// Writes traces down as values, in milliseconds, so that an analysis can be tested without a recorder.
public struct TraceBuilder {
  public var trace: Trace

  public init(_ processName: String = "test", end: Double = 0) {
    var header = TraceHeader()
    header.processName = processName
    trace = Trace(header: header)
    trace.threads = [ThreadRecord(id: ThreadID(1), systemID: 4711, name: "main", isMain: true)]
    trace.end = Self.nanoseconds(end)
  }

  public static func nanoseconds(_ milliseconds: Double) -> Nanoseconds { Nanoseconds(milliseconds * 1_000_000) }

  private func stamp(_ milliseconds: Double?) -> Stamp? {
    milliseconds.map { Stamp(Self.nanoseconds($0), ThreadID(1)) }
  }

  @discardableResult
  public mutating func queue(_ name: String, limit: Int = -1) -> QueueID {
    let id = QueueID(UInt32(trace.queues.count + 1))
    trace.queues.append(QueueRecord(id: id, name: name, initialLimit: limit))
    return id
  }

  /// - Parameter enqueued: 0 when it has a queue, and not told otherwise.
  @discardableResult
  public mutating func operation(
    _ name: String?, on queue: QueueID? = nil, after: [UInt32] = [], enqueued: Double? = nil, ready: Double? = nil,
    began: Double? = nil, ended: Double? = nil, cancelled: Double? = nil, error: String? = nil
  ) -> OperationID {
    let id = OperationID(UInt32(trace.operations.count + 1))
    var record = OperationRecord(id: id, className: "Step", name: name)
    record.queue = queue
    let enqueued = enqueued ?? (queue == nil ? nil : 0)
    record.enqueued = stamp(enqueued)
    record.ready = stamp(ready ?? began)
    record.started = stamp(began)
    record.executionBegan = stamp(began)
    record.finished = stamp(ended)
    record.cancelRequested = stamp(cancelled)
    record.error = error
    record.dependencies = after.map { Dependency(on: OperationID($0), added: record.enqueued?.time ?? 0) }
    trace.operations.append(record)
    for time in [enqueued, ready, began, ended] {
      trace.end = max(trace.end, time.map(Self.nanoseconds) ?? 0)
    }
    return id
  }

  public mutating func change(_ id: OperationID, _ body: (inout OperationRecord) -> Void) {
    if let place = trace.index(of: id) { body(&trace.operations[place]) }
  }
}
