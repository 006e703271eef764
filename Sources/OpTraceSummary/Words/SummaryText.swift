import OpTraceKernel
import OpTraceFormat
public import OpTraceModel
public import OpTraceText

/// A `Summary` for people: tables of figures.
public struct SummaryText: Sendable {
  /// More rows are only counted.
  private static let mostQueues = 30
  private static let mostClasses = 30
  private static let longestPath = 25
  private static let longestThreads = 16

  /// A wait that is long enough to explain.
  private static let worthANote: Nanoseconds = 1_000_000

  private let summary: Summary
  private let trace: Trace
  private let style: TextStyle
  private let titles: QueueTitles
  /// Names of more than one work of the critical path.
  private let sharedNames: Set<String>

  /// - Parameter trace: the one that `summary` is of.
  public init(_ summary: Summary, of trace: Trace, style: TextStyle = .plain) {
    self.summary = summary
    self.trace = trace
    self.style = style
    titles = QueueTitles(trace)
    let counts = Dictionary(summary.pathNames.values.lazy.map { ($0, 1) }, uniquingKeysWith: +)
    sharedNames = Set(counts.lazy.filter { $0.value > 1 }.map(\.key))
  }

  /// Ends with a line end. O(operations).
  public var text: String { text(and: []) }

  /// The same with sections of other capabilities, each with its title and a line end.
  package func text(and others: [String]) -> String {
    var parts = [head]
    parts.append(section("Queues", queues))
    parts.append(section("Classes", table(of: summary.classes, "class", "operation")))
    parts.append(section("Dispatch queues", dispatchQueues))
    parts.append(section("Blocks", table(of: summary.blocks, "block", "block")))
    parts.append(section("Tasks", tasks))
    parts.append(section("Actors", actors))
    let lines = TaskLinesText(summary: summary, style: style)
    parts.append(section("Where tasks waited", lines.waits))
    parts.append(section("After which lines tasks ran", lines.runs))
    if let time = summary.processorTime {
      let texts = ProcessorTimeText(time: time, style: style)
      parts.append(section("Processor time", texts.work))
      parts.append(section("Hot functions", texts.functions))
    }
    parts += others
    parts.append(section("Slowest operations", slowest))
    parts.append(section("Failed operations", failed))
    parts.append(section("Critical path", path))
    parts.append(section("Threads", threads))
    parts.append(section("Waits of threads", waits))
    parts.append(section("Where threads waited", locations))
    parts.append(section("Missing", missing))
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : style.paint(.strong, title) + "\n" + body
  }

  private var head: String {
    let header = trace.header
    let process = header.processName.isEmpty ? "process" : TerminalText.printable(header.processName)
    var text = header.keptSentence.map { style.paint(.strong, $0) + "\n" } ?? ""
    text += style.paint(.strong, process) + (header.processID > 0 ? " (pid \(header.processID))" : "")
    text += ": \(trace.workAmount)"
    if summary.wall > 0 { text += " in \(duration(summary.wall))" }
    if !header.isClosed, header.kept == nil {
      text += style.paint(.warning, ", not stopped: it still runs or was killed")
    }
    var states = OperationState.allCases.reversed().compactMap { state -> String? in
      guard let count = summary.states[state], count > 0 else { return nil }
      return "\(grouped(count)) \(coloured(state))"
    }
    if summary.unknown > 0 { states.append("\(grouped(summary.unknown)) recorded in part") }
    if let completeness = summary.loss.completeness(until: trace.end) { text += "\n  " + completeness }
    text += "\n" + (states.isEmpty ? "" : "  " + states.joined(separator: ", ") + "\n")
    let machine = summary.machine.map { TerminalText.wrapped($0.sentence, to: max(1, style.width - 2)) } ?? []
    return text + machine.map { "  " + style.paint(.warning, $0) + "\n" }.joined()
  }

