/// The contents of a trace file, as values. Made by ``TraceReader``; everything else in OpTrace starts from it.
public struct Trace: Sendable, Equatable {
  /// Who wrote the trace, when and how.
  public var header: TraceHeader
  /// Sorted by id, like all lists here.
  public var threads: [ThreadRecord] = []
  /// Queues that were seen, sorted by id.
  public var queues: [QueueRecord] = []
  /// All operations that were seen or named, sorted by id.
  public var operations: [OperationRecord] = []
  /// Blocks that were submitted to dispatch queues, sorted by id.
  public var blocks: [BlockRecord] = []
  /// Swift tasks, sorted by id.
  public var tasks: [TaskRecord] = []
  /// Dispatch queues that were seen, sorted by id.
  public var dispatchQueues: [DispatchQueueRecord] = []
  /// Sorted by their begins.
  public var waits: [WaitRecord] = []
  /// Waits in system calls and for locks that others had, from 1 ms on, sorted by their begins. They hold up the work that runs on the
  /// thread, and nobody signals their end, so they are apart from ``waits``.
  public var holdups: [WaitRecord] = []
  /// What threads blocked on, besides operations and operation queues.
  public var objects: [ObjectRecord] = []
  /// Tests and other named spans, sorted by their begins.
  public var spans: [SpanRecord] = []
  /// The span in which work was submitted, if known, such as the test that added an operation to a queue.
  public var within: [WorkID: SpanID] = [:]
  /// Moments that the program named, in the order of time.
  public var marks: [MarkRecord] = []
  /// The recorder's last snapshot of all threads; nil: it took none, because something always moved.
  public var snapshot: ThreadSnapshot?
  /// How processor time was sampled; nil: it was not.
  public var profile: ProfileRecord?
  /// Where threads used processor time, in the order of time.
  public var samples: [SampleRecord] = []
  /// When the program's threads waited for processors, in the order of time.
  public var machine: [MachineReading] = []
  /// What was taken or waited for while something else was held, sorted by number; empty also where that was not recorded.
  public var orders: [OrderRecord] = []
  /// Which places wait for semaphores and groups, and which signal them, in the order of time.
  public var handovers: [HandoverRecord] = []
  /// Who has started the threads that are in orders, and waited for their ends, in the order of time.
  public var threadStarts: [ThreadStart] = []
  /// What is not among the orders; nil: orders were not recorded.
  public var orderLoss: OrderLoss?
  /// Sampled allocations, and what the process had in memory; nil: neither was recorded.
  public var memory: MemoryRecord?
  /// How the trace was made, if nobody recorded the process; nil: a recorder wrote it.
  public var origin: TraceOrigin?
  /// Event loops, sorted by thread.
  public var loops: [LoopRecord] = []
  /// The stacks that were recorded, and what their code is called.
  public var stacks = StackTable()
  /// What is missing from the trace.
  public var loss = LossReport()
  /// The time of the last event or of the recorder's last sign of life, whichever is later.
  public var end: Nanoseconds = 0
  /// The time of the last event.
  public var lastEvent: Nanoseconds = 0
  /// The number of events that the trace was made from.
  public var eventCount = 0

  /// A trace in which nothing happened.
  public init(header: TraceHeader) { self.header = header }

  /// The operation with this id; nil: there is none. O(log n). Ids are nearly always dense, so the first guess hits.
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

  /// Searches a sorted list. Ids are given in sequence, so the row is near where it would be if all gaps were alike:
  /// that guess narrows the range much faster than the middle does. Every other step uses the middle, so it stays O(log
  /// n).
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
    // Spans are numbered in the order of their begins, unless two threads begin one at the same time.
    let guess = Int(id.rawValue) - 1
    return spans.indices.contains(guess) && spans[guess].id == id ? spans[guess] : spans.first { $0.id == id }
  }
  /// The span that this work was submitted in; nil: none that is known.
  public func span(around work: WorkID) -> SpanRecord? { within[work].flatMap { span($0) } }
  /// The queue with this number; nil: there is none. O(queues).
  public func queue(_ id: QueueID) -> QueueRecord? { queues.first { $0.id == id } }
  /// The object with this number; nil: there is none. O(1).
  public func object(_ id: ObjectID) -> ObjectRecord? {
    let row = Int(id.rawValue) - 1
    return objects.indices.contains(row) && objects[row].id == id ? objects[row] : nil
  }
  /// The thread with this number; nil: there is none. O(threads).
  public func thread(_ id: ThreadID) -> ThreadRecord? {
    let guess = Int(id.rawValue) - 1
    if threads.indices.contains(guess), threads[guess].id == id { return threads[guess] }
    return threads.first { $0.id == id }
  }

  /// When anything was last seen to make progress; nil: never. O(n).
  public var lastSign: Nanoseconds? {
    latest({ operations[$0].lastSign }, { blocks[$0].lastSign }, { tasks[$0].lastSign })
  }

  /// Since when nothing has moved: when anything last began, ended or continued, or when work was first submitted after
  /// that. In contrast to ``lastSign``, it does not advance with work that is merely submitted, for example by a timer
  /// to a queue that no longer starts anything. Nil: nothing was ever seen to make progress. O(n).
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

  /// The latest of these times of each operation, block and task, by row, and of the signs of life of queues and
  /// threads.
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

