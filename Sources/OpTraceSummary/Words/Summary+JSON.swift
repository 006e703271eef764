import OpTraceBlame
import OpTraceKernel
import OpTraceFormat
import OpTraceModel
public import OpTraceText

extension Summary {
  /// The form of `optrace summary --json`; its keys are a contract (Documentation/json.md).
  public var json: JSONValue { json(and: []) }

  /// The same with what other capabilities tell, behind the rest.
  package func json(and others: [JSONValue.Member]) -> JSONValue {
    let members: KeyValuePairs<String, JSONValue> = [
      "version": .integer(1),
      "operationCount": .integer(operationCount),
      "wallSeconds": .seconds(wall),
      "states": .object(
        OperationState.allCases.map { .init($0.rawValue, .integer(states[$0] ?? 0)) }
          + [.init("unknown", .integer(unknown))]),
      "queues": .array(queues.map(\.json)),
      "classes": .array(classes.map { $0.json(counted: "operationCount") }),
      "slowest": .array(slowest.map(\.json)),
      "criticalPath": criticalPath.json(names: pathNames),
      "dispatchQueues": .array(dispatchQueues.map(\.json)),
      "blocks": .array(blocks.map { $0.json(counted: "blockCount") }),
      "tasks": .array(tasks.map(\.json)),
      "taskWaits": .array(taskWaits.map(\.json)),
      "taskRuns": .array(taskRuns.map(\.json)),
      "threads": .array(threads.map { $0.json(wall: wall) }),
      "waits": waits.json,
      "places": .array(locations.map(\.json)),
      "loss": loss.json,
    ]
    var more: [JSONValue.Member] = actors.isEmpty ? [] : [.init("actors", .array(actors.map(\.json)))]
    if let kept { more.append(kept.member) }
    if let machine { more.append(machine.member) }
    if let processorTime { more.append(.init("processorTime", processorTime.json)) }
    return .members(members, and: more + others)
  }
}

extension Summary.Queue {
  fileprivate var json: JSONValue {
    .members(
      [
        "id": .integer(Int(id.rawValue)),
        "name": .string(name.allSatisfy(\.isWhitespace) && code != nil ? title : name),
        "limit": limit < 0 ? .null : .integer(limit),
        "suspended": .bool(isSuspended),
        "operationCount": .integer(operations),
        "utilisation": .number(utilisation),
        "peakExecuting": .integer(peak),
        "busySeconds": .seconds(busy),
        "waitingForDependenciesSeconds": .seconds(waitingForDependencies),
        "waitingForSlotSeconds": .seconds(waitingForSlot),
        "waitingForThreadSeconds": .seconds(waitingForThread),
      ], and: (code ?? CodeLocation()).members)
  }
}

extension Summary.DispatchQueue {
  fileprivate var json: JSONValue {
    .members([
      "id": .integer(Int(id.rawValue)),
      "label": .string(label),
      "width": .optional(width) { .integer($0) },
      "main": .bool(isMain),
      "blockCount": .integer(blocks),
      "unfinishedCount": .integer(unfinished),
      "peakWaiting": .integer(depth),
      "peakExecuting": .integer(peak),
      "waiting": waiting.json,
      "running": running.json,
    ])
  }
}

extension Summary.TaskKind {
  fileprivate var json: JSONValue {
    .members([
      "name": .string(name),
      "taskCount": .integer(count),
      "unfinishedCount": .integer(unfinished),
      "cancelledCount": .integer(cancelled),
      "running": running.json,
      "waiting": waiting.json,
      "suspendedSeconds": .object(
        TaskRecord.Reason.allCases.map { .init("\($0)", .seconds(suspended[$0] ?? 0)) }),
    ])
  }
}

extension Summary.ActorClass {
  fileprivate var json: JSONValue {
    .members(["name": .string(name), "actorCount": .integer(actors), "waiting": waiting.json])
  }
}

extension Summary.TaskWait {
  fileprivate var json: JSONValue {
    .object(
      location.members + [
        .init("reason", .string("\(reason)")), .init("idle", .bool(isIdle)), .init("own", .bool(isOwn)),
        .init("waiting", waited.json), .init("resumedBy", .optional(resumer) { .string($0) }),
      ])
  }
}

extension Summary.TaskRun {
  fileprivate var json: JSONValue {
    .object(location.members + [.init("own", .bool(isOwn)), .init("running", ran.json)])
  }
}

extension Summary.ProcessorTime {
  fileprivate var json: JSONValue {
    .members([
      "samples": .integer(samples),
      "sampledSeconds": .seconds(sampled),
      "sampledShare": .optional(share) { .number($0) },
      "functions": .array(
        functions.map {
          .members([
            "function": .string($0.name),
            "module": .optional($0.module) { .string($0) },
            "file": .optional($0.file) { .string($0) },
            "line": .optional($0.line) { .integer($0) },
            "selfSeconds": .seconds($0.own),
            "totalSeconds": .seconds($0.total),
          ])
        }),
      "work": .array(
        work.map {
          .members([
            "kind": .string($0.kind),
            "name": .string($0.name),
            "runningSeconds": .optional($0.running) { .seconds($0) },
            "seconds": .seconds($0.used),
            "function": .optional($0.function) { .string($0) },
          ])
        }),
    ])
  }
}

extension Summary.Class {
  fileprivate func json(counted key: String) -> JSONValue {
    .object(
      [
        .init("name", .string(name)), .init(key, .integer(count)),
        .init("waitingForDependencies", waitingForDependencies.json), .init("waitingForSlot", waitingForSlot.json),
      ] + (waitingForThread.map { [.init("waitingForThread", $0.json)] } ?? [])
        + [.init("running", running.json)] + (computing.count > 0 ? [.init("computing", computing.json)] : []))
  }
}

