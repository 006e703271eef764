import OpTraceDoctor
import OpTraceSummary
import OpTraceTimeline
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The small part of a report's data: what ran, the verdict, the findings, the figures. `model.mjs` reads it.
struct ReportDocument {
  let trace: Trace
  let doctor: DoctorReport
  let summary: Summary
  let timeline: Timeline
  let names: ReportNames
  let titles: QueueTitles
  let graphNote: String?
  let whatIf: JSONValue?
  let comparison: JSONValue?
  let calls: [ReportCall]

  var json: JSONValue {
    .members([
      "process": process,
      "end": .integer(Int(trace.end)),
      "origin": .integer(Int(timeline.origin)),
      "wall": .integer(Int(summary.wall)),
      "activity": .optional(trace.activity) { .array([.integer(Int($0.lowerBound)), .integer(Int($0.upperBound))]) },
      "counts": .members([
        "operations": .integer(trace.operations.count), "queues": .integer(trace.queues.count),
        "threads": .integer(summary.threads.count), "events": .integer(trace.eventCount),
        "blocks": .integer(trace.blocks.count), "dispatchQueues": .integer(summary.dispatchQueues.count),
        "tasks": .integer(trace.tasks.count),
      ]),
      "kinds": .array(
        WorkKind.allCases.map {
          .members(["word": .string($0.word), "first": .integer($0.first(in: trace))])
        }),
      "pieceKinds": .array(ReportPieceKind.words.map { .string($0) }),
      "stateWords": .array(ReportState.words.map { .string($0) }),
      "enumerations": ReportEnumerations.json,
      "verdict": .members([
        "word": .string(doctor.verdict.rawValue), "hasErrors": .bool(doctor.hasErrors),
        "sentence": .string(doctor.sentence), "answer": .string(doctor.answer),
      ]),
      "loss": .members([
        "isComplete": .bool(trace.loss.isComplete), "sentence": .optional(doctor.lossSentence) { .string($0) },
      ]),
      "graphNote": .optional(graphNote) { .string($0) },
      "groups": .array(
        timeline.groups.map { group in
          .members([
            "name": .string(group.name), "kind": .string(group.kind.word),
            "queue": .optional(group.scheduler.flatMap { names.queueRows[$0] }) { .integer($0) },
          ])
        }),
      "waitsWithoutLane": .integer(timeline.counts.waitsWithoutLane),
      "tasksWithoutLane": .integer(timeline.counts.tasksWithoutLane),
      "threads": .array(threadList),
      "queues": .array(queues),
      "classes": .array(summary.classes.map(\.report)),
      "functions": .array(summary.blocks.map(\.report)),
      "tasks": .array(summary.tasks.map(\.report)),
      "threadWaits": .array(summary.waits.longest.map(wait)),
      "places": .array(
        summary.locations.map { location in
          .members([
            "function": .string(location.code.function ?? ""),
            "at": .string(location.code.lineText ?? location.code.module ?? ""),
            "count": .integer(location.count), "unfinished": .integer(location.unfinished),
            "total": .integer(Int(location.total)), "longest": .integer(Int(location.longest)),
          ])
        }),
      // This is the number of nanoseconds that one sample stands for.
      "samplePeriod": .optional(trace.profile) { .integer(Int($0.period)) },
      "processorTime": .optional(summary.processorTime, \.report),
      "findings": .array(doctor.findings.map(finding)),
      "foresight": whatIf ?? .null,
      "comparison": comparison ?? .null,
      "spanCalls": calls.isEmpty ? .null : .array(calls.map { $0.json(trace) }),
    ])
  }

  private var process: JSONValue {
    .members([
      "name": .string(trace.header.processName),
      "id": .integer(Int(trace.header.processID)),
      "started": trace.header.startWall > 0 ? .string(utcText(trace.header.startWall)) : .null,
      "mode": .string(trace.header.mode.rawValue),
      "isClosed": .bool(trace.header.isClosed),
      "writer": .string(trace.header.writerVersion),
      "kept": .optional(trace.header.keptSentence) { .string($0) },
    ])
  }

  private var threadList: [JSONValue] {
    var busy: [ThreadID: Summary.Thread] = [:]
    for thread in summary.threads { busy[thread.id] = thread }
    return names.threads.map { thread in
      .members([
        "name": .string(thread.timelineName), "systemId": .integer(Int(thread.systemID)),
        "isMain": .bool(thread.isMain),
        "executions": .integer(busy[thread.id]?.operations ?? 0), "busy": .integer(Int(busy[thread.id]?.busy ?? 0)),
      ])
    }
  }