// Both functions below treat each list: add a line to both for a new list.
extension Trace {
  /// Empties the lists of moments and measurements, to which nothing refers, in a growing trace after they were used.
  mutating func forgetMoments() {
    marks = []
    machine = []
  }

  /// Keeps only the part of a trace that belongs to some operations, queues and threads. O(n).
  package mutating func keep(_ isKept: (TraceOwner) -> Bool) {
    func isOthers(_ value: some TraceOwned) -> Bool { value.owner != .everybody && !isKept(value.owner) }
    operations.removeAll(where: isOthers)
    queues.removeAll(where: isOthers)
    blocks.removeAll(where: isOthers)
    tasks.removeAll(where: isOthers)
    waits.removeAll(where: isOthers)
    holdups.removeAll(where: isOthers)
    spans.removeAll(where: isOthers)
    marks.removeAll(where: isOthers)
    samples.removeAll(where: isOthers)
    memory?.allocations.removeAll(where: isOthers)
    loops.removeAll(where: isOthers)
    orders.removeAll(where: isOthers)
    handovers.removeAll(where: isOthers)
    threadStarts.removeAll(where: isOthers)
    within = within.filter { isKept(.operation($0.key)) }
    for index in threads.indices where !isKept(.thread(threads[index].id)) { threads[index].lastSign = nil }
  }
}

/// Who wrote the trace, when and how.
public struct TraceHeader: Sendable, Equatable {
  /// What kind of file the recorder writes.
  public enum Mode: String, Sendable, CaseIterable {
    /// The file grew with what happened.
    case streaming
    /// A ring: keeps the newest events, and all that belongs to unfinished operations.
    case flightRecorder = "flight-recorder"
  }
  /// The name of the program that was recorded.
  public var processName = ""
  /// The system's id of the process.
  public var processID: UInt32 = 0
  /// When the process began, in the system's own units; 0: not known. Together with the boot id, it distinguishes a
  /// process from a later one with the same id.
  public var processStart: UInt64 = 0
  /// The 16 bytes that identify this boot of the system; all zeros: not known.
  public var bootID = [UInt8](repeating: 0, count: 16)
  /// The version of OpTrace that wrote the trace.
  public var writerVersion = ""
  /// The number of processors that the process could use when the trace began; nil: not known (before format 1.5).
  public var processors: Int?
  /// Whether the file grew with what happened, or is a ring.
  public var mode = Mode.streaming
  /// The size of a flight recorder's ring in bytes; else 0.
  public var capacity: UInt64 = 0
  /// The wall clock at the trace's start: nanoseconds since 1970, UTC.
  public var startWall: UInt64 = 0
  /// The monotonic clock at the trace's start, in nanoseconds.
  public var startMonotonic: UInt64 = 0
  /// Whether the recorder was stopped properly; else the process still runs or was killed.
  public var isClosed = false
  /// When `record --stall-timeout` ended the program because nothing had moved, in nanoseconds since the trace's start; nil: it did
  /// not.
  public var stalled: Nanoseconds?
  /// The signals for which the program had a handler at the last snapshot: one bit each, signal 1 is the lowest.
  /// Without signals of faults, which Swift's runtime handles.
  public var handledSignals: UInt64 = 0
  /// When and why this copy of a flight recorder's ring was kept while its program ran on; nil: it is no such copy.
  public var kept: Kept?

  /// When and why a copy of a trace was kept.
  public struct Kept: Sendable, Equatable {
    /// The moment of the copy, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// The condition that was met and what met it, or the user's own words; empty: no reason was given.
    public var reason: String