  private func coloured(_ state: OperationState) -> String {
    switch state {
    case .finished: style.paint(.good, state.rawValue)
    case .failed: style.paint(.error, state.rawValue)
    case .cancelled, .pending, .ready, .executing: style.paint(.warning, state.rawValue)
    }
  }

  private var queues: String {
    let shown = shownQueues
    let waitsForThreads = shown.contains { $0.waitingForThread >= Self.worthANote }
    var table = TextTable(
      [
        .text("queue"), .number("limit"), .number("operations"), .number("utilisation"), .number("peak"),
        .number("running"), .number("waiting for a slot"),
      ] + (waitsForThreads ? [.number("for a thread")] : []) + [.number("for dependencies")])
    for queue in shown {
      table.add(
        [
          queueName(queue.id) + (queue.isSuspended ? " (suspended)" : ""),
          queue.limit < 0 ? "none" : grouped(queue.limit),
          grouped(queue.operations), percent(queue.utilisation), grouped(queue.peak), duration(queue.busy),
          duration(queue.waitingForSlot),
        ] + (waitsForThreads ? [duration(queue.waitingForThread)] : []) + [duration(queue.waitingForDependencies)])
    }
    var text = table.text(style)
    if summary.queues.count > shown.count {
      let operations = summary.queues.reduce(0) { $0 + $1.operations } - shown.reduce(0) { $0 + $1.operations }
      text += "  and \(grouped(summary.queues.count - shown.count)) more with \(counted(operations, "operation"))\n"
    }
    return text
  }

  /// Of many queues those with the most time in them, in the order of the trace.
  private var shownQueues: [Summary.Queue] {
    guard summary.queues.count > Self.mostQueues else { return summary.queues }
    let times = summary.queues.map {
      $0.busy &+ $0.waitingForSlot &+ $0.waitingForThread &+ $0.waitingForDependencies
    }
    let order = summary.queues.indices.sorted { (times[$0], $1) > (times[$1], $0) }
    return order.prefix(Self.mostQueues).sorted().map { summary.queues[$0] }
  }

  /// A row per class and time; a row where all is zero is left out, but not the first. Of many those that ran longest.
  private func table(of classes: [Summary.Class], _ title: String, _ word: String) -> String {
    var table = TextTable([
      .text(title), .number("count"), .text("time"), .number("total"), .number("p50"), .number("p95"),
      .number("max"),
    ])
    let shown = classes.prefix(Self.mostClasses)
    for entry in shown {
      let rows = [
        ("running", entry.running), ("of that computing", entry.computing),
        ("waiting for a slot", entry.waitingForSlot),
        ("waiting for a thread", entry.waitingForThread ?? Distribution()),
        ("waiting for dependencies", entry.waitingForDependencies),
      ]
      for (index, (name, times)) in rows.enumerated() where index == 0 || times.total > 0 {
        table.add([
          index == 0 ? entry.name : "", index == 0 ? grouped(entry.count) : "", name, duration(times.total),
          duration(times.median), duration(times.p95), duration(times.max),
        ])
      }
    }
    let rest = classes.dropFirst(shown.count)
    let count = rest.reduce(0) { $0 + $1.count }
    return table.text(style)
      + (rest.isEmpty ? "" : "  and \(grouped(rest.count)) more with \(counted(count, word))\n")
  }

  private var dispatchQueues: String {
    var table = TextTable([
      .text("dispatch queue"), .number("width"), .number("blocks"), .number("unfinished"), .number("waiting at once"),
      .number("running at once"), .number("waited p50"), .number("p95"), .number("max"), .number("ran p95"),
      .number("total"),
    ])
    let shown = summary.dispatchQueues.sorted { ($1.running.total, $0.id) < ($0.running.total, $1.id) }
      .prefix(Self.mostQueues)
    for queue in shown {
      table.add([
        queue.title, queue.width.map(grouped) ?? "none", grouped(queue.blocks), grouped(queue.unfinished),
        grouped(queue.depth), grouped(queue.peak), duration(queue.waiting.median), duration(queue.waiting.p95),
        duration(queue.waiting.max), duration(queue.running.p95), duration(queue.running.total),
      ])
    }
    let rest = summary.dispatchQueues.count - shown.count
    return table.text(style) + (rest > 0 ? "  and \(grouped(rest)) more\n" : "")
  }

