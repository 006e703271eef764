/// What a trace file holds, as values. Made by ``TraceReader``; everything else in OpTrace starts from it.
public struct Trace: Sendable, Equatable {
  /// Who wrote the trace, when and how.
  public var header: TraceHeader
  /// Sorted by id, as all lists here.
  public var threads: [ThreadRecord] = []
  /// Queues that were seen, sorted by id.
  public var queues: [QueueRecord] = []
  /// All operations that were seen or named, sorted by id.
  public var operations: [OperationRecord] = []
  /// Blocks that were given to dispatch queues, sorted by id.
  public var blocks: [BlockRecord] = []
  /// Swift's tasks, sorted by id.
  public var tasks: [TaskRecord] = []
  /// Dispatch queues that were seen, sorted by id.
  public var dispatchQueues: [DispatchQueueRecord] = []
  /// In the order of their beginnings.
  public var waits: [WaitRecord] = []
  /// What threads blocked on besides operations and operation queues.
  public var objects: [ObjectRecord] = []
  /// Named pieces of work, in the order of their beginnings.
  public var spans: [SpanRecord] = []
  /// In which span work was submitted, where that is known: what a test of a framework gave to queues.
  public var within: [WorkID: SpanID] = [:]
  /// Moments that the program named, in the order of time.
  public var marks: [MarkRecord] = []
  /// The recorder's last snapshot of all threads; nil: it took none, as something always moved.
  public var snapshot: ThreadSnapshot?
  /// How processor time was sampled; nil: it was not.
  public var profile: ProfileRecord?
  /// Where threads used processor time, in the order of time.
  public var samples: [SampleRecord] = []
  /// Event loops of threads, in the order of their threads.
  public var loops: [LoopRecord] = []
  /// The stacks that were recorded, and what their code is called.
  public var stacks = StackTable()
  /// What is missing, exactly.
  public var loss = LossReport()
  /// The later of the last event and the last sign of life of the recorder.
  public var end: Nanoseconds = 0
  /// The time of the last event.
  public var lastEvent: Nanoseconds = 0
  /// How many events the trace was made of.
  public var eventCount = 0

  /// A trace in which nothing has happened.
  public init(header: TraceHeader) { self.header = header }

  /// O(log n). Ids are dense nearly always, so the first guess hits.
  public func operation(_ id: OperationID) -> OperationRecord? {
    index(of: id).map { operations[$0] }
  }

  /// The index of an operation in ``operations``. O(log n).
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

  /// The block with this number; nil: there is none. O(log n).
  public func block(_ id: WorkID) -> BlockRecord? { blockRow(id).map { blocks[$0] } }
  /// The task with this number; nil: there is none. O(log n).
  public func task(_ id: WorkID) -> TaskRecord? { taskRow(id).map { tasks[$0] } }
  /// The operation, block or task with this number; nil: there is none. O(log n).
  public func work(_ id: WorkID) -> (any Work)? { operation(id) ?? block(id) ?? task(id) }

  /// The index of a block in ``blocks``; nil: there is none. O(log n), without a copy of a record.
  package func blockRow(_ id: WorkID) -> Int? {
    blocks.withUnsafeBufferPointer { all in Self.row(id, of: all.count) { all[$0].id } }
  }
  /// The index of a task in ``tasks``; nil: there is none. O(log n), without a copy of a record.
  package func taskRow(_ id: WorkID) -> Int? {
    tasks.withUnsafeBufferPointer { all in Self.row(id, of: all.count) { all[$0].id } }
  }