extension Distribution {
  fileprivate var json: JSONValue {
    .members([
      "count": .integer(count),
      "totalSeconds": .seconds(total),
      "p50Seconds": .seconds(median),
      "p95Seconds": .seconds(p95),
      "maxSeconds": .seconds(max),
    ])
  }
}

extension Summary.Operation {
  fileprivate var json: JSONValue {
    .members(
      [
        "id": .integer(Int(id.rawValue)),
        "name": .string(name),
        "class": .string(className),
        "state": .string(state.rawValue),
        "queue": .optional(queue) { .integer(Int($0.rawValue)) },
        "waitingForDependenciesSeconds": .seconds(times.waitingForDependencies),
        "waitingForSlotSeconds": .seconds(times.waitingForSlot),
        "waitingForThreadSeconds": .seconds(times.waitingForThread),
        "runningSeconds": .seconds(times.running),
      ],
      and: code.members + [
        .init("added", .optional(added) { .object($0.members) }),
        .init("made", .optional(made) { .object($0.members) }),
      ])
  }
}

extension Summary.Thread {
  fileprivate func json(wall: Nanoseconds) -> JSONValue {
    .members([
      "id": .integer(Int(id.rawValue)),
      "systemId": .integer(Int(systemID)),
      "name": .string(name),
      "executionCount": .integer(operations),
      "busySeconds": .seconds(busy),
      "busyShare": .number(wall > 0 ? Double(busy) / Double(wall) : 0),
    ])
  }
}

extension Summary.WaitLocation {
  fileprivate var json: JSONValue {
    .object(
      code.members + [
        .init("count", .integer(count)),
        .init("unfinishedCount", .integer(unfinished)),
        .init("totalSeconds", .seconds(total)),
        .init("longestSeconds", .seconds(longest)),
      ])
  }
}

extension Summary.Waits {
  fileprivate var json: JSONValue {
    .members([
      "count": .integer(count),
      "unfinishedCount": .integer(unfinished),
      "totalSeconds": .seconds(total),
      "longest": .array(longest.map(\.json)),
    ])
  }
}

extension Summary.Wait {
  fileprivate var json: JSONValue {
    .members([
      "operation": .optional(operation) { .integer(Int($0.rawValue)) },
      "operationName": .optional(operationName) { .string($0) },
      "thread": .integer(Int(thread.rawValue)),
      "target": target.json(name: targetName, object),
      "count": .integer(count),
      "unfinishedCount": .integer(unfinished),
      "totalSeconds": .seconds(total),
      "maxSeconds": .seconds(max),
      "lastSignal": .optional(lastSignal) {
        .members([
          "operation": .optional($0.operation) { .integer(Int($0.rawValue)) },
          "operationName": .optional(lastSignalName) { .string($0) },
          "thread": .optional($0.thread) { .integer(Int($0.rawValue)) },
          "atSeconds": .seconds($0.time),
        ])
      },
      "ends": .array(
        ends.map { end in
          .members(
            ["kind": .string(end.kind.rawValue), "text": .string(end.words), "share": .number(end.share)],
            and: (end.code ?? CodeLocation()).members)
        }),
    ])
  }
}

extension WaitRecord.Target {
  fileprivate func json(name: String, _ object: ObjectRecord?) -> JSONValue {
    let (kind, id) =
      switch self {
      case .operation(let id): ("operation", id.rawValue)
      case .queue(let id): ("queue", id.rawValue)
      case .object(let id): (object?.kind.map { $0 == .queue ? "dispatchQueue" : $0.word } ?? "object", id.rawValue)
      }
    return .members([
      "kind": .string(kind),
      "id": .integer(Int(id)),
      "name": .optional(object == nil ? name : object?.name) { .string($0) },
      "address": .optional(object.flatMap { $0.kind?.endsByItself == true ? nil : $0 }) {
        .string("0x" + String($0.address, radix: 16))
      },
    ])
  }
}

extension CriticalPath {
  fileprivate func json(names: [WorkID: String]) -> JSONValue {
    .members([
      "runningSeconds": .seconds(total),
      "share": .number(share),
      "waitingForDependenciesSeconds": .seconds(waitingForDependencies),
      "waitingForSlotSeconds": .seconds(waitingForSlot),
      "waitingForThreadSeconds": .seconds(waitingForThread),
      "steps": .array(
        steps.map { step in
          .members([
            "id": .integer(Int(step.work.rawValue)),
            "name": .string(names[step.work] ?? ""),
            "cause": .string(step.cause.word),
            "causeId": .optional(step.cause.work) { .integer(Int($0.rawValue)) },
            "beganSeconds": .seconds(step.began),
            "endedSeconds": .seconds(step.ended),
            "waitingForDependenciesSeconds": .seconds(step.waitingForDependencies),
            "waitingForSlotSeconds": .seconds(step.waitingForSlot),
            "waitingForThreadSeconds": .seconds(step.waitingForThread),
            "runningSeconds": .seconds(step.running),
          ])
        }),
      "remaining": .array(
        remaining.map { .members(["id": .integer(Int($0.rawValue)), "name": .string(names[$0] ?? "")]) }),
    ])
  }
}

extension CriticalPath.Cause {
  fileprivate var word: String {
    switch self {
    case .start: "start"
    case .dependency: "dependency"
    case .slot: "slot"
    case .submission: "submission"
    case .signal: "signal"
    }
  }
}
