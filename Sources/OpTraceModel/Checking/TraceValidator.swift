import OpTraceFormat

/// Checks that a trace keeps the rules of the format and of the state machine: that ids are defined, that what happens
/// once happens once and in order, that code nests on its thread, that nothing runs before its dependencies are finished
/// or beyond its queue's limit.
///
/// A program's misuse that a recorder notes down as such (a second `finish()`, an operation enqueued twice) breaks no
/// rule here; the doctor speaks of it. Where events are missing (loss, damage, a ring that went round), rules that rest
/// on the absence of an event are not applied. Contradictions within the clocks' error are not reported.
public struct TraceValidator {
  private let header: TraceHeader
  private let strings: [UInt32: String]
  /// Events in the pieces before the one that is being checked.
  private var eventsBefore = 0
  /// Nothing is missing, so what was not seen did not happen.
  private let isWhole: Bool
  private var violations: [Violation] = []
  private var lives: [Life] = []
  private var rows: IndexTable
  private var queues: [UInt32: QueueState] = [:]
  private var namedThreads: [UInt32: UInt32] = [:]
  private var firstEventOfThread: [UInt32: (event: TraceEvent, index: Int)] = [:]
  /// The row of the event before: mostly the next event has the same.
  private var lastThread: UInt32?
  private var stacks = CodeStacks()
  private var openWaits: [Wait: Int] = [:]
  private var blocking = BlockingRules()
  private var submissions: SubmissionRules
  private var tasks = TaskRules()
  private var openSpans: Set<UInt32> = []
  private let finishTimes: FirstTimes
  /// When an operation first said that it has finished, where that was before it announced it.
  private let finishSeenTimes: FirstTimes

  /// What was seen of one operation so far.
  private struct Life {
    var isCreated = false
    var coverage = Coverage.partial
    var isAsynchronous = false
    var overridesReady = false
    var queue: UInt32?
    var starts = 0
    var isCancelled = false
    var hasBegun = false
    var hasEnded = false
    var isFinished = false
    var released: Nanoseconds?
    var dependencies: [UInt32] = []
    var openBlocks: Set<UInt32> = []
  }

  private struct QueueState {
    var isDefined = false
    /// The largest so far: operations that got their slot before the limit was lowered may start after.
    var limit: Int64 = -1
    var executing: Set<UInt32> = []
  }

  private typealias Frame = CodeStacks.Frame

  private let facts: ValidationFacts
  private let screen: FieldScreen

  private struct Wait: Hashable {
    var thread: UInt32
    var target: UInt32
    var isQueue: Bool
  }

  /// Every violation, in the order of events. O(events + starts × dependencies).
  public static func check(_ events: TraceEvents) -> [Violation] {
    var facts = ValidationFacts()
    facts.see(events.entries, events.words)
    var validator = TraceValidator(events, eventCount: events.count, facts)
    validator.add(events, WorkProgress.reporter(), of: events.count)
    return validator.finish()
  }

  /// - Parameter whole: header, losses and counts of the whole trace; its events are not read.
  init(_ whole: TraceEvents, eventCount: Int, _ facts: ValidationFacts) {
    header = whole.header
    strings = whole.strings
    self.facts = facts
    screen = FieldScreen(facts, strings: whole.strings.keys)
    let denseLimit = eventCount * 2 + 1024
    rows = IndexTable(denseLimit: denseLimit)
    finishTimes = facts.finishTimes(denseLimit: denseLimit)
    finishSeenTimes = facts.finishSeenTimes(denseLimit: denseLimit)
    submissions = SubmissionRules(serial: facts.serial, ends: finishTimes)
    var loss = whole.loss
    loss.unknownKinds = [:]
    isWhole = loss.isComplete && !facts.hasLossRecord
  }

  /// Events that come after all those which were added before. Texts are none of the rules' business.
  mutating func add(_ piece: TraceEvents, _ progress: WorkProgress.Reporter, of count: Int) {
    let sizes = KindTables.sizes
    for (offset, entry) in piece.entries.enumerated() {
      let index = eventsBefore + offset
      progress.reportSometimes(index, of: count)
      let start = Int(entry.wordIndex)
      let head = RecordHead(piece.words[start])
      let size = sizes[Int(head.kind)]
      let word1 = size == 1 ? 0 : piece.words[start + 1]
      let hasThird = size > 2 || size == 0 && RecordLengths(word1).words > 2
      check(
        TraceEvent(
          kind: head.kind, time: entry.time, thread: ThreadID(entry.thread), subject: head.subject, word1: word1,
          word2: hasThird ? piece.words[start + 2] : 0), index)
    }
    eventsBefore += piece.count
  }

