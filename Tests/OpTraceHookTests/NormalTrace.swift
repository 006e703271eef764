import OpTraceFormat
import OpTraceModel

/// A trace without what differs between runs and ways of recording: times, numbers, thread ids, releases,
/// single blocks, the return of `start()` (nothing waits for it), and the names of our own and Foundation's classes.
struct NormalTrace {
  let trace: Trace

  var lines: [String] { queues + operations + waits }

  private var queues: [String] {
    trace.queues.map { queue in
      // Limits that were set before the first operation count as the initial limit.
      let first = trace.operations.compactMap { $0.queue == queue.id ? $0.enqueued?.time : nil }.min() ?? .max
      let changes = queue.changes.compactMap { change -> String? in
        switch change.kind {
        case .limit(let limit): change.time < first ? nil : "limit \(limit)"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .cancelledAll: "cancels all"
        }
      }
      let quality = queue.quality == .default ? "" : ", \(queue.quality)"
      return (["queue \(name(queue.id)), limit \(queue.limit)\(quality)"] + changes).joined(separator: ", ")
    }.sorted()
  }

  private var operations: [String] {
    trace.operations.map { operation in
      var words = [name(operation)]
      if !Self.commonClasses.contains(operation.className) { words.append(operation.className) }
      // A class with its own `start` and `isFinished` counts as asynchronous, even if it only calls Foundation's.
      if operation.isAsynchronous, operation.className != "Everything" { words.append("asynchronous") }
      if operation.isBarrier { words.append("barrier") }
      if operation.priority != 0 { words.append("priority \(operation.priority)") }
      if operation.quality != .default { words.append("\(operation.quality)") }
      if let queue = operation.queue { words.append("in \(name(queue))") }
      for edge in operation.dependencies.map({ edge in
        "after \(name(edge.on))\(edge.removed == nil ? "" : " (taken away)")"
      }).sorted() {
        words.append(edge)
      }
      return words.joined(separator: ", ") + ": " + states(operation).joined(separator: ", ")
    }.sorted()
  }

  /// In order of time, each with the kind of thread.
  private func states(_ operation: OperationRecord) -> [String] {
    let states: [(String, Stamp?)] = [
      ("enqueued", operation.enqueued), ("ready", operation.ready), ("cancel", operation.cancelRequested),
      ("started", operation.started), ("began", operation.executionBegan), ("ended", operation.executionEnded),
      ("finished", operation.finished), ("its completion is queued", operation.completion?.queued),
      ("that begins", operation.completion?.began),
    ]
    let seen = states.enumerated().compactMap { index, state in state.1.map { (index, state.0, $0) } }
    return seen.sorted { ($0.2.time, $0.0) < ($1.2.time, $1.0) }.map { "\($0.1) \(thread($0.2.thread))" }
  }

  private var waits: [String] {
    trace.waits.filter { !isPartOfAnother($0) }.compactMap { wait in
      let target: String
      switch wait.target {
      case .operation(let id): target = name(id)
      case .queue(let id): target = "queue \(name(id))"
      // The programs hold their threads with semaphores, which only some ways record.
      case .object: return nil
      }
      let inside = wait.inside.map { " inside \(name($0))" } ?? ""
      return "wait \(thread(wait.thread))\(inside) for \(target)\(wait.ended == nil ? ", not over" : "")"
    }.sorted()
  }

  /// Foundation waits for a queue by waiting for each of its unfinished operations.
  private func isPartOfAnother(_ wait: WaitRecord) -> Bool {
    guard case .operation = wait.target else { return false }
    return trace.waits.contains { other in
      guard case .queue = other.target, other.thread == wait.thread else { return false }
      return other.began <= wait.began && wait.began <= other.ended ?? .max
    }
  }

  private func thread(_ id: ThreadID) -> String { trace.thread(id)?.isMain == true ? "main" : "other" }
  private func name(_ operation: OperationRecord) -> String { operation.name.map { "\"\($0)\"" } ?? "unnamed" }
  private func name(_ id: OperationID) -> String { trace.operation(id).map { name($0) } ?? "none" }
  private func name(_ id: QueueID) -> String {
    trace.queue(id).map { $0.isMain ? "main" : "\"\($0.name)\"" } ?? "none"
  }

  /// Classes that have the same name in all programs.
  private static let commonClasses: Set = [
    "TracedBlockOperation", "BlockOperation", "TracedAsyncOperation", "AsyncWork",
  ]
}

/// What must hold in each trace of a program that ended normally.
func faults(_ events: TraceEvents, _ trace: Trace) -> [String] {
  var faults = TraceValidator.check(events).map(\.description)
  if !trace.header.isClosed { faults.append("the trace is not closed") }
  if trace.loss != LossReport() { faults.append("something is missing: \(trace.loss)") }
  for operation in trace.operations where operation.started != nil && operation.coverage != .full {
    faults.append("\(operation.title) ran, and its coverage is \(operation.coverage)")
  }
  return faults + repetitions(events)
}

/// Events that are recorded twice but happen once.
func repetitions(_ events: TraceEvents) -> [String] {
  let once: Set<EventKind> = [
    .operationCreated, .enqueued, .started, .executionBegan, .executionEnded, .finished, .finishedAgain, .startReturned,
    .cancelRequested, .released,
  ]
  var seen: Set<UInt64> = []
  var faults: [String] = []
  for event in events {
    guard let kind = EventKind(rawValue: event.kind), once.contains(kind) else { continue }
    // An operation that was only named as a dependency is described again when the recorder meets it.
    if kind == .operationCreated, event.word1 >> 16 & 0xF == UInt64(Coverage.external.rawValue) { continue }
    if !seen.insert(UInt64(event.subject) << 8 | UInt64(event.kind)).inserted {
      faults.append("`\(kind.spec.name)` of #\(event.subject) is there again")
    }
  }
  return faults
}

/// How a text differs from the expected one, line by line.
func difference(_ found: [String], _ expected: [String]) -> [String] {
  found.difference(from: expected).map { change in
    switch change {
    case .remove(_, let line, _): "missing: \(line)"
    case .insert(_, let line, _): "found:   \(line)"
    }
  }
}