  /// In a sorted list. Numbers are given in sequence, so the row is near where they would be if all gaps were alike: that place halves what
  /// is left much faster than the middle does. Every other step is the middle's, so that it stays O(log n).
  @inline(__always)
  private static func row(_ id: WorkID, of count: Int, _ idAt: (Int) -> WorkID) -> Int? {
    var (low, high) = (0, count - 1)
    var isGuess = true
    while low <= high {
      let (first, last) = (idAt(low), idAt(high))
      guard first <= id, id <= last else { return nil }
      var middle = low + (high - low) / 2
      if isGuess, first < last {
        let share = UInt64(id.rawValue - first.rawValue) * UInt64(high - low) / UInt64(last.rawValue - first.rawValue)
        middle = low + Int(share)
      }
      isGuess.toggle()
      let found = idAt(middle)
      if found == id { return middle }
      if found < id { low = middle + 1 } else { high = middle - 1 }
    }
    return nil
  }
  /// The dispatch queue with this number; nil: there is none. O(dispatch queues).
  public func dispatchQueue(_ id: DispatchQueueID) -> DispatchQueueRecord? { dispatchQueues.first { $0.id == id } }
  /// The span with this number; nil: there is none. O(1) nearly always, else O(spans).
  public func span(_ id: SpanID) -> SpanRecord? {
    // They are numbered in the order of their beginnings, as long as two threads do not begin one at once.
    let guess = Int(id.rawValue) - 1
    return spans.indices.contains(guess) && spans[guess].id == id ? spans[guess] : spans.first { $0.id == id }
  }
  /// The span that this work was submitted in; nil: in none, as far as is known.
  public func span(around work: WorkID) -> SpanRecord? { within[work].flatMap { span($0) } }
  /// The queue with this number; nil: there is none. O(queues).
  public func queue(_ id: QueueID) -> QueueRecord? { queues.first { $0.id == id } }
  /// O(1).
  public func object(_ id: ObjectID) -> ObjectRecord? {
    let row = Int(id.rawValue) - 1
    return objects.indices.contains(row) && objects[row].id == id ? objects[row] : nil
  }
  /// The thread with this number; nil: there is none. O(threads).
  public func thread(_ id: ThreadID) -> ThreadRecord? { threads.first { $0.id == id } }

  /// When anything was last seen to go on; nil: never. O(n).
  public var lastSign: Nanoseconds? {
    latest({ operations[$0].lastSign }, { blocks[$0].lastSign }, { tasks[$0].lastSign })
  }

  /// Since when nothing has moved: when anything last began, ended or went on, or what was submitted first since then. Other than
  /// ``lastSign`` it does not grow with what is only submitted, as by a timer to a queue that starts nothing any more. Nil: nothing was
  /// ever seen to go on. O(n).
  public var lastMove: Nanoseconds? {
    let moved = latest(
      { operations[$0].lastProgress }, { blocks[$0].lastProgress }, { tasks[$0].lastProgress })
    var first: Nanoseconds?
    func note(_ submission: Nanoseconds?) {
      if let submission, submission > moved ?? .min, submission < first ?? .max { first = submission }
    }
    for row in operations.indices { note(operations[row].enqueued?.time ?? operations[row].lastSign) }
    for row in blocks.indices { note(blocks[row].submitted?.time) }
    for row in tasks.indices { note(tasks[row].lastSubmission) }
    return first ?? moved
  }

  /// The latest of these times of each operation, block and task, by its row, and of the signs of queues and threads.
  private func latest(
    _ operation: (Int) -> Nanoseconds?, _ block: (Int) -> Nanoseconds?, _ task: (Int) -> Nanoseconds?
  ) -> Nanoseconds? {
    var last: Nanoseconds?
    func note(_ sign: Nanoseconds?) { if let sign, sign > last ?? .min { last = sign } }
    for row in operations.indices { note(operation(row)) }
    for queue in queues { note(queue.lastSign) }
    for row in blocks.indices { note(block(row)) }
    for row in tasks.indices { note(task(row)) }
    for thread in threads { note(thread.lastSign) }
    return last
  }
}

// What is said here of each list: a new one has its lines in both.
extension Trace {
  /// Empties the lists of moments and measurements, to which nothing refers: of a trace that grows, in which they were seen.
  mutating func forgetMoments() { marks = [] }