  /// Suspensions by what for; a reason that no task had is left out.
  private var tasks: String {
    let reasons = TaskRecord.Reason.allCases.filter { reason in
      reason != .unknown && summary.tasks.contains { ($0.suspended[reason] ?? 0) > 0 }
    }
    var table = TextTable(
      [
        .text("task"), .number("count"), .number("unfinished"), .number("ran p50"), .number("p95"), .number("total"),
        .number("waited p50"), .number("p95"),
      ] + reasons.map { .number("for \($0.words)") })
    let shown = summary.tasks.prefix(Self.mostClasses)
    for kind in shown {
      table.add(
        [
          kind.name, grouped(kind.count), grouped(kind.unfinished), duration(kind.running.median),
          duration(kind.running.p95), duration(kind.running.total), duration(kind.waiting.median),
          duration(kind.waiting.p95),
        ] + reasons.map { duration(kind.suspended[$0] ?? 0) })
    }
    let rest = summary.tasks.dropFirst(shown.count)
    let count = rest.reduce(0) { $0 + $1.count }
    return table.text(style)
      + (rest.isEmpty ? "" : "  and \(grouped(rest.count)) more with \(counted(count, "task"))\n")
  }

  private var actors: String {
    var table = TextTable([
      .text("class"), .number("actors"), .number("waits"), .number("total"), .number("p50"), .number("p95"),
      .number("max"),
    ])
    let shown = summary.actors.prefix(Self.mostClasses)
    for one in shown {
      table.add([
        one.name.isEmpty ? "?" : one.name, grouped(one.actors), grouped(one.waiting.count), duration(one.waiting.total),
        duration(one.waiting.median), duration(one.waiting.p95), duration(one.waiting.max),
      ])
    }
    let rest = summary.actors.count - shown.count
    return table.text(style) + (rest > 0 ? "  and \(grouped(rest)) more\n" : "")
  }

  private var slowest: String {
    var table = TextTable([
      .text("operation"), .number("id"), .text("class"), .text("queue"), .text("state"), .number("running"),
      .number("waited"),
    ])
    for operation in summary.slowest {
      table.add([
        operation.name, operation.id.description, operation.className, queueName(operation.queue),
        operation.state.rawValue, duration(operation.times.running),
        duration(operation.times.total - operation.times.running),
      ])
    }
    return table.text(style)
  }

  private var failed: String {
    let operations = trace.operations.filter { $0.error != nil }
    guard !operations.isEmpty else { return "" }
    let most = 20
    // The last column, so it may be as long as it is.
    let error = TextTable.Column.text("error", widest: style.cutsTexts ? 40 : .max)
    var table = TextTable([.text("operation"), .number("id"), .text("queue"), error])
    for operation in operations.prefix(most) {
      table.add([
        operation.title, operation.id.description, queueName(operation.queue), operation.error ?? "",
      ])
    }
    let rest = operations.count - most
    return table.text(style) + (rest > 0 ? "  and \(grouped(rest)) more\n" : "")
  }

