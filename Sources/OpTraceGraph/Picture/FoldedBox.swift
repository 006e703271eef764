import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// The totals of the operations in one box.
struct FoldedBox {
  private(set) var members: [OperationID] = []
  var count: Int { members.count }
  /// The trace indexes of its first and last operation.
  private(set) var first = -1
  private(set) var last = -1
  /// The lane of all its operations. Nil: they are in several lanes.
  private(set) var lane: Int?
  private(set) var states = [Int](repeating: 0, count: ShownState.allCases.count)
  private(set) var unknown = 0
  private(set) var times = OperationTimes()
  private(set) var critical = 0
  private(set) var culprits = 0
  private(set) var barriers = 0
  private(set) var externals = 0
  /// The index of the operation that ran longest.
  private(set) var longest = -1
  private(set) var longestRun: Nanoseconds = -1
  /// The number of edges inside the box.
  var inner = 0
  /// When the first operation was enqueued or began, when the first could have begun, when the first began; and when
  /// the last was over.
  private(set) var arrived: Nanoseconds?
  private(set) var runnable: Nanoseconds?
  private(set) var began: Nanoseconds?
  private(set) var ended: Nanoseconds?
  private(set) var classes: Set<String> = []
  private(set) var queues: Set<QueueID?> = []
  /// What the titles have in common. Nil: nothing.
  private(set) var name: String?
  /// The class that was inserted last. Most operations have the class of the one before them.
  private var lastClass: String?
  private var firstTitle = ""
  private var stem: String?

  mutating func add(_ index: Int, lane newLane: Int, in builder: GraphPictureBuilder) {
    add(builder.trace.operations[index], at: index, lane: newLane, in: builder)
  }

  /// Adds an operation. It is borrowed: there are millions of them, and a copy counts references.
  private mutating func add(
    _ operation: borrowing OperationRecord, at index: Int, lane newLane: Int, in builder: GraphPictureBuilder
  ) {
    let state = builder.state(of: index)
    let own = builder.threadWaits.times(ofOperationAt: index, in: builder.trace)
    addName(operation, isFirst: count == 0)
    if count == 0 {
      first = index
      lane = newLane
    } else if lane != newLane {
      lane = nil
    }
    members.append(operation.id)
    last = index
    if builder.isUnknown(index, state) { unknown += 1 } else { states[state.ordinal] += 1 }
    times.waitingForDependencies = times.waitingForDependencies.saturating(own.waitingForDependencies)
    times.waitingForSlot = times.waitingForSlot.saturating(own.waitingForSlot)
    times.waitingForThread = times.waitingForThread.saturating(own.waitingForThread)
    times.running = times.running.saturating(own.running)
    if builder.isCritical[index] { critical += 1 }
    if builder.stuck.culprits.contains(index) { culprits += 1 }
    if operation.isBarrier { barriers += 1 }
    if operation.coverage == .external { externals += 1 }
    if own.running > longestRun { (longest, longestRun) = (index, own.running) }
    let begin = operation.executionBegan?.time ?? operation.started?.time
    arrived = Self.earlier(arrived, operation.enqueued?.time ?? begin)
    runnable = Self.earlier(runnable, operation.runnable ?? begin)
    began = Self.earlier(began, begin)
    let end = operation.finished?.time ?? (operation.isOutcomeKnown ? builder.trace.end : nil)
    if let end { ended = max(ended ?? end, end) }
    let kind = operation.kind
    if classes.count < 8, kind != lastClass {
      classes.insert(kind)
      lastClass = kind
    }
    if queues.count < 8 { queues.insert(operation.queue) }
  }

  /// Narrows the common name: the whole title, else the title without its numbers. Otherwise there is none, and the
  /// class is shown.
  private mutating func addName(_ operation: borrowing OperationRecord, isFirst: Bool) {
    if isFirst {
      firstTitle = operation.title
      name = firstTitle
      return
    }
    guard name != nil else { return }
    let title = operation.title
    guard title != firstTitle else { return }
    if stem == nil { stem = NameStem.of(firstTitle) }
    name = NameStem.of(title) == stem ? stem : nil
  }

  private static func earlier(_ one: Nanoseconds?, _ other: Nanoseconds?) -> Nanoseconds? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// The most serious state among the operations. What is not over counts more than what is.
  var state: ShownState {
    let byGravity: [ShownState] = [.deadlocked, .stalled, .failed, .executing, .ready, .pending, .finished, .cancelled]
    let present = byGravity.first { states[$0.ordinal] > 0 }
    // A few cancelled operations do not make a box of finished ones a cancelled box.
    return present ?? .pending
  }

  /// Returns the three times of the box as a whole: until the first operation could begin, until it did, and until the
  /// last one was over.
  func span(traceEnd: Nanoseconds) -> (from: Nanoseconds, times: OperationTimes)? {
    guard let arrived, let ended else { return nil }
    var times = OperationTimes()
    let over = max(arrived, ended)
    let began = min(max(began ?? over, arrived), over)
    let runnable = min(max(runnable ?? began, arrived), began)
    times.waitingForDependencies = runnable - arrived
    times.waitingForSlot = began - runnable
    times.running = over - began
    return (arrived, times)
  }
}

extension ShownState {
  /// The index of the state in ``allCases``.
  package var ordinal: Int {
    switch self {
    case .finished: 0
    case .executing: 1
    case .ready: 2
    case .pending: 3
    case .cancelled: 4
    case .failed: 5
    case .deadlocked: 6
    case .stalled: 7
    }
  }
}
