import OpTraceDoctor
import OpTracePageParts
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The small part of a report's data: what ran, the verdict, the findings, the figures. `model.mjs` reads it.
struct ReportDocument {
  let trace: Trace
  let doctor: DoctorReport
  let lanes: PageLanes
  let names: ReportNames
  let titles: QueueTitles
  let whatIf: JSONValue?
  let comparison: JSONValue?
  let calls: [ReportCall]

  var json: JSONValue {
    let activity = trace.activity
    return .members([
      "process": process,
      "end": .integer(Int(trace.end)),
      "origin": .integer(Int(lanes.origin)),
      "wall": .integer(activity.map { Int($0.upperBound - $0.lowerBound) } ?? 0),
      "activity": .optional(activity) { .array([.integer(Int($0.lowerBound)), .integer(Int($0.upperBound))]) },
      "counts": .members([
        "operations": .integer(trace.operations.count), "queues": .integer(trace.queues.count),
        "threads": .integer(threadsOfOperations), "events": .integer(trace.eventCount),
        "blocks": .integer(trace.blocks.count), "dispatchQueues": .integer(trace.usedDispatchQueues.count),
        "tasks": .integer(trace.tasks.count),
      ]),
      "kinds": .array(
        WorkKind.allCases.map {
          .members(["word": .string($0.word), "first": .integer($0.first(in: trace))])
        }),
      "pieceKinds": .array(ReportPieceKind.words.map { .string($0) }),
      "stateWords": .array(ReportState.words.map { .string($0) }),
      "enumerations": ReportEnumerations.json(lanes),
      "verdict": .members([
        "word": .string(doctor.verdict.rawValue), "hasErrors": .bool(doctor.hasErrors),
        "sentence": .string(doctor.sentence), "answer": .string(doctor.answer),
      ]),
      "loss": .members([
        "isComplete": .bool(trace.loss.isComplete), "sentence": .optional(doctor.lossSentence) { .string($0) },
      ]),
      "groups": .array(
        lanes.groups.map { group in
          .members([
            "name": .string(group.name), "kind": .string(group.kind.word),
            "queue": .optional(group.scheduler.flatMap { names.queueRows[$0] }) { .integer($0) },
          ])
        }),
      "waitsWithoutLane": .integer(lanes.waitsWithoutLane),
      "tasksWithoutLane": .integer(lanes.tasksWithoutLane),
      "threads": .array(threadList),
      "queues": .array(queues),
      // This is the number of nanoseconds that one sample stands for.
      "samplePeriod": .optional(trace.profile) { .integer(Int($0.period)) },
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

  /// How many threads ran operations.
  private var threadsOfOperations: Int {
    var threads = Set<ThreadID>()
    for index in trace.operations.indices {
      if let began = trace.operations[index].executionBegan { threads.insert(began.thread) }
      for block in trace.operations[index].blocks { threads.insert(block.thread) }
    }
    return threads.count
  }

  private var threadList: [JSONValue] {
    names.threads.map { thread in
      .members([
        "id": .integer(Int(thread.id.rawValue)), "name": .string(thread.timelineName),
        "systemId": .integer(Int(thread.systemID)), "isMain": .bool(thread.isMain),
      ])
    }
  }

  /// The queues by their rows.
  private var queues: [JSONValue] {
    var queues = [JSONValue](
      repeating: .members(["name": .string(""), "hasName": .bool(false)]), count: names.queueRows.count)
    for queue in trace.queues {
      if let row = names.queueRows[.queue(queue.id)] { queues[row] = self.queue(queue) }
    }
    for queue in trace.usedDispatchQueues {
      if let row = names.queueRows[.dispatchQueue(queue.id)] { queues[row] = self.queue(queue) }
    }
    return queues
  }

  private func queue(_ queue: QueueRecord) -> JSONValue {
    .members([
      "name": .string(titles.title(of: queue)), "hasName": .bool(queue.title == queue.name),
      "limit": .integer(queue.limit), "isSuspended": .bool(queue.isSuspended),
    ])
  }

  private func queue(_ queue: DispatchQueueRecord) -> JSONValue {
    .members([
      "name": .string(titles.title(of: queue)), "isDispatch": .bool(true),
      "hasName": .bool(!queue.label.allSatisfy(\.isWhitespace)), "limit": .integer(queue.width ?? -1),
      "isSuspended": .bool(false),
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
