/// What a trace file holds, as values. Made by ``TraceReader``; everything else in OpTrace starts from it.
public struct Trace: Sendable, Equatable {
  public var header: TraceHeader
  /// Sorted by id, as all lists here.
  public var threads: [ThreadRecord] = []
  public var queues: [QueueRecord] = []
  public var operations: [OperationRecord] = []
  /// In the order of their beginnings.
  public var waits: [WaitRecord] = []
  /// What threads blocked on besides operations and operation queues.
  public var objects: [ObjectRecord] = []
  public var spans: [SpanRecord] = []
  public var marks: [MarkRecord] = []
  public var loss = LossReport()
  /// The later of the last event and the last sign of life of the recorder.
  public var end: Nanoseconds = 0
  /// The time of the last event.
  public var lastEvent: Nanoseconds = 0
  public var eventCount = 0

  public init(header: TraceHeader) { self.header = header }

  /// O(log n). Ids are dense nearly always, so the first guess hits.
  public func operation(_ id: OperationID) -> OperationRecord? {
    index(of: id).map { operations[$0] }
  }

  /// The place of an operation in ``operations``. O(log n).
  public func index(of id: OperationID) -> Int? {
    let guess = Int(id.rawValue) - 1
    if operations.indices.contains(guess), operations[guess].id == id { return guess }
    var low = 0
    var high = operations.count
    while low < high {
      let middle = (low + high) / 2
      if operations[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < operations.count && operations[low].id == id ? low : nil
  }

  public func queue(_ id: QueueID) -> QueueRecord? { queues.first { $0.id == id } }
  /// O(1).
  public func object(_ id: ObjectID) -> ObjectRecord? {
    let place = Int(id.rawValue) - 1
    return objects.indices.contains(place) && objects[place].id == id ? objects[place] : nil
  }
  public func thread(_ id: ThreadID) -> ThreadRecord? { threads.first { $0.id == id } }
}

/// Who wrote the trace, when and how.
public struct TraceHeader: Sendable, Equatable {
  public enum Mode: String, Sendable { case streaming, flightRecorder = "flight-recorder" }
  public var processName = ""
  public var processID: UInt32 = 0
  /// When the process began, in the system's own units; 0 when not known. With the boot id it tells a process from a
  /// later one of the same number.
  public var processStart: UInt64 = 0
  /// The 16 bytes that name this run of the system; all zeros when not known.
  public var bootID = [UInt8](repeating: 0, count: 16)
  public var writerVersion = ""
  public var mode = Mode.streaming
  /// Bytes, for a flight recorder; else 0.
  public var capacity: UInt64 = 0
  /// The wall clock at the trace's start: nanoseconds since 1970, UTC.
  public var startWall: UInt64 = 0
  /// The monotonic clock at the trace's start, in nanoseconds.
  public var startMonotonic: UInt64 = 0
  /// The recorder was stopped in order; else the process still runs or was killed.
  public var isClosed = false

  public init() {}
}

/// A thread that recorded something.
public struct ThreadRecord: Sendable, Equatable, Identifiable {
  public var id: ThreadID
  /// The system's thread id.
  public var systemID: UInt32
  public var name: String
  public var isMain: Bool

  public init(id: ThreadID, systemID: UInt32, name: String, isMain: Bool) {
    self.id = id
    self.systemID = systemID
    self.name = name
    self.isMain = isMain
  }
}

/// A queue and what happened to it.
public struct QueueRecord: Sendable, Equatable, Identifiable {
  public enum ChangeKind: Sendable, Equatable {
    case limit(Int)
    case suspended
    case resumed
    case cancelledAll
  }
  public struct Change: Sendable, Equatable {
    public var time: Nanoseconds
    public var thread: ThreadID
    public var kind: ChangeKind

    public init(time: Nanoseconds, thread: ThreadID, kind: ChangeKind) {
      self.time = time
      self.thread = thread
      self.kind = kind
    }
  }

  public var id: QueueID
  public var name: String
  /// The limit at first sight; -1: as many as the system allows. Later ones are among ``changes``.
  public var initialLimit: Int
  public var initiallySuspended = false
  public var isMain = false
  public var quality = Quality.default
  public var created: Nanoseconds = 0
  public var released: Nanoseconds?
  /// In the order of time.
  public var changes: [Change] = []

  public init(id: QueueID, name: String, initialLimit: Int) {
    self.id = id
    self.name = name
    self.initialLimit = initialLimit
  }

  /// The limit at the end of the trace; -1: as many as the system allows.
  public var limit: Int {
    for change in changes.reversed() {
      if case .limit(let value) = change.kind { return value }
    }
    return initialLimit
  }

  /// Suspended at the end of the trace.
  public var isSuspended: Bool {
    for change in changes.reversed() {
      if case .suspended = change.kind { return true }
      if case .resumed = change.kind { return false }
    }
    return initiallySuspended
  }
}

/// A named piece of work: `recorder.measure("…") { … }`.
public struct SpanRecord: Sendable, Equatable {
  public var name: String
  public var operation: OperationID?
  public var began: Stamp
  /// Nil: not ended.
  public var ended: Stamp?

  public init(name: String, operation: OperationID?, began: Stamp, ended: Stamp? = nil) {
    self.name = name
    self.operation = operation
    self.began = began
    self.ended = ended
  }
}

/// A moment that the program named: `recorder.mark("…")`.
public struct MarkRecord: Sendable, Equatable {
  public var name: String
  public var operation: OperationID?
  public var at: Stamp

  public init(name: String, operation: OperationID?, at: Stamp) {
    self.name = name
    self.operation = operation
    self.at = at
  }
}
