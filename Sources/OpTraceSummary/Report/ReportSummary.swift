import OpTraceKernel
import OpTraceModel
import OpTracePageParts
import OpTraceText

/// Writes what a run was slow for into a report's data. `why-data.mjs` reads it.
///
/// References to work and threads are by id, which stays the same while a page grows.
struct ReportSummary {
  private let summary: Summary
  private let titles: QueueTitles
  /// From the first to the last thing that went on when the summary was made.
  private let activity: ClosedRange<Nanoseconds>?
  private let trace: Trace

  init(_ summary: Summary, _ activity: ClosedRange<Nanoseconds>?, _ trace: Trace) {
    self.summary = summary
    self.activity = activity
    self.trace = trace
    titles = QueueTitles(trace)
  }

  /// Writes the figures, and the critical path as tables. O(figures + steps).
  func write(to writer: ByteWriter) {
    writer.text("{\"facts\":")
    facts.write(to: writer, level: nil)
    for table in [steps, remaining] {
      writer.text(",\n")
      table.write(to: writer)
    }
    writer.text("}")
  }

  private var facts: JSONValue {
    .members([
      "wall": .integer(Int(summary.wall)),
      "before": .integer(Int(before)), "after": .integer(Int(after)),
      "causes": .array(StepCause.allCases.map { .string("\($0)") }),
      "queues": .array(summary.queues.map(queue)),
      "dispatchQueues": .array(summary.dispatchQueues.map(queue)),
      "classes": .array(summary.classes.map(\.report)),
      "functions": .array(summary.blocks.map(\.report)),
      "tasks": .array(summary.tasks.map(\.report)),
      "threads": .array(
        summary.threads.map {
          .members([
            "id": .integer(Int($0.id.rawValue)), "executions": .integer($0.operations), "busy": .integer(Int($0.busy)),
          ])
        }),
      "threadWaits": .array(summary.waits.longest.map(wait)),
      "places": .array(summary.locations.map(\.report)),
      "processorTime": .optional(summary.processorTime, \.report),
    ])
  }

  // MARK: - The critical path

  /// Why a step of the critical path began when it did.
  private enum StepCause: Int, CaseIterable {
    case start, dependency, slot, submission, signal

    init(_ cause: CriticalPath.Cause) {
      switch cause {
      case .start: self = .start
      case .dependency: self = .dependency
      case .slot: self = .slot
      case .submission: self = .submission
      case .signal: self = .signal
      }
    }
  }

  /// The time before the first step, and after the last one, in which something was going on.
  private var before: Nanoseconds {
    guard let first = summary.criticalPath.steps.first, let activity else { return 0 }
    return first.began - activity.lowerBound
  }
  private var after: Nanoseconds {
    guard let last = summary.criticalPath.steps.last, let activity else { return 0 }
    return activity.upperBound - last.ended
  }

  private var steps: TableEncoder {
    var steps = TableEncoder(
      "steps", ColumnEncoder("work"), ColumnEncoder("cause"), ColumnEncoder("causeWork"), ColumnEncoder("began", .time),
      ColumnEncoder("ended", base: "began", .time), ColumnEncoder("dependencies", .time), ColumnEncoder("slot", .time),
      ColumnEncoder("running", .time), ColumnEncoder("thread", .time))
    for step in summary.criticalPath.steps {
      steps.append([
        Int(step.work.rawValue), StepCause(step.cause).rawValue, step.cause.work.map { Int($0.rawValue) },
        Int(step.began), Int(step.ended), Int(step.waitingForDependencies), Int(step.waitingForSlot),
        Int(step.running), Int(step.waitingForThread),
      ])
    }
    return steps
  }

  private var remaining: TableEncoder {
    var remaining = TableEncoder("remaining", ColumnEncoder("work"))
    for id in summary.criticalPath.remaining { remaining.append([Int(id.rawValue)]) }
    return remaining
  }

