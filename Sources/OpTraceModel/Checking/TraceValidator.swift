import OpTraceFormat

/// Checks that a trace keeps the rules of the format and of the state machine: ids are defined; what may happen once
/// happens once and in order; code nests on its thread; nothing runs before its dependencies are finished or beyond its
/// queue's limit.
///
/// Misuse by the program that a recorder notes as such (a second `finish()`, an operation enqueued twice) breaks no
/// rule here; the doctor reports it. If events are missing (loss, damage, a ring that wrapped around), rules that rest
/// on the absence of an event are not applied. Contradictions within the clocks' error are not reported.
public struct TraceValidator {
  let header: TraceHeader
  let strings: [UInt32: String]
  /// The number of events in earlier pieces.
  var eventsBefore = 0
  /// Whether nothing is missing, so that what was not seen did not happen.
  let isWhole: Bool
  var violations: [Violation] = []
  var lives: [Life] = []
  var rows: IndexTable
  var queues: [UInt32: QueueState] = [:]
  var namedThreads: [UInt32: UInt32] = [:]
  var firstEventOfThread: [UInt32: (event: TraceEvent, index: Int)] = [:]
  /// The thread and row of the last event, because usually the next event has the same.
  var lastThread: UInt32?
  var stacks = CodeStacks()
  var openWaits: [Wait: Int] = [:]
  var blocking = BlockingRules()
  var submissions: SubmissionRules
  var tasks = TaskRules()
  var loops = LoopRules()
  var openSpans: Set<UInt32> = []
  let finishTimes: FirstTimes
  /// When an operation first said that it has finished, if that was before it announced it.
  let finishSeenTimes: FirstTimes

  /// What was seen of one operation so far.
  struct Life {
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

  struct QueueState {
    var isDefined = false
    /// The largest limit so far: operations that got their slot before the limit was lowered may start later.
    var limit: Int64 = -1
    var executing: Set<UInt32> = []
  }

  typealias Frame = CodeStacks.Frame

  let facts: ValidationFacts
  let screen: FieldScreen

  struct Wait: Hashable {
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

  /// Adds events that come after all those added before. The rules do not look at texts.
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

  mutating func report(_ rule: Violation.Rule, _ event: TraceEvent, _ index: Int, _ text: String) {
    let spec = EventSpec.of(raw: event.kind)
    let operation = spec?.subject == .operation && event.subject != 0 ? OperationID(event.subject) : nil
    violations.append(Violation(rule: rule, event: index + 1, time: event.time, operation: operation, text: text))
  }

  mutating func check(_ event: TraceEvent, _ index: Int) {
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
    case .thread where kind == .threadNamed:
      // A thread records its name more than once, because it may have got a new one.
      let systemID = EventFields.ThreadNamed(event.word1).tid
      if let known = namedThreads.updateValue(systemID, forKey: event.subject), known != systemID {
        report(.definedTwice, event, index, "thread t\(event.subject) has the system ids \(known) and \(systemID)")
      }
    case .thread:
      if isWhole, !facts.threads.contains(event.subject) {
        report(.undefinedThread, event, index, "thread t\(event.subject) is not defined")
      }
      if kind == .loopTurn, let problem = loops.check(event), isWhole {
        report(.nesting, event, index, "a turn of the loop of thread t\(event.subject) \(problem)")
      }
    case .span: checkSpan(kind, event, index)
    case .reason:
      if LossReason(rawValue: event.subject) == nil {
        report(.valueOutOfRange, event, index, "reason of loss \(event.subject) does not exist")
      }
    case .frame:
      // The frame of a sample is 0 if there was no room for its stack.
      let isSample =
        kind == .sampled || kind == .sampledInKernel || kind == .allocated
        || kind == .allocationLives
      if kind != .frame, isWhole, !(isSample && event.subject == 0), !facts.frames.contains(event.subject) {
        report(.undefinedFrame, event, index, "frame f\(event.subject) is not defined")
      }
    case .allocation:
      if event.subject == 0 { report(.valueOutOfRange, event, index, "allocation a0 does not exist") }
    case .none, .string, .image, .dispatch: break
    }
  }

  /// Checks an event of a span. Its attributes may be written by another thread than its begin or end.
  private mutating func checkSpan(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    let span = event.subject
    if kind == .spanEnded {
      if openSpans.remove(span) == nil, isWhole {
        report(.unmatchedEnd, event, index, "span s\(span) ends without having begun")
      }
      return
    }
    guard isWhole else { return }
    if !facts.spans.contains(span) {
      report(.missingBefore, event, index, "`\(kind.spec.name)` of span s\(span), which never begins")
    }
    let other =
      switch kind {
      case .spanContext: EventFields.SpanContext(event.word1, event.word2).parent
      case .spanLink: EventFields.SpanLink(event.word1).to
      default: 0 as UInt32
      }
    if other != 0, !facts.spans.contains(other) {
      report(.missingBefore, event, index, "`\(kind.spec.name)` names span s\(other), which never begins")
    }
  }

  mutating func checkBlock(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    guard event.subject != 0 else { return report(.valueOutOfRange, event, index, "block #0 does not exist") }
    let problems = submissions.check(kind, event)
    guard isWhole else { return }
    for problem in problems { report(problem.rule, event, index, problem.text) }
  }

  mutating func checkTask(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    guard event.subject != 0 else { return report(.valueOutOfRange, event, index, "task #0 does not exist") }
    let problems = tasks.check(kind, event)
    guard isWhole else { return }
    for problem in problems { report(problem.rule, event, index, problem.text) }
  }

  func isDefined(_ meaning: EventSpec.Field.Meaning, _ id: UInt32) -> Bool {
    meaning == .frame ? facts.frames.contains(id) : facts.images.contains(id)
  }

  // MARK: - Fields

  mutating func checkFields(_ spec: EventSpec, _ event: TraceEvent, _ index: Int) {
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
      case .flag, .age, .systemThread, .lock, .allocation: break
      }
    }
  }

  mutating func checkEnd() {
    guard isWhole else { return }
    // Two threads write the begin and the end of a long wait, and the process may have been killed in between.
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

}
