package import OpTraceModel

/// Follows units of work as they begin and end, from signs alone: the definition of ``Requests`` at a small part of its
/// cost, without names. What tasks that run one function do, is learned from an analysis (``learn(_:)``); until then, a
/// unit may be taken for one that is none, and a second look decides.
package struct UnitWatch: Sendable {
  /// A unit that has ended.
  package struct Unit: Sendable, Equatable {
    /// Units of one group do the same, as far as this is known without names.
    package var group: Group
    package var began: Nanoseconds
    package var ended: Nanoseconds
    package var length: Nanoseconds { max(0, ended - began) }
  }

  package enum Group: Hashable, Sendable {
    case rounds(UInt32), tasks(UInt32), blocks(UInt32), operations(UInt32), spans(UInt32)
  }

  /// What is known of tasks that run one function.
  package struct Shape: Sendable, Equatable {
    /// Where they idle between two rounds; empty: they do not work in rounds.
    package var idle: Set<UInt32>
    /// Whether their rounds only make tasks that do the work.
    package var handsOn: Bool

    package init(idle: Set<UInt32>, handsOn: Bool) { (self.idle, self.handsOn) = (idle, handsOn) }
  }

  private struct OpenTask {
    var code: UInt32
    var created: Nanoseconds
    /// The task that made it; 0: none.
    var parent: UInt32 = 0
    /// Whether other work, which is no task, made it: then it is a part of that.
    var isPart = false
    var isSuspended = false
    var suspendedAt: UInt32 = 0
    var suspendedSince: Nanoseconds = 0
    var ready: Nanoseconds?
    var roundBegan: Nanoseconds?
    var idledLast: Nanoseconds = .min
    /// Whether its begin was seen.
    var isWhole = true
  }

  private struct OpenBlock {
    var since: Nanoseconds
    var code: UInt32
    var way: UInt8
  }

  /// What a thread is busy with.
  private struct Busy {
    var work: UInt32
    var since: Nanoseconds
  }

  private var tasks: [UInt32: OpenTask] = [:]
  private var blocks: [UInt32: OpenBlock] = [:]
  /// Class, and when it was enqueued; nil: not yet, or by other work.
  private var operations: [UInt32: (class: UInt32, since: Nanoseconds?)] = [:]
  private var spans: [UInt32: (since: Nanoseconds, name: UInt32, isOuter: Bool)] = [:]
  private var threads: [UInt32: Busy] = [:]
  private var shapes: [UInt32: Shape] = [:]
  /// For each function of tasks, how many tasks there were, and how often they were suspended; and how often when it was
  /// last learned what they do.
  private var counts: [UInt32: (tasks: Int, suspensions: Int, learned: Int)] = [:]
  /// When anything began, ended or went on last.
  package private(set) var lastMove: Nanoseconds = 0
  /// How many mistakes were recorded.
  package private(set) var misuses = 0
  /// Units that have ended since they were taken.
  private var ended: [Unit] = []

  /// The number of `sync` among the ways to submit a block, and of a delay.
  private static let (sync, after): (UInt8, UInt8) = (4, 2)
  private static let firstLesson = 20
  /// More entries are leftovers of missed ends.
  private static let most = 100_000

  package init() {}

  /// The units that have ended since the last call.
  package mutating func takeUnits() -> [Unit] {
    defer { ended.removeAll(keepingCapacity: true) }
    return ended
  }

  /// Whether a function's tasks are suspended so often that an analysis would tell more of them than is known.
  package var needsLesson: Bool {
    counts.values.contains { $0.suspensions >= max(Self.firstLesson, $0.learned * 16) }
  }

  /// Takes what an analysis has found: for each function of tasks what they do.
  package mutating func learn(_ found: [UInt32: Shape]) {
    for (code, shape) in found { shapes[code] = shape }
    for (code, count) in counts { counts[code] = (count.tasks, count.suspensions, max(1, count.suspensions)) }
  }

  /// Since when a thread has been busy with one piece of work without a sign; nil: none is.
  package var longestBusy: Nanoseconds? { threads.values.lazy.map(\.since).min() }

  /// Records were missed: what threads do is not known any more. Work whose end was among them is never heard of again;
  /// a unit that seems longer for it is looked at twice.
  package mutating func missed() {
    threads = [:]
    if tasks.count > Self.most { tasks.removeAll() }
  }

  /// O(1).
  package mutating func take(_ sign: WorkSign) {
    switch sign.kind {
    case .taskCreated, .taskReady, .taskRan, .taskSuspended, .taskStack, .taskCompleted: takeTask(sign)
    case .blockSubmitted, .blockBegan, .blockEnded: takeBlock(sign)
    case .operationCreated, .operationEnqueued, .operationBegan, .operationEnded, .operationFinished,
      .operationReleased:
      takeOperation(sign)
    case .spanBegan:
      spans[sign.subject] = (sign.time, sign.frame, false)
      if spans.count > Self.most { spans.removeAll() }
    case .spanContext: if sign.other == 0 { spans[sign.subject]?.isOuter = true }
    case .spanEnded:
      guard let span = spans.removeValue(forKey: sign.subject), span.isOuter else { return }
      ended.append(Unit(group: .spans(span.name), began: span.since, ended: sign.time))
    case .misuse: misuses += 1
    }
  }

  private mutating func moved(_ sign: WorkSign, to work: UInt32?) {
    lastMove = max(lastMove, sign.time)
    threads[sign.thread] = work.map { Busy(work: $0, since: sign.time) }
  }

  // MARK: - Tasks

  private mutating func takeTask(_ sign: WorkSign) {
    let id = sign.subject
    switch sign.kind {
    case .taskCreated: create(sign)
    case .taskReady:
      if let task = tasks[id], task.isSuspended, task.ready == nil { tasks[id]?.ready = sign.time }
    case .taskRan:
      moved(sign, to: id)
      guard var task = tasks[id] else {
        // It is older than what was read.
        tasks[id] = OpenTask(code: 0, created: sign.time, isWhole: false)
        return
      }
      guard task.isSuspended else { return }
      task.isSuspended = false
      let goesOn = min(sign.time, max(task.suspendedSince, task.ready ?? sign.time))
      if let shape = shapes[task.code], shape.idle.contains(task.suspendedAt) { task.roundBegan = goesOn }
      task.ready = nil
      tasks[id] = task
    case .taskSuspended:
      moved(sign, to: nil)
      if tasks[id] == nil { tasks[id] = OpenTask(code: 0, created: sign.time, isWhole: false) }
      tasks[id]?.isSuspended = true
      tasks[id]?.suspendedAt = 0
      tasks[id]?.suspendedSince = sign.time
      if let code = tasks[id]?.code { counts[code, default: (0, 0, 0)].suspensions += 1 }
      if sign.frame != 0 { suspend(id, at: sign.frame, sign.time) }
    case .taskStack: suspend(id, at: sign.frame, tasks[id]?.suspendedSince ?? sign.time)
    default: complete(sign)
    }
  }

  private mutating func create(_ sign: WorkSign) {
    // It may have run before it was written that it is there.
    var task = tasks[sign.subject] ?? OpenTask(code: sign.frame, created: sign.time)
    task.code = sign.frame
    task.isWhole = true
    if sign.other != 0 {
      if tasks[sign.other] != nil { task.parent = sign.other } else { task.isPart = true }
    }
    tasks[sign.subject] = task
    counts[sign.frame, default: (0, 0, 0)].tasks += 1
  }

  private mutating func suspend(_ id: UInt32, at frame: UInt32, _ time: Nanoseconds) {
    guard var task = tasks[id], task.isSuspended else { return }
    task.suspendedAt = frame
    if let shape = shapes[task.code], shape.idle.contains(frame) {
      if let began = task.roundBegan, !shape.handsOn {
        ended.append(Unit(group: .rounds(task.code), began: began, ended: time))
      }
      task.roundBegan = nil
      task.idledLast = time
    }
    tasks[id] = task
  }

  private mutating func complete(_ sign: WorkSign) {
    moved(sign, to: nil)
    guard let task = tasks.removeValue(forKey: sign.subject), task.isWhole || task.roundBegan != nil else { return }
    let shape = shapes[task.code]
    if let shape, !shape.idle.isEmpty {
      guard let began = task.roundBegan, !shape.handsOn else { return }
      ended.append(Unit(group: .rounds(task.code), began: began, ended: sign.time))
    } else if !isPart(task) {
      ended.append(Unit(group: .tasks(task.code), began: task.created, ended: sign.time))
    }
  }

  /// Whether a task is part of a unit that outlives it.
  private func isPart(_ task: OpenTask) -> Bool {
    if task.isPart { return true }
    guard task.parent != 0, let parent = tasks[task.parent] else { return false }
    if let shape = shapes[parent.code], !shape.idle.isEmpty {
      return !shape.handsOn && parent.idledLast < task.created
    }
    // The program's main task and its services are no units.
    return counts[parent.code]?.tasks ?? 0 >= 3
  }

  // MARK: - Blocks and operations

  private mutating func takeBlock(_ sign: WorkSign) {
    switch sign.kind {
    case .blockSubmitted:
      guard sign.other == 0, sign.way != Self.sync else { return }
      blocks[sign.subject] = OpenBlock(since: sign.time, code: sign.frame, way: sign.way)
      if blocks.count > Self.most { blocks.removeAll() }
    case .blockBegan:
      moved(sign, to: sign.subject)
      if blocks[sign.subject]?.way == Self.after { blocks[sign.subject]?.since = sign.time }
    default:
      moved(sign, to: nil)
      guard let block = blocks.removeValue(forKey: sign.subject) else { return }
      ended.append(Unit(group: .blocks(block.code), began: block.since, ended: sign.time))
    }
  }

  private mutating func takeOperation(_ sign: WorkSign) {
    switch sign.kind {
    case .operationCreated:
      operations[sign.subject] = (sign.frame, nil)
      if operations.count > Self.most { operations.removeAll() }
    case .operationEnqueued:
      if threads[sign.thread] == nil { operations[sign.subject, default: (0, nil)].since = sign.time }
    case .operationBegan: moved(sign, to: sign.subject)
    case .operationEnded: moved(sign, to: nil)
    case .operationReleased: operations[sign.subject] = nil
    default:
      lastMove = max(lastMove, sign.time)
      if threads[sign.thread]?.work == sign.subject { threads[sign.thread] = nil }
      guard let operation = operations.removeValue(forKey: sign.subject), let since = operation.since else { return }
      ended.append(Unit(group: .operations(operation.class), began: since, ended: sign.time))
    }
  }
}
