public import OpTraceModel

/// A trace written down as values, so that analyses and exports can be tested without a recorder. Ids count from 1.
/// Thread 1 is the main one, 2 and 3 are workers.
public struct HandmadeTrace {
  /// What the times of operations count.
  public enum Unit: Double, Sendable { case nanoseconds = 1, milliseconds = 1_000_000 }

  public var trace: Trace
  private let unit: Unit

  public init(_ processName: String = "test", unit: Unit = .milliseconds, end: Double = 0) {
    var header = TraceHeader()
    header.processName = processName
    header.processID = 4_194_304
    header.writerVersion = "0.1.0"
    header.startWall = 1_790_000_000_123_456_789
    trace = Trace(header: header)
    self.unit = unit
    trace.threads = [
      ThreadRecord(id: ThreadID(1), systemID: 900_001, name: "main", isMain: true),
      ThreadRecord(id: ThreadID(2), systemID: 900_002, name: "", isMain: false),
      ThreadRecord(id: ThreadID(3), systemID: 900_003, name: "worker", isMain: false),
    ]
    trace.end = time(end)
  }

  public static func nanoseconds(_ milliseconds: Double) -> Nanoseconds {
    Nanoseconds(milliseconds * Unit.milliseconds.rawValue)
  }

  private func time(_ value: Double) -> Nanoseconds { Nanoseconds(value * unit.rawValue) }

  @discardableResult
  public mutating func queue(_ name: String, limit: Int = -1) -> QueueID {
    let id = QueueID(UInt32(trace.queues.count + 1))
    trace.queues.append(QueueRecord(id: id, name: name, initialLimit: limit))
    return id
  }

  /// - Parameters:
  ///   - thread: where it runs; the main thread enqueues it and makes it ready.
  ///   - enqueued: 0 when it has a queue, and not told otherwise.
  ///   - ready: when it begins, if not told otherwise.
  ///   - began: nil: it never ran.
  ///   - ended: nil: it executes, or is pending, when the trace ends.
  @discardableResult
  public mutating func operation(
    _ name: String?, on queue: QueueID? = nil, thread: UInt32 = 2, after: [some OperationNumber] = [OperationID](),
    enqueued: Double? = nil,
    ready: Double? = nil, began: Double? = nil, ended: Double? = nil, cancelled: Double? = nil, error: String? = nil,
    isAsynchronous: Bool = false
  ) -> OperationID {
    let id = OperationID(UInt32(trace.operations.count + 1))
    let enqueued = enqueued ?? (queue == nil ? nil : 0)
    func stamp(_ value: Double?, _ thread: UInt32 = 1) -> Stamp? { value.map { Stamp(time($0), ThreadID(thread)) } }
    var record = OperationRecord(id: id, className: "Step", name: name)
    record.queue = queue
    record.isAsynchronous = isAsynchronous
    record.enqueued = stamp(enqueued)
    record.ready = stamp(ready ?? began)
    record.started = stamp(began, thread)
    record.executionBegan = stamp(began, thread)
    if began != nil, !isAsynchronous { record.executionEnded = stamp(ended, thread) }
    record.finished = stamp(ended, thread)
    record.cancelRequested = stamp(cancelled)
    record.error = error
    record.dependencies = after.map { Dependency(on: OperationID($0.number), added: record.enqueued?.time ?? 0) }
    record.lastSign = [enqueued, ready, began, ended].compactMap { $0.map(time) }.max()
    trace.operations.append(record)
    for moment in [enqueued, ready, began, ended] {
      if let moment { trace.end = max(trace.end, time(moment)) }
    }
    return id
  }

  /// The same with times that were computed as whole numbers.
  @_disfavoredOverload
  @discardableResult
  public mutating func operation(
    _ name: String?, on queue: QueueID? = nil, thread: UInt32 = 2, after: [some OperationNumber] = [OperationID](),
    enqueued: Nanoseconds? = nil, ready: Nanoseconds? = nil, began: Nanoseconds? = nil, ended: Nanoseconds? = nil,
    isAsynchronous: Bool = false
  ) -> OperationID {
    operation(
      name, on: queue, thread: thread, after: after, enqueued: enqueued.map(Double.init),
      ready: ready.map(Double.init), began: began.map(Double.init), ended: ended.map(Double.init), cancelled: nil,
      isAsynchronous: isAsynchronous)
  }

  public subscript(id: some OperationNumber) -> OperationRecord {
    get { trace.operations[Int(id.number) - 1] }
    set { trace.operations[Int(id.number) - 1] = newValue }
  }
}

/// What names an operation in a trace made by hand: its id, or its place counted from 1.
public protocol OperationNumber {
  var number: UInt32 { get }
}

extension OperationID: OperationNumber {
  public var number: UInt32 { rawValue }
}

extension UInt32: OperationNumber {
  public var number: UInt32 { self }
}

extension Int: OperationNumber {
  public var number: UInt32 { UInt32(self) }
}