  /// Leaves out what is others': the part of a trace that belongs to some operations, queues and threads. O(n).
  package mutating func keep(_ isKept: (TraceOwner) -> Bool) {
    func isOthers(_ value: some TraceOwned) -> Bool { value.owner != .everybody && !isKept(value.owner) }
    operations.removeAll(where: isOthers)
    queues.removeAll(where: isOthers)
    blocks.removeAll(where: isOthers)
    tasks.removeAll(where: isOthers)
    waits.removeAll(where: isOthers)
    spans.removeAll(where: isOthers)
    marks.removeAll(where: isOthers)
    samples.removeAll(where: isOthers)
    loops.removeAll(where: isOthers)
    within = within.filter { isKept(.operation($0.key)) }
    for index in threads.indices where !isKept(.thread(threads[index].id)) { threads[index].lastSign = nil }
  }
}

/// Who wrote the trace, when and how.
public struct TraceHeader: Sendable, Equatable {
  /// What the recorder does when its file has grown.
  public enum Mode: String, Sendable, CaseIterable {
    /// The file grew with what happened.
    case streaming
    /// A ring: the newest events, and all that belongs to operations which are not over.
    case flightRecorder = "flight-recorder"
  }
  /// Of the program that was recorded.
  public var processName = ""
  /// The system's number of the process.
  public var processID: UInt32 = 0
  /// When the process began, in the system's own units; 0 when not known. With the boot id it distinguishes a process from a
  /// later one of the same number.
  public var processStart: UInt64 = 0
  /// The 16 bytes that name this run of the system; all zeros when not known.
  public var bootID = [UInt8](repeating: 0, count: 16)
  /// The version of OpTrace that wrote the trace.
  public var writerVersion = ""
  /// On how many processors the process might run at once when the trace began; nil: not known (before format 1.5).
  public var processors: Int?
  /// Whether the file grew with what happened, or is a ring.
  public var mode = Mode.streaming
  /// Bytes, for a flight recorder; else 0.
  public var capacity: UInt64 = 0
  /// The wall clock at the trace's start: nanoseconds since 1970, UTC.
  public var startWall: UInt64 = 0
  /// The monotonic clock at the trace's start, in nanoseconds.
  public var startMonotonic: UInt64 = 0
  /// The recorder was stopped in order; else the process still runs or was killed.
  public var isClosed = false
  /// When `record --stall-timeout` ended the program because nothing had moved, in nanoseconds since the trace's start; nil: it did
  /// not.
  public var stalled: Nanoseconds?
  /// The signals for which the program had a handler at the last snapshot: a bit for each, that of signal 1 the lowest. Without those of
  /// faults, which Swift's runtime handles.
  public var handledSignals: UInt64 = 0

  /// A process of which nothing is known.
  public init() {}
}

/// A thread that recorded something.
public struct ThreadRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace, in the order of first sight.
  public var id: ThreadID
  /// The system's thread id.
  public var systemID: UInt32
  /// Its name when it first recorded; empty where it had none.
  public var name: String
  /// The main thread of the process.
  public var isMain: Bool
  /// When it was last seen to go on outside of all operations; nil: never.
  public var lastSign: Nanoseconds?
  package var owner: TraceOwner { .everybody }

  package init(id: ThreadID, systemID: UInt32, name: String, isMain: Bool) {
    self.id = id
    self.systemID = systemID
    self.name = name
    self.isMain = isMain
  }
}

