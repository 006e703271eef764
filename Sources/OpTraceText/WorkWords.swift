import OpTraceKernel
public import OpTraceModel

// Words that the timeline, the graph and the report share.

extension TaskRecord.Way {
  /// Nil of what most do.
  package var words: String? {
    switch self {
    case .unstructured: nil
    case .detached: "detached"
    case .groupChild: "child in a group"
    case .asyncLet: "async let"
    }
  }
}

extension TaskRecord {
  /// Above all tasks, where queues are named.
  package static let groupTitle = "Swift tasks"

  package static let priorityNames: KeyValuePairs<UInt8, String> = [
    33: "user interactive", 25: "high", 21: "medium", 17: "low", 9: "background",
  ]

  /// As Swift calls it; else its number.
  package var priorityText: String {
    Self.priorityNames.first { $0.key == priority }?.value ?? String(priority)
  }
}

extension BlockRecord.Way {
  /// Nil of what most do.
  package func words(isInGroup: Bool) -> String? {
    let way: String? =
      switch self {
      case .async: nil
      case .barrier: "barrier"
      case .after: "after a time"
      case .notify: "when a group is empty"
      case .sync: "waited for"
      }
    return isInGroup ? way.map { "\($0), in a group" } ?? "in a group" : way
  }
}

extension BlockRecord {
  /// Its state when the trace ends.
  package enum End {
    case waits, runs, ran, cancelled, dropped

    /// Nil where the picture shows it.
    package var words: String? {
      switch self {
      case .waits, .runs, .ran: nil
      case .cancelled: "cancelled before it ran"
      case .dropped: "dropped: it will not run"
      }
    }
  }

  package var end: End {
    if began != nil { return ended == nil ? .runs : .ran }
    if cancelRequested != nil { return .cancelled }
    return dropped == nil ? .waits : .dropped
  }
}

extension TaskRecord {
  /// What it does until its first run where nobody has heard that it was enqueued.
  package static let wordsBeforeItsFirstRun = "waits for its first run"

  /// What it does when the trace ends before its first run, or until then.
  package var wordsBeforeItsFirstRun: String { actor?.words ?? Self.wordsBeforeItsFirstRun }
}

extension TaskRecord.WaitedActor {
  /// "waits for actor Printer 3".
  package var words: String { "waits for \(title)" }
}

extension TaskRecord.Suspension {
  /// "waits for fetch(_:) #12", "sleeps": what the task does meanwhile.
  package func words(in trace: Trace) -> String {
    switch reason {
    case .unknown: return "is suspended"
    case .task:
      guard let awaited else { return "waits for a task" }
      return "waits for " + (trace.task(awaited).map { "\($0.title) \(awaited)" } ?? "task \(awaited)")
    case .continuation: return "waits for a continuation"
    case .group: return "waits for a child"
    case .executor: return actor?.words ?? "goes to another executor"
    case .sleep: return "sleeps"
    }
  }
}

extension ThreadRecord {
  /// The system's id goes into the name: viewers sort by the id that they are given. The main thread is called that: the
  /// system calls it by the program, and cuts that after 15 bytes.
  package var timelineName: String {
    let system = systemID == 0 ? "" : " · \(systemID)"
    if isMain { return "main thread" + system }
    return (name.isEmpty ? id.description : name) + system
  }
}

extension Trace {
  /// How much there is of each kind of work: `3 operations and 12 blocks`. Without any, `0 operations`.
  public var workAmount: String {
    let kinds = [(operations.count, "operation"), (blocks.count, "block"), (tasks.count, "task")].filter { $0.0 > 0 }
    let parts = kinds.map { counted($0.0, $0.1) }
    return parts.isEmpty ? "0 operations" : listed(parts)
  }
}

/// `a`, `a and b`, `a, b and c`.
package func listed(_ parts: [String]) -> String {
  guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
  return parts.dropLast().joined(separator: ", ") + " and " + last
}

extension Trace {
  /// Says that it is not known what tasks waited for; nil: it is known. O(tasks).
  package var unknownWaitsSentence: String? {
    // Reading stops at the first that does not fit, so all later ones are unknown.
    let unknown = tasks.count { $0.suspensions.contains { $0.reason == .unknown } }
    guard unknown > 0 else { return nil }
    let part = unknown == tasks.count ? "" : "\(grouped(unknown)) of "
    return
      "What \(part)the \(counted(tasks.count, "task")) waited for, and where, is not known: this version of OpTrace "
      + "does not know the layout of the program's Swift runtime."
  }
}