  private var path: String {
    let path = summary.criticalPath
    guard !path.steps.isEmpty else { return "" }
    var text = "  \(duration(path.total)) running of \(duration(path.wall)) (\(percent(path.share)))"
    text += ", \(duration(path.waitingForSlot)) waiting for a slot"
    if path.waitingForThread >= Self.worthANote { text += ", \(duration(path.waitingForThread)) waiting for a thread" }
    let isMixed = path.steps.contains { trace.index(of: $0.work) == nil }
    text += ", \(duration(path.waitingForDependencies)) waiting for dependencies"
    text += isMixed ? " or suspended\n" : "\n"
    var table = TextTable([
      .text(isMixed ? "work" : "operation"), .number("id"), .text("after"), .number("waited"), .number("running"),
      .number("share"),
    ])
    for step in path.steps.prefix(Self.longestPath) {
      table.add([
        summary.pathNames[step.work] ?? "", step.work.description, cause(of: step),
        waited(step), duration(step.running),
        percent(path.wall > 0 ? Double(step.running) / Double(path.wall) : 0),
      ])
    }
    text += table.text(style)
    if path.steps.count > Self.longestPath {
      text += "  and \(grouped(path.steps.count - Self.longestPath)) more steps\n"
    }
    if !path.remaining.isEmpty {
      let names = path.remaining.prefix(8).map { TerminalText.printable(summary.pathNames[$0] ?? "") + " \($0)" }
      let more = path.remaining.count - names.count
      text +=
        "  still to run: \(names.joined(separator: ", "))" + (more > 0 ? " and \(grouped(more)) more" : "") + "\n"
    }
    return text
  }

  /// Says so if most of it was for a thread.
  private func waited(_ step: CriticalPath.Step) -> String {
    let whole = step.waitingForSlot + step.waitingForThread + step.waitingForDependencies
    let isForThread = step.waitingForThread >= Self.worthANote && step.waitingForThread > whole / 2
    return duration(whole) + (isForThread ? " for a thread" : "")
  }

  private func cause(of step: CriticalPath.Step) -> String {
    switch step.cause {
    case .start: ""
    case .dependency(let id):
      (trace.index(of: id) == nil || trace.index(of: step.work) == nil ? "end of " : "dependency ") + pathName(id)
    case .slot(let id): slotWord(id, step.work) + pathName(id)
    case .submission(let id): "submitted by " + pathName(id)
    case .signal(let id): (trace.index(of: step.work) == nil ? "resumed by " : "finished by ") + pathName(id)
    }
  }

  /// With its number, where another operation of the path has the same name.
  private func pathName(_ id: WorkID) -> String {
    guard let name = summary.pathNames[id] else { return id.description }
    return sharedNames.contains(name) ? "\(name) \(id)" : name
  }

  /// Barriers count as slots but have their own words.
  private func slotWord(_ opener: WorkID, _ waiter: WorkID) -> String {
    if trace.operation(opener)?.isBarrier ?? false { return "barrier " }
    if trace.operation(waiter)?.isBarrier ?? false { return "as barrier behind " }
    return trace.block(waiter) == nil ? "slot of " : "turn after "
  }

  private var threads: String {
    var table = TextTable([.text("thread"), .number("tid"), .number("operations"), .number("busy"), .number("share")])
    for thread in summary.threads.prefix(Self.longestThreads) {
      table.add([
        name(of: thread),
        thread.systemID > 0 ? String(thread.systemID) : "", grouped(thread.operations), duration(thread.busy),
        percent(summary.wall > 0 ? Double(thread.busy) / Double(summary.wall) : 0),
      ])
    }
    let more = summary.threads.count - Self.longestThreads
    return table.text(style) + (more > 0 ? "  and \(grouped(more)) more\n" : "")
  }

  private func name(of thread: Summary.Thread) -> String {
    if trace.thread(thread.id)?.isMain == true { return "main thread" }
    return thread.name.isEmpty ? thread.id.description : thread.name
  }