  /// The queues by their rows. A queue that is younger than the summary only has a name; its figures come with the next
  /// summary.
  private var queues: [JSONValue] {
    var queues = [JSONValue](
      repeating: .members(["name": .string(""), "hasName": .bool(false)]), count: names.queueRows.count)
    for queue in summary.queues {
      if let row = names.queueRows[.queue(queue.id)] { queues[row] = self.queue(queue) }
    }
    for queue in summary.dispatchQueues {
      if let row = names.queueRows[.dispatchQueue(queue.id)] { queues[row] = self.queue(queue) }
    }
    return queues
  }

  private func queue(_ queue: Summary.Queue) -> JSONValue {
    .members([
      "name": .string(trace.queue(queue.id).map { titles.title(of: $0) } ?? queue.name),
      "hasName": .bool(trace.queue(queue.id)?.title == queue.name), "limit": .integer(queue.limit),
      "isSuspended": .bool(queue.isSuspended), "operations": .integer(queue.operations), "peak": .integer(queue.peak),
      "busy": .integer(Int(queue.busy)), "utilisation": .number(queue.utilisation),
      "waitingForDependencies": .integer(Int(queue.waitingForDependencies)),
      "waitingForSlot": .integer(Int(queue.waitingForSlot)),
      "waitingForThread": .integer(Int(queue.waitingForThread)),
    ])
  }

  private func queue(_ queue: Summary.DispatchQueue) -> JSONValue {
    let record = trace.dispatchQueue(queue.id)
    return .members([
      "name": .string(record.map(titles.title(of:)) ?? queue.title), "isDispatch": .bool(true),
      "hasName": .bool(!queue.label.allSatisfy(\.isWhitespace)), "limit": .integer(queue.width ?? -1),
      "isSuspended": .bool(false), "operations": .integer(queue.blocks), "unfinished": .integer(queue.unfinished),
      "depth": .integer(queue.depth), "peak": .integer(queue.peak), "busy": .integer(Int(queue.running.total)),
      "waitingForDependencies": .integer(0), "waitingForSlot": .integer(Int(queue.waiting.total)),
      "waitingForThread": .integer(0),
      "waiting": queue.waiting.report, "running": queue.running.report,
    ])
  }

  private func wait(_ wait: Summary.Wait) -> JSONValue {
    .members([
      "operation": .optional(wait.operation.flatMap { trace.workIndex(of: $0) }) { .integer($0) },
      "thread": .optional(names.threads.firstIndex { $0.id == wait.thread }) { .integer($0) },
      "target": .string(wait.targetName), "count": .integer(wait.count), "unfinished": .integer(wait.unfinished),
      "total": .integer(Int(wait.total)), "max": .integer(Int(wait.max)),
    ])
  }

  private func finding(_ finding: Finding) -> JSONValue {
    func rows(_ ids: [WorkID]) -> JSONValue { .array(ids.compactMap(trace.workIndex(of:)).map { .integer($0) }) }
    return .members([
      "code": .string(finding.code.rawValue), "severity": .string(finding.severity.rawValue),
      "isProven": .bool(finding.isProven),
      "title": .string(finding.title), "explanation": .string(finding.explanation), "fix": .string(finding.fix),
      "rows": rows(finding.operations), "cycle": rows(finding.cycle),
      "queues": .array(finding.queues.compactMap { names.queueRows[.queue($0)] }.map { .integer($0) }),
      "behind": .integer(finding.behind),
      "evidence": .array(
        finding.evidence.map { evidence in
          .members([
            "time": .optional(evidence.time) { .integer(Int($0)) },
            "thread": .optional(evidence.thread.flatMap { id in names.threads.firstIndex { $0.id == id } }) {
              .integer($0)
            },
            "text": .string(evidence.text),
          ])
        }),
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
      "p95": .integer(Int(p95)),
      "max": .integer(Int(max)),
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
            "function": .string($0.name),
            "at": .string($0.lineText ?? $0.module ?? ""),
            "own": .integer(Int($0.own)), "total": .integer(Int($0.total)),
          ])
        }),
      "work": .array(
        work.map {
          .members([
            "kind": .string($0.kind), "name": .string($0.name),
            "running": .optional($0.running) { .integer(Int($0)) },
            "used": .integer(Int($0.used)),
            "function": .string($0.function ?? ""),
          ])
        }),
    ])
  }
}
