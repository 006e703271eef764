package import OpTraceDoctor
package import OpTraceText
import OpTraceKernel
package import OpTraceModel

extension LiveStatus {
  /// The form of `optrace top --json`, an object on one line; its keys are a contract (Documentation/json.md).
  /// - Parameters:
  ///   - trace: what this is of.
  ///   - findings: what the doctor says.
  ///   - sections: what capabilities show.
  package func json(of trace: Trace, findings: [Finding], sections: [any LiveSection]) -> JSONValue {
    let own: [JSONValue.Member] = [
      .init("version", .integer(1)),
      .init("pid", .integer(Int(trace.header.processID))),
      .init("seconds", .seconds(now)),
      .init("queues", .array(queues.map(\.json))),
      .init("executing", .array(executing.map(\.json))),
    ]
    let report = DoctorReport(of: trace, findings: findings, by: RuleSet([]))
    return .object(own + sections.flatMap(\.members) + [.init("findings", report.jsonOfFindings)])
  }
}

extension LiveStatus.Queue {
  fileprivate var json: JSONValue {
    .members([
      "name": .string(title),
      "limit": .optional(limit) { .integer($0) },
      "suspended": .bool(isSuspended),
      "executing": .integer(executing),
      "ready": .integer(ready),
      "pending": .integer(pending),
      "oldestReadySeconds": .optional(oldestReady) { .seconds($0) },
      "finishedPerSecond": .number((finishedPerSecond * 1000).rounded() / 1000),
      "slotWaitP50Seconds": .optional(slotWaitP50) { .seconds($0) },
      "slotWaitP99Seconds": .optional(slotWaitP99) { .seconds($0) },
    ])
  }
}

extension LiveStatus.Execution {
  fileprivate var json: JSONValue {
    .members([
      "id": .integer(Int(id.rawValue)),
      "name": .string(title),
      "queue": .optional(queueTitle) { .string($0) },
      "seconds": .seconds(time),
      "thread": .optional(thread) { .integer(Int($0.rawValue)) },
      "function": .optional(location.function) { .string($0) },
      "file": .optional(location.file) { .string($0) },
      "line": .optional(location.line) { .integer($0) },
      "heldBy": .optional(heldBy) { .integer(Int($0.rawValue)) },
    ])
  }
}