  private var waits: String {
    guard !summary.waits.longest.isEmpty else { return "" }
    let areEndsKnown = summary.waits.longest.contains { !$0.ends.isEmpty }
    var table = TextTable(
      [
        .text("who"), .number("id"), .text("waited for"), .number("count"), .number("open"), .number("total"),
        .number("max"), .text("last signalled by"),
      ] + (areEndsKnown ? [.text("because of", widest: style.cutsTexts ? 64 : .max)] : []))
    for wait in summary.waits.longest {
      table.add(
        [
          wait.operationName ?? threadName(wait.thread), wait.operation?.description ?? systemID(wait.thread),
          target(wait), grouped(wait.count), grouped(wait.unfinished), duration(wait.total),
          duration(wait.max), signal(wait),
        ] + (areEndsKnown ? [wait.ends.first.map { percent($0.share) + " " + $0.words } ?? ""] : []))
    }
    let more = summary.waits.count - summary.waits.longest.reduce(0) { $0 + $1.count }
    return table.text(style) + (more > 0 ? "  and \(grouped(more)) more\n" : "")
  }

  private var locations: String {
    // The last column, so it may be as long as it is.
    let at = TextTable.Column.text("at", widest: style.cutsTexts ? 40 : .max)
    var table = TextTable([
      .number("total"), .number("max"), .number("count"), .number("open"), .text("function"), at,
    ])
    for location in summary.locations {
      table.add([
        duration(location.total), duration(location.longest), grouped(location.count), grouped(location.unfinished),
        location.code.function ?? "", location.code.lineText ?? location.code.module ?? "",
      ])
    }
    return table.text(style) + (summary.moreLocations > 0 ? "  and \(grouped(summary.moreLocations)) more\n" : "")
  }

  private func target(_ wait: Summary.Wait) -> String {
    switch wait.target {
    case .operation(let id): "\(wait.targetName) \(id)"
    case .queue(let id): trace.queue(id)?.phrase ?? id.description
    case .object: wait.targetName
    }
  }

  private func signal(_ wait: Summary.Wait) -> String {
    guard let signal = wait.lastSignal else { return "" }
    if let operation = signal.operation { return "\(wait.lastSignalName ?? "") \(operation)" }
    guard let thread = signal.thread else { return "unknown" }
    return [threadName(thread), systemID(thread)].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func threadName(_ id: ThreadID) -> String {
    guard let thread = trace.thread(id) else { return id.description }
    if thread.isMain { return "main thread" }
    return thread.name.isEmpty ? id.description : "thread \(thread.name)"
  }

  /// The threads of a pool share a name. There is one main thread.
  private func systemID(_ id: ThreadID) -> String {
    guard let thread = trace.thread(id), !thread.isMain, thread.systemID > 0 else { return "" }
    return String(thread.systemID)
  }

  private var missing: String {
    let loss = summary.loss
    var lines = loss.lost.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\(counted($0.value, "record")): \($0.key.explanation)" }
    if let larger = trace.largerRing {
      lines.append("the ring is too small for \(counted(trace.threads.count, "thread")): use \(larger) or more")
    }
    if loss.isDamaged {
      let bytes = loss.damage.reduce(UInt64(0)) { $0 &+ $1.skippedBytes }
      lines.append("\(counted(bytes, "byte")) in \(counted(loss.damage.count, "damaged part"))")
    }
    if loss.overwrittenBytes > 0 {
      lines.append("\(counted(loss.overwrittenBytes, "byte")) replaced by newer records")
    }
    let unknown = loss.unknownKinds.values.reduce(0, +)
    if unknown > 0 { lines.append("\(counted(unknown, "record")) of a newer OpTrace") }
    if let sentence = trace.unknownWaitsSentence {
      lines += TerminalText.wrapped(sentence, to: max(1, style.width - 2))
    }
    return lines.map { "  \($0)\n" }.joined()
  }

  private func queueName(_ id: QueueID?) -> String {
    id.map { trace.queue($0).map(titles.title) ?? $0.description } ?? ""
  }
}

extension TaskRecord.Reason {
  /// What a task waits for, in a table.
  fileprivate var words: String {
    switch self {
    case .unknown: "not known"
    case .task: "tasks"
    case .continuation: "continuations"
    case .group: "groups"
    case .executor: "executors"
    case .sleep: "sleep"
    }
  }
}