  mutating func finish() -> [Violation] {
    checkEnd()
    return violations.sorted { $0.event < $1.event }
  }

  private mutating func report(_ rule: Violation.Rule, _ event: TraceEvent, _ index: Int, _ text: String) {
    let spec = EventSpec.of(raw: event.kind)
    let operation = spec?.subject == .operation && event.subject != 0 ? OperationID(event.subject) : nil
    violations.append(Violation(rule: rule, event: index + 1, time: event.time, operation: operation, text: text))
  }

  private mutating func check(_ event: TraceEvent, _ index: Int) {
    let isDefinition = KindTables.parts[Int(event.kind)] == .definition
    if !isDefinition, event.thread.rawValue != lastThread {
      lastThread = event.thread.rawValue
      if firstEventOfThread[event.thread.rawValue] == nil { firstEventOfThread[event.thread.rawValue] = (event, index) }
    }
    guard let kind = EventKind(rawValue: event.kind) else { return }
    if !screen.passes(event.kind, event.word1, event.word2) { checkFields(kind.spec, event, index) }
    switch KindTables.subjects[Int(event.kind)] {
    case .operation: checkOperation(kind, event, index)
    case .queue: checkQueue(kind, event, index)
    case .block: checkBlock(kind, event, index)
    case .task: checkTask(kind, event, index)
    case .thread where kind != .threadSeen:
      // A thread records its name more than once: it may have been named since.
      let systemID = EventFields.ThreadNamed(event.word1).tid
      if let known = namedThreads.updateValue(systemID, forKey: event.subject), known != systemID {
        report(.definedTwice, event, index, "thread t\(event.subject) has the system ids \(known) and \(systemID)")
      }
    case .thread:
      if isWhole, !facts.threads.contains(event.subject) {
        report(.undefinedThread, event, index, "thread t\(event.subject) is not defined")
      }
    case .span:
      if openSpans.remove(event.subject) == nil, isWhole {
        report(.unmatchedEnd, event, index, "span s\(event.subject) ends without having begun")
      }
    case .reason:
      if LossReason(rawValue: event.subject) == nil {
        report(.valueOutOfRange, event, index, "reason of loss \(event.subject) does not exist")
      }
    case .frame:
      if event.kind != EventKind.frame.rawValue, isWhole, !facts.frames.contains(event.subject) {
        report(.undefinedFrame, event, index, "frame f\(event.subject) is not defined")
      }
    case .none, .string, .image, .dispatch: break
    }
  }

  private mutating func checkBlock(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    guard event.subject != 0 else { return report(.valueOutOfRange, event, index, "block #0 does not exist") }
    let problems = submissions.check(kind, event)
    guard isWhole else { return }
    for problem in problems { report(problem.rule, event, index, problem.text) }
  }

  private mutating func checkTask(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    guard event.subject != 0 else { return report(.valueOutOfRange, event, index, "task #0 does not exist") }
    let problems = tasks.check(kind, event)
    guard isWhole else { return }
    for problem in problems { report(problem.rule, event, index, problem.text) }
  }

  private func isDefined(_ meaning: EventSpec.Field.Meaning, _ id: UInt32) -> Bool {
    meaning == .frame ? facts.frames.contains(id) : facts.images.contains(id)
  }

  // MARK: - Fields

