public import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The state of a process's queues at one moment, and the doctor's findings: what a ``Watchdog``, a ``SignalReport``
/// and the errors of `withDeadlockDetection` report.
public struct QueueReport: Sendable, CustomStringConvertible {
  /// The doctor's findings, errors first; including notes, such as that an operation is still running.
  public var findings: [Finding] { doctor.findings }
  /// The worst of the findings in one word.
  public var verdict: Diagnosis.Verdict { doctor.verdict }
  /// How long no operation, no queue and no wait has changed.
  public var silence: Duration { .nanoseconds(doctor.silence) }
  /// At least one finding is a proven error.
  public var hasErrors: Bool { doctor.hasErrors }
  /// The queues with their operations, and the threads that wait, as lines of text.
  public let queues: String
  private let doctor: DoctorReport

  init(_ doctor: DoctorReport) {
    self.doctor = doctor
    queues = QueueLines(doctor.trace, now: doctor.end).text
  }

  /// The whole report: a headline, the queues, the findings, the verdict. Ends without a line end.
  public var description: String {
    let header = doctor.trace.header
    let process = "\(TextEscaping.oneLine(header.processName)) (process \(header.processID))"
    let headline = "optrace: queues of \(process), nothing has moved for \(DurationText.text(doctor.silence))"
    let text = DoctorText(doctor).text()
    return TerminalText.harmless(
      "\(headline)\n\n\(queues)\n\n\(text.hasSuffix("\n") ? String(text.dropLast()) : text)")
  }

  /// What the doctor says of some of the findings.
  func text(of findings: [Finding]) -> String {
    let text = DoctorText(doctor)
    return findings.map { text.text(of: $0) }.joined(separator: "\n\n")
  }
}

/// All queues with what is in them, and all threads that wait, the way a Java machine prints its threads.
struct QueueLines {
  private let trace: Trace
  private let now: Nanoseconds
  private let names: Names
  /// Open waits by the operation that waits.
  private let waits: [OperationID: [WaitRecord]]

  /// More operations of one state, or more queues, are only counted.
  private static let most = 20

  init(_ trace: Trace, now: Nanoseconds) {
    self.trace = trace
    self.now = now
    names = Names(trace)
    let open = trace.waits.filter { $0.ended == nil && $0.inside != nil }
    waits = Dictionary(grouping: open) { $0.inside ?? OperationID(0) }
  }

  var text: String {
    let unfinished = trace.operations.filter(\.isUnfinished)
    let byQueue = Dictionary(grouping: unfinished) { $0.queue }
    let queues = trace.queues.filter { $0.released == nil || byQueue[$0.id] != nil }
    let full = queues.filter { byQueue[$0.id] != nil }
    var blocks = full.prefix(Self.most).map { section($0, byQueue[$0.id] ?? []) }
    if full.count > Self.most { blocks.append("… and \(full.count - Self.most) more queues with operations in them") }
    let empty = queues.filter { byQueue[$0.id] == nil }
    if !empty.isEmpty {
      let shown = empty.prefix(Self.most).map { "\(names.queue($0))\(attributes($0))" }
      let rest = empty.count > Self.most ? " and \(empty.count - Self.most) more" : ""
      blocks.append("empty: \(shown.joined(separator: ", "))\(rest)")
    }
    if let alone = byQueue[.none] { blocks.append((["in no queue"] + lines(alone)).joined(separator: "\n")) }
    let waiting = trace.waits.filter { $0.ended == nil }
    if !waiting.isEmpty { blocks.append((["waiting threads"] + lines(waiting)).joined(separator: "\n")) }
    return blocks.isEmpty ? "no queue has been seen" : blocks.joined(separator: "\n\n")
  }

  private func section(_ queue: QueueRecord, _ members: [OperationRecord]) -> String {
    let counts = [OperationState.executing, .ready, .pending].compactMap { state in
      let count = members.count { $0.state == state }
      return count > 0 ? "\(count) \(state.rawValue)" : nil
    }
    return (["\(names.queue(queue))\(attributes(queue)): \(counts.joined(separator: ", "))"] + lines(members))
      .joined(separator: "\n")
  }

  /// ` (limit 2, suspended)`.
  private func attributes(_ queue: QueueRecord) -> String {
    var parts = [queue.isMain ? "main thread" : queue.limit < 0 ? "no limit" : "limit \(queue.limit)"]
    if queue.isSuspended { parts.append("suspended") }
    return " (\(parts.joined(separator: ", ")))"
  }