    /// Both in this order.
    public init(time: Nanoseconds, reason: String) {
      self.time = time
      self.reason = reason
    }
  }

  /// A header of a process about which nothing is known.
  public init() {}
}

/// A thread that recorded something.
public struct ThreadRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace, in the order of first sight.
  public var id: ThreadID
  /// The system's id of the thread.
  public var systemID: UInt32
  /// Its name when it first recorded something; empty if it had none.
  public var name: String
  /// Whether it is the main thread of the process.
  public var isMain: Bool
  /// When it was last seen to make progress outside of all operations; nil: never.
  public var lastSign: Nanoseconds?
  package var owner: TraceOwner { .everybody }

  /// Whether it is a recorder's, which wakes once a second and moves nothing. A program may record itself besides.
  package var isOfRecorder: Bool { !isMain && name == "optrace" }

  /// Whether it is one of libdispatch's own, by its name: the end of a root queue's label, which tells people nothing.
  package var isOfPool: Bool { Self.poolNames.contains(name) }

  /// The system keeps 15 bytes of a name, and libdispatch gives it the last ones.
  private static let poolNames: Set<String> = {
    let classes = ["maintenance", "background", "utility", "default", "user-initiated", "user-interactive"]
    let labels = classes.flatMap { name in
      ["", ".overcommit", ".cooperative"].map { "com.apple.root.\(name)-qos\($0)" }
    }
    return Set(labels.map { String($0.suffix(15)) })
  }()

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
    /// Its limit was set; -1: as many as the system allows.
    case limit(Int)
    /// It was suspended, and starts nothing from here on.
    case suspended
    /// It was resumed, and starts operations again.
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
  /// The name that it had last.
  public var name: String
  /// The limit when it was first seen; -1: as many as the system allows. Later ones are among ``changes``.
  public var initialLimit: Int
  /// Whether it was suspended when it was first seen. Later changes are among ``changes``.
  public var initiallySuspended = false
  /// Whether it runs its operations on the main thread, when it was last seen.
  public var isMain = false
  /// Its quality of service when it was last seen.
  public var quality = Quality.default
  /// When it was first seen, in nanoseconds since the trace's start.
  public var created: Nanoseconds = 0
  /// When the object was released; nil: that was not seen.
  public var released: Nanoseconds?
  /// In the order of time.
  public var changes: [Change] = []
  /// When it was last seen to be used or changed; nil: never.
  public var lastSign: Nanoseconds?
  /// Where the program created it, or was first seen to use it.
  public var madeAt: FrameID?
  /// The same as a source location, if the trace has names for it.
  public internal(set) var codeLocation: CodeLocation?
  package var owner: TraceOwner { .queue(id) }

  /// False if the trace only refers to it: then its limit is not known.
  package var isDescribed: Bool { name != Self.unknownName || initialLimit >= 0 || created != 0 }
  static let unknownName = "(unknown)"

  /// The displayed name: its name, or `queue 7 made in load() (main.swift:12)` if it has no visible name; the location
  /// only if it is known.
  public var title: String { isUnnamed ? unnamedTitle : name }
  /// The same inside of a sentence: `queue network`, or `queue 7 made in load() (main.swift:12)`.
  public var phrase: String { isUnnamed ? unnamedTitle : "queue \(name)" }
  /// `queue 'network'`, or its title if it has no name. `shown` escapes a name for the output.
  package func phrase(quoting shown: (String) -> String) -> String {
    (isUnnamed ? "" : "queue ") + title(quoting: shown)
  }
  /// `'network'`, or its title if it has no name.
  package func title(quoting shown: (String) -> String) -> String {
    isUnnamed ? shown(unnamedTitle) : "'\(shown(name))'"
  }

  /// Includes the number, because several queues may be created at one source location.
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

  /// Whether it is suspended at the end of the trace.
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
  /// The name that the program gave it.
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
  /// Nobody in particular: it belongs to the program.
  case program
  /// Values that others refer to, so they stay in every part of a trace.
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
  /// Identifies the trace: 16 hexadecimal digits of a hash of the boot, the process, its start and the trace's start. A
  /// packed trace, a second reading, and a later reading of a trace that is still written have the same hash.
  ///
  /// The first digit is a letter, so that nothing that guesses types from paths takes it for a number. FNV-1a of 64
  /// bits (Fowler, Noll and Vo).
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