  private mutating func checkFields(_ spec: EventSpec, _ event: TraceEvent, _ index: Int) {
    for field in spec.fields {
      let value = field.value(event.word1, event.word2)
      let id = UInt32(truncatingIfNeeded: value)
      func isOutOfRange(_ expected: String) {
        report(.valueOutOfRange, event, index, "`\(field.name)` of `\(spec.name)` is \(value)\(expected)")
      }
      switch field.meaning {
      case .unsigned(let values), .signed(let values):
        if !values.contains(value) { isOutOfRange(values.words.map { ", expected " + $0 } ?? "") }
      case .string:
        if value != 0, isWhole, strings[id] == nil {
          report(.undefinedString, event, index, "`\(field.name)` is string \(value), which is not defined")
        }
      case .operation:
        if value == 0, isWhole, spec.subject == .operation { isOutOfRange("") }
      case .dispatch:
        if value != 0, isWhole, !facts.dispatchQueues.contains(id) {
          report(.undefinedQueue, event, index, "`\(field.name)` of `\(spec.name)` is d\(value), which is not defined")
        }
      case .queue:
        guard isWhole else { break }
        if value == 0 {
          isOutOfRange("")
        } else if !facts.queues.contains(id) {
          report(.undefinedQueue, event, index, "queue q\(value) is not defined")
        }
      case .thread:
        if value != 0, isWhole, !facts.threads.contains(id) {
          report(.undefinedThread, event, index, "`\(field.name)` of `\(spec.name)` is t\(value), which is not defined")
        }
      case .address:
        if value == 0 { isOutOfRange("") }
      case .objectKind:
        if WaitedObject(rawValue: UInt8(truncatingIfNeeded: value)) == nil { isOutOfRange(", which is none") }
      case .frame, .image:
        if value != 0, isWhole, !isDefined(field.meaning, id) {
          let word = field.meaning == .frame ? "f" : "i"
          report(
            .undefinedFrame, event, index, "`\(field.name)` of `\(spec.name)` is \(word)\(value), which is not defined")
        }
      case .flag, .age, .systemThread, .lock: break
      }
    }
  }

  private mutating func checkEnd() {
    guard isWhole else { return }
    // The beginning and the end of a long wait are written by two threads: the process may have been killed in between.
    for end in blocking.unmatchedEnds where header.isClosed {
      report(
        .unmatchedEnd, end.event, end.index,
        "a wait ends on thread t\(end.event.thread.rawValue) that did not begin there")
    }
    let firsts = firstEventOfThread.sorted { $0.value.index < $1.value.index }
    for (thread, first) in firsts where namedThreads[thread] == nil {
      report(.undefinedThread, first.event, first.index, "thread t\(thread) is not defined anywhere")
    }
  }

  // MARK: - Operations

  private mutating func checkOperation(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    let id = event.subject
    if kind == .spanBegan {
      let span = EventFields.SpanBegan(event.word1).id
      if !openSpans.insert(span).inserted {
        report(.definedTwice, event, index, "span s\(span) begins again before it has ended")
      }
    }
    let isRemark = KindTables.parts[Int(event.kind)] == .remark
    guard id != 0 else {
      if !isRemark { report(.valueOutOfRange, event, index, "operation #0 does not exist") }
      if kind == .blocked || kind == .unblocked || kind == .signalled { checkBlocking(kind, event, index, nil) }
      return
    }
    guard !submissions.isKnown(id), !tasks.isKnown(id) else {
      if kind == .blocked || kind == .unblocked || kind == .signalled { checkBlocking(kind, event, index, nil) }
      return
    }
    let row = row(of: id)
    // Taken out and put back, so that its arrays are changed in place.
    var life = Life()
    swap(&life, &lives[row])
    defer { swap(&life, &lives[row]) }
    if kind == .operationCreated {
      let fields = EventFields.OperationCreated(event.word1)
      let coverage = Coverage(rawValue: fields.coverage) ?? .partial
      // What was only named as a dependency is described again when it is met itself; what was thought to be seen from its
      // start on, when it turns out that it was not.
      let isMore = life.coverage == .external || (life.coverage == .full && coverage == .partial)
      if life.isCreated, !isMore, isWhole { report(.definedTwice, event, index, "is created twice") }
      life.isCreated = true
      life.coverage = coverage
      life.isAsynchronous = fields.async
      life.overridesReady = fields.ownReady
      return
    }
    if !life.isCreated, isWhole {
      report(.undefinedOperation, event, index, "`\(kind.spec.name)` comes before `created`")
      life.isCreated = true
    }
    // Remarks of the program, and records of the operation's past, may come at any time.
    if let released = life.released, event.time - released > TraceBuilder.tolerance, !isRemark {
      report(.afterRelease, event, index, "`\(kind.spec.name)` comes after `released`")
    }
    switch kind {
    case .waitBegan, .waitEnded: checkWait(kind, event, index, life)
    case .blocked, .unblocked, .signalled: checkBlocking(kind, event, index, life)
    case .dependencyAdded:
      // A recorder may write an edge twice.
      let other = EventFields.DependencyAdded(event.word1).on
      if life.dependencies.count > 64 || !life.dependencies.contains(other) { life.dependencies.append(other) }
    case .dependencyRemoved:
      let other = EventFields.DependencyRemoved(event.word1).on
      if let row = life.dependencies.lastIndex(of: other) {
        life.dependencies.remove(at: row)
      } else if isWhole {
        report(.unknownDependency, event, index, "a dependency on #\(other) is removed that it did not have")
      }
    case .enqueued: life.queue = EventFields.Enqueued(event.word1).queue
    case .cancelRequested: life.isCancelled = true
    case .released:
      if life.released != nil { report(.onlyOnce, event, index, "is released twice") }
      life.released = event.time
    default: checkRun(kind, event, index, &life)
    }
  }