  private func lines(_ members: [OperationRecord]) -> [String] {
    var lines: [String] = []
    for state in [OperationState.executing, .ready, .pending] {
      let those = members.filter { $0.state == state }
      lines += those.prefix(Self.most).map { "  \(line($0))" }
      if those.count > Self.most { lines.append("  … and \(those.count - Self.most) more \(state.rawValue)") }
    }
    return lines
  }

  private func line(_ operation: OperationRecord) -> String {
    var text = "\(operation.state.rawValue) \(names.operation(operation))"
    if operation.isBarrier { text += ", barrier" }
    if operation.cancelRequested != nil { text += ", cancelled" }
    switch operation.state {
    case .executing:
      if let began = operation.started ?? operation.executionBegan { text += ", \(since(began.time))" }
      text += ", \(location(operation))"
      for wait in waits[operation.id] ?? [] { text += ", waits for \(names.target(wait)), \(since(wait.began))" }
    case .ready:
      if let ready = operation.runnable { text += ", \(since(ready))" }
    default:
      let open = operation.dependencies.filter { dependency in
        dependency.removed == nil && trace.operation(dependency.on).map { $0.finished == nil } ?? true
      }
      if !open.isEmpty { text += ", depends on \(names.operations(open.map(\.on)))" }
      if operation.queue == nil { text += ", was never enqueued" }
    }
    return text
  }

  /// Where its code runs.
  private func location(_ operation: OperationRecord) -> String {
    let blocks = operation.blocks.filter { $0.ended == nil }.map(\.thread)
    if !blocks.isEmpty { return "on " + blocks.map(names.thread).joined(separator: ", ") }
    guard operation.startReturned == nil, let began = operation.executionBegan ?? operation.started else {
      return "on no thread: start() has returned"
    }
    return "on \(names.thread(began.thread))"
  }

  private func lines(_ waits: [WaitRecord]) -> [String] {
    var lines = waits.prefix(Self.most).map { wait in
      var line = "  \(names.thread(wait.thread)) waits for \(names.target(wait)), \(since(wait.began))"
      if let inside = wait.inside { line += ", inside \(names.operation(inside))" }
      if let by = wait.lastSignal?.operation { line += ", last signalled by \(names.operation(by))" }
      return line
    }
    if waits.count > Self.most { lines.append("  … and \(waits.count - Self.most) more threads") }
    return lines
  }

  private func since(_ time: Nanoseconds) -> String { "for \(DurationText.text(max(0, now - time)))" }
}

extension OperationRecord {
  /// Known to be neither over nor gone.
  var isUnfinished: Bool {
    finished == nil && released == nil && isOutcomeKnown && coverage != .external
  }
}

/// What operations, queues and threads are called in a report; fit for a terminal, whatever a program names them.
struct Names {
  private let trace: Trace
  private let queues: [QueueID: QueueRecord]
  private let threads: [ThreadID: ThreadRecord]

  init(_ trace: Trace) {
    self.trace = trace
    queues = Dictionary(trace.queues.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    threads = Dictionary(trace.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// `'Load' (#3, App/Load.swift:12)`.
  func operation(_ operation: OperationRecord) -> String {
    let source = operation.source.map { ", \(Self.safe($0))" } ?? ""
    return "'\(Self.safe(operation.title))' (\(operation.id)\(source))"
  }

  /// `'Load' (#3)`.
  func operation(_ id: OperationID) -> String {
    trace.operation(id).map { "'\(Self.safe($0.title))' (\(id))" } ?? id.description
  }

  /// `'A' (#1), 'B' (#2) and 5 more`.
  func operations(_ ids: [OperationID], most: Int = 5) -> String {
    let shown = ids.prefix(most).map { operation($0) }.joined(separator: ", ")
    return ids.count > most ? "\(shown) and \(ids.count - most) more" : shown
  }

  func queue(_ queue: QueueRecord) -> String { queue.phrase(quoting: Self.safe) }

  func thread(_ id: ThreadID) -> String {
    guard let thread = threads[id] else { return id.description }
    if thread.isMain { return "the main thread" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : "thread \(thread.systemID) '\(Self.safe(thread.name))'"
  }

  func target(_ wait: WaitRecord) -> String {
    switch wait.target {
    case .operation(let id): operation(id)
    case .queue(let id): "\(queues[id].map(queue) ?? id.description) to be empty"
    case .object(let id): trace.object(id).map { Self.safe($0.title) } ?? id.description
    }
  }

  private static func safe(_ text: String) -> String { TextEscaping.oneLine(text, limit: 200) }
}