  // MARK: - Figures

  private func queue(_ queue: Summary.Queue) -> JSONValue {
    .members([
      "name": .string(trace.queue(queue.id).map { titles.title(of: $0) } ?? queue.name),
      "limit": .integer(queue.limit), "isSuspended": .bool(queue.isSuspended),
      "operations": .integer(queue.operations), "peak": .integer(queue.peak),
      "busy": .integer(Int(queue.busy)), "utilisation": .number(queue.utilisation),
      "waitingForDependencies": .integer(Int(queue.waitingForDependencies)),
      "waitingForSlot": .integer(Int(queue.waitingForSlot)),
      "waitingForThread": .integer(Int(queue.waitingForThread)),
    ])
  }

  private func queue(_ queue: Summary.DispatchQueue) -> JSONValue {
    .members([
      "name": .string(trace.dispatchQueue(queue.id).map(titles.title(of:)) ?? queue.title),
      "limit": .integer(queue.width ?? -1), "blocks": .integer(queue.blocks), "unfinished": .integer(queue.unfinished),
      "depth": .integer(queue.depth), "peak": .integer(queue.peak),
      "waiting": queue.waiting.report, "running": queue.running.report,
    ])
  }

  private func wait(_ wait: Summary.Wait) -> JSONValue {
    .members([
      "operation": .optional(wait.operation) { .integer(Int($0.rawValue)) },
      "thread": .integer(Int(wait.thread.rawValue)),
      "target": .string(wait.targetName), "count": .integer(wait.count), "unfinished": .integer(wait.unfinished),
      "total": .integer(Int(wait.total)), "max": .integer(Int(wait.max)),
    ])
  }
}

extension Summary.WaitLocation {
  fileprivate var report: JSONValue {
    .members([
      "function": .string(code.function ?? ""), "at": .string(code.lineText ?? code.module ?? ""),
      "count": .integer(count), "unfinished": .integer(unfinished),
      "total": .integer(Int(total)), "longest": .integer(Int(longest)),
    ])
  }
}

extension Summary.Class {
  fileprivate var report: JSONValue {
    .members([
      "name": .string(name), "count": .integer(count), "waitingForDependencies": waitingForDependencies.report,
      "waitingForSlot": waitingForSlot.report, "waitingForThread": (waitingForThread ?? Distribution()).report,
      "running": running.report,
    ])
  }
}

extension Summary.TaskKind {
  fileprivate var report: JSONValue {
    .members([
      "name": .string(name), "count": .integer(count), "unfinished": .integer(unfinished),
      "cancelled": .integer(cancelled), "running": running.report, "waiting": waiting.report,
      "suspended": .object(TaskRecord.Reason.allCases.map { .init("\($0)", .integer(Int(suspended[$0] ?? 0))) }),
    ])
  }
}

extension Distribution {
  fileprivate var report: JSONValue {
    .members([
      "count": .integer(count), "total": .integer(Int(total)), "median": .integer(Int(median)),
      "p95": .integer(Int(p95)), "max": .integer(Int(max)),
    ])
  }
}

extension Summary.ProcessorTime {
  /// The processor time as JSON, with times in nanoseconds.
  fileprivate var report: JSONValue {
    .members([
      "samples": .integer(samples),
      "sampled": .integer(Int(sampled)),
      "share": .optional(share) { .number($0) },
      "functions": .array(
        functions.map {
          .members([
            "function": .string($0.name), "at": .string($0.lineText ?? $0.module ?? ""),
            "own": .integer(Int($0.own)), "total": .integer(Int($0.total)),
          ])
        }),
      "work": .array(
        work.map {
          .members([
            "kind": .string($0.kind), "name": .string($0.name),
            "running": .optional($0.running) { .integer(Int($0)) },
            "used": .integer(Int($0.used)), "function": .string($0.function ?? ""),
          ])
        }),
    ])
  }
}
