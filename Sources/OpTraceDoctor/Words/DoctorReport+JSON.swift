import OpTraceKernel
import OpTraceModel
public import OpTraceText

extension DoctorReport {
  /// The form of `optrace doctor --json`; its keys are a contract (Documentation/json.md). O(findings and what they name).
  public var json: JSONValue {
    let members: KeyValuePairs<String, JSONValue> = [
      "version": .integer(1),
      "verdict": .string(verdict.rawValue),
      "operationCount": .integer(trace.operations.count),
      "unfinishedCount": .integer(unfinished),
      "endSeconds": .seconds(end),
      "silenceSeconds": .seconds(silence),
      "complete": .bool(trace.loss.isComplete),
      "live": .optional(movement) { $0.json },
      "answer": .string(answer),
      "findings": jsonOfFindings,
    ]
    let kept = trace.header.kept.map { [$0.member] } ?? []
    let origin = trace.origin.map { [$0.member] } ?? []
    return .members(members, and: kept + origin + (MachineLoad(of: trace).map { [$0.member] } ?? []))
  }

  /// The findings alone.
  package var jsonOfFindings: JSONValue {
    let queues = Dictionary(trace.queues.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let threads = Dictionary(trace.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return .array(findings.map { json(of: $0, queues, threads) })
  }

  private func json(
    of finding: Finding, _ queues: [QueueID: QueueRecord], _ threads: [ThreadID: ThreadRecord]
  ) -> JSONValue {
    .members([
      "code": .string(finding.code.rawValue),
      "severity": .string(finding.severity.rawValue),
      "proven": .bool(finding.isProven),
      "certainty": .string(finding.certainty.rawValue),
      "title": .string(finding.title),
      "explanation": .string(finding.explanation),
      "operations": .array(finding.operations.map(operation)),
      "queues": .array(
        finding.queues.map {
          .members(["id": .integer(Int($0.rawValue)), "name": .string(queues[$0]?.name ?? "")])
        }),
      "cycle": .array(finding.cycle.map { .integer(Int($0.rawValue)) }),
      "chain": .array(finding.chain.map(member)),
      "behind": .integer(finding.behind),
      "location": .optional(finding.location) { .object($0.members) },
      "consequences": .array(
        finding.consequences.map { .members(["code": .string($0.code.rawValue), "title": .string($0.title)]) }),
      "evidence": .array(
        finding.evidence.map { evidence in
          .members([
            "atSeconds": .optional(trace.hasNoTimes ? nil : evidence.time) { .seconds($0) },
            "thread": .optional(evidence.thread) { .integer(Int($0.rawValue)) },
            "threadSystemId": .optional(evidence.thread.flatMap { threads[$0] }) { .integer(Int($0.systemID)) },
            "text": .string(evidence.text),
          ])
        }),
      "fix": .string(finding.fix),
    ])
  }

  private func member(_ member: ChainMember) -> JSONValue {
    .members([
      "kind": .string(member.kind.rawValue),
      "id": .optional(member.id) { .integer(Int(clamping: $0)) },
      "name": .optional(member.name) { .string($0) },
      "function": .optional(member.function) { .string($0) },
      "file": .optional(member.file) { .string($0) },
      "line": .optional(member.line) { .integer($0) },
    ])
  }

  private func operation(_ id: OperationID) -> JSONValue {
    let record = trace.operation(id)
    let state = record.map { self.state(of: $0) }
    return .members(
      [
        "id": .integer(Int(id.rawValue)),
        "name": .string(record?.title ?? ""),
        "class": .string(record?.className ?? ""),
        "state": .string(state?.word ?? "unknown"),
        "stateSeconds": .optional(state?.since) { .seconds($0) },
        "queue": .optional(record?.queue) { .integer(Int($0.rawValue)) },
        "source": .optional(record?.source) { .string($0) },
      ], and: (record?.codeLocation ?? CodeLocation()).members)
  }
}

extension DoctorReport.Movement {
  fileprivate var json: JSONValue {
    .members([
      "looksApartSeconds": .seconds(apart),
      "moved": .bool(hasMoved),
      "operationsAdded": .integer(added),
      "operationsStarted": .integer(started),
      "operationsFinished": .integer(finished),
    ])
  }
}