/// A queue and what happened to it.
public struct QueueRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// What was done to a queue.
  public enum ChangeKind: Sendable, Equatable {
    /// It may run so many at once; -1: as many as the system allows.
    case limit(Int)
    /// It starts nothing from here on.
    case suspended
    /// It starts operations again.
    case resumed
    /// `cancelAllOperations()` was called.
    case cancelledAll
  }
  /// One thing that was done to a queue.
  public struct Change: Sendable, Equatable {
    /// When, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Which thread did it.
    public var thread: ThreadID
    /// What was done.
    public var kind: ChangeKind

    package init(time: Nanoseconds, thread: ThreadID, kind: ChangeKind) {
      self.time = time
      self.thread = thread
      self.kind = kind
    }
  }

  /// Its number in the trace, in the order of first sight.
  public var id: QueueID
  /// Its last name.
  public var name: String
  /// The limit at first sight; -1: as many as the system allows. Later ones are among ``changes``.
  public var initialLimit: Int
  /// Suspended at first sight. Later changes are among ``changes``.
  public var initiallySuspended = false
  /// It runs its operations on the main thread, as it was seen last.
  public var isMain = false
  /// Its quality of service, as it was seen last.
  public var quality = Quality.default
  /// When it was first seen, in nanoseconds since the trace's start.
  public var created: Nanoseconds = 0
  /// When the object was gone; nil: it was not seen to go.
  public var released: Nanoseconds?
  /// In the order of time.
  public var changes: [Change] = []
  /// When it was last seen to be used or changed; nil: never.
  public var lastSign: Nanoseconds?
  /// Where the program made it, or was first seen to use it.
  public var madeAt: FrameID?
  /// The same as a source location, where the trace has names for it.
  public internal(set) var codeLocation: CodeLocation?
  package var owner: TraceOwner { .queue(id) }

  /// What it is called in every output: its name, or `queue 7 made in load() (main.swift:12)` where it has none that can
  /// be seen; the source location only where it is known.
  public var title: String { isUnnamed ? unnamedTitle : name }
  /// The same inside of a sentence: `queue network`, or `queue 7 made in load() (main.swift:12)`.
  public var phrase: String { isUnnamed ? unnamedTitle : "queue \(name)" }
  /// `queue 'network'`, or as ``title`` says. `shown` escapes a name for the output.
  package func phrase(quoting shown: (String) -> String) -> String {
    (isUnnamed ? "" : "queue ") + title(quoting: shown)
  }
  /// `'network'`, or as ``title`` says.
  package func title(quoting shown: (String) -> String) -> String {
    isUnnamed ? shown(unnamedTitle) : "'\(shown(name))'"
  }

  /// Its number stays: several queues may be made at one source location.
  private var unnamedTitle: String {
    guard let codeLocation, let function = codeLocation.function else { return id.description }
    return "\(id) made in " + function + (codeLocation.lineText.map { " (\($0))" } ?? "")
  }

  private var isUnnamed: Bool { name.allSatisfy(\.isWhitespace) }

  package init(id: QueueID, name: String, initialLimit: Int) {
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

/// A moment that the program named: `recorder.mark("…")`.
public struct MarkRecord: Sendable, Equatable, TraceOwned {
  /// As the program gave it.
  public var name: String
  /// The operation that executed on the thread; nil: none.
  public var operation: OperationID?
  /// When and on which thread.
  public var at: Stamp
  package var owner: TraceOwner { Self.owner(operation) }

  package init(name: String, operation: OperationID?, at: Stamp) {
    self.name = name
    self.operation = operation
    self.at = at
  }
}

/// What a value of a trace belongs to.
package enum TraceOwner: Hashable, Sendable {
  case operation(OperationID)
  case queue(QueueID)
  /// What a thread did outside of all operations.
  case thread(ThreadID)
  /// Nobody's in particular: the program's own.
  case program
  /// Values that others refer to: they stay in every part of a trace.
  case everybody
}

/// An element of the lists of a ``Trace``.
package protocol TraceOwned: Sendable {
  var owner: TraceOwner { get }
}

extension TraceOwned {
  /// The owner of a value that may belong to an operation.
  static func owner(_ operation: OperationID?, else other: TraceOwner = .program) -> TraceOwner {
    operation.map { .operation($0) } ?? other
  }
}

extension TraceHeader {
  /// Names the trace among all others: 16 hexadecimal digits of a hash of the run of the system, the process, its start and the
  /// trace's start. The same for a packed trace, for one that was read again, and for a later reading of one that is still written.
  ///
  /// The first digit is a letter, so that nothing that guesses types from paths takes it for a number. FNV-1a of 64 bits (Fowler,
  /// Noll and Vo).
  public var hash: String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    func add(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { add($0) } }
    add(bootID)
    add(UInt64(processID))
    add(processStart)
    add(startMonotonic)
    add(startWall)
    let first = 10 + value >> 60 % 6
    let digits = String(first << 60 | value & (1 << 60 - 1), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