  private mutating func row(of id: UInt32) -> Int {
    if let row = rows[id] { return row }
    rows[id] = lives.count
    lives.append(Life())
    return lives.count - 1
  }

  /// Whether the absence of an event of this operation proves something.
  private func isFullySeen(_ life: Life) -> Bool { isWhole && life.coverage == .full }

  private mutating func checkRun(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: inout Life) {
    let id = event.subject
    switch kind {
    case .started:
      life.starts += 1
      enter(Frame(operation: id, kind: .start), event)
      if life.starts == 1, !life.isFinished { checkLimit(event, index, life) }
    case .executionBegan:
      if life.hasBegun { report(.onlyOnce, event, index, "its code begins twice") }
      if life.starts == 0, isFullySeen(life) {
        report(.missingBefore, event, index, "its code begins without `started`")
      }
      life.hasBegun = true
      enter(Frame(operation: id, kind: .code), event)
      checkDependencies(event, index, life)
    case .executionEnded:
      if life.hasEnded { report(.onlyOnce, event, index, "its code ends twice") }
      if !life.hasBegun, isFullySeen(life) {
        report(.missingBefore, event, index, "its code ends without having begun")
      }
      life.hasEnded = true
      leave(Frame(operation: id, kind: .code), event, index, life)
    case .blockBegan:
      let number = EventFields.BlockBegan(event.word1).index
      if !life.openBlocks.insert(number).inserted { report(.onlyOnce, event, index, "block \(number) begins twice") }
      if !life.hasBegun, isFullySeen(life) {
        report(.missingBefore, event, index, "block \(number) begins before the operation's code")
      }
      enter(Frame(operation: id, kind: .block(number)), event)
    case .blockEnded:
      let number = EventFields.BlockEnded(event.word1).index
      if life.openBlocks.remove(number) == nil {
        if isFullySeen(life) { report(.unmatchedEnd, event, index, "block \(number) ends without having begun") }
      } else {
        leave(Frame(operation: id, kind: .block(number)), event, index, life)
      }
    case .startReturned:
      if life.starts == 0, isFullySeen(life) {
        report(.missingBefore, event, index, "`start()` returns without `started`")
      }
      leave(Frame(operation: id, kind: .start), event, index, life)
    case .finished, .finishedWithError:
      if life.isFinished { report(.onlyOnce, event, index, "is finished twice") }
      if isFullySeen(life), !life.isAsynchronous, !life.isFinished {
        if life.starts == 0, !life.isCancelled {
          report(.missingBefore, event, index, "is finished without `started`, and was not cancelled")
        } else if life.hasBegun, !life.hasEnded {
          report(.finishedWhileRunning, event, index, "is synchronous and finished while its code runs")
        }
      }
      life.isFinished = true
      if let queue = life.queue { queues[queue]?.executing.remove(id) }
    case .finishedAgain:
      if !life.isFinished, isFullySeen(life) {
        report(.missingBefore, event, index, "is finished again without `finished`")
      }
    default: break
    }
  }

  private mutating func checkDependencies(_ event: TraceEvent, _ index: Int, _ life: Life) {
    // Where the program says itself when it is ready, it may say so too early.
    guard isFullySeen(life), !life.isCancelled, !life.overridesReady else { return }
    for other in life.dependencies {
      // A cancelled dependency counts as met; one that was never seen itself proves nothing.
      guard let dependency = rows[other].map({ lives[$0] }), dependency.coverage == .full, !dependency.isCancelled
      else { continue }
      if let finished = finishTimes[other], finished <= event.time + TraceBuilder.tolerance { continue }
      report(.startedBeforeDependency, event, index, "begins before #\(other) is finished, on which it depends")
    }
  }

  private mutating func checkLimit(_ event: TraceEvent, _ index: Int, _ life: Life) {
    guard let id = life.queue, queues[id] != nil else { return }
    queues[id]?.executing.insert(event.subject)
    guard let queue = queues[id], isWhole, queue.limit >= 0, queue.executing.count > queue.limit else { return }
    let running = queue.executing.filter { other in
      finishTimes[other].map { $0 > event.time + TraceBuilder.tolerance } ?? true
    }
    if running.count > queue.limit {
      report(
        .limitExceeded, event, index, "starts as number \(running.count) in queue q\(id), whose limit is \(queue.limit)"
      )
    }
  }

  // MARK: - Threads, queues, waits

  private mutating func enter(_ frame: Frame, _ event: TraceEvent) { stacks.enter(frame, on: event.thread.rawValue) }

  private mutating func leave(_ frame: Frame, _ event: TraceEvent, _ index: Int, _ life: Life) {
    let thread = event.thread.rawValue
    switch stacks.leave(frame, on: thread) {
    case .nowhere: break
    case .onOther(let other):
      // The code of an asynchronous operation may go on on another thread.
      guard isWhole, !life.isAsynchronous else { return }
      report(.nesting, event, index, "`\(name(event))` on thread t\(thread) of what began on thread t\(other)")
    case .left(let above):
      let inner = above.last { !(rows[$0.operation].map { lives[$0].isAsynchronous } ?? true) }
      guard let inner, inner.operation != frame.operation, isWhole else { return }
      report(
        .nesting, event, index, "`\(name(event))` while code of #\(inner.operation) still runs above it on the thread")
    }
  }

  private func name(_ event: TraceEvent) -> String { EventSpec.of(raw: event.kind)?.name ?? "?" }

  private mutating func checkQueue(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    let id = event.subject
    guard id != 0 else { return report(.valueOutOfRange, event, index, "queue q0 does not exist") }
    if kind == .queueCreated {
      if queues[id]?.isDefined == true, isWhole { report(.definedTwice, event, index, "queue q\(id) is created twice") }
      queues[id, default: QueueState()].isDefined = true
      queues[id]?.limit = Int64(EventFields.QueueCreated(event.word1).limit)
      return
    }
    if isWhole, !facts.queues.contains(id) {
      report(.undefinedQueue, event, index, "`\(kind.spec.name)` of queue q\(id), which is not defined")
    }
    switch kind {
    case .limitChanged:
      let limit = EventFields.LimitChanged(event.word1).value
      if let known = queues[id]?.limit, known >= 0, limit < 0 || limit > known { queues[id]?.limit = limit }
    case .queueWaitBegan, .queueWaitEnded: checkWait(kind, event, index, nil)
    default: break
    }
  }

  /// `life`: of the operation that is waited for; nil: a queue is.
  private mutating func checkWait(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: Life?) {
    let wait = Wait(thread: event.thread.rawValue, target: event.subject, isQueue: life == nil)
    if kind == .waitBegan || kind == .queueWaitBegan {
      openWaits[wait, default: 0] += 1
      return
    }
    let open = openWaits[wait] ?? 0
    openWaits[wait] = open > 1 ? open - 1 : nil
    guard isWhole else { return }
    if open == 0 {
      report(.unmatchedEnd, event, index, "a wait ends on thread t\(wait.thread) that did not begin there")
    } else if let life, life.coverage == .full,
      // A waiter may go on as soon as `isFinished` is true, before the operation announces it.
      min(finishTimes[event.subject] ?? .max, finishSeenTimes[event.subject] ?? .max)
        > event.time &+ TraceBuilder.tolerance
    {
      report(.waitEndedEarly, event, index, "the wait for it ends before it is finished")
    }
  }

  private mutating func checkBlocking(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: Life?) {
    // An operation that was seen in part may execute anywhere.
    let isSeen = life.map(isFullySeen) ?? false
    let problem = blocking.check(kind, event, index) { thread in
      if submissions.isKnown(event.subject) || tasks.isKnown(event.subject) { return true }
      return !isSeen || stacks.executes(event.subject, on: thread)
    }
    if let problem, isWhole { report(problem.rule, event, index, problem.text) }
  }
}
