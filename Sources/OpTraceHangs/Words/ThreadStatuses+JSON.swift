public import OpTraceKernel
public import OpTraceModel
public import OpTraceText

extension ThreadStatuses {
  /// The form of `optrace stacks --json`; its keys are a contract (Documentation/json.md). `trace`: the one that this is
  /// of. O(frames of all threads).
  public func json(of trace: Trace) -> JSONValue {
    .members([
      "version": .integer(1),
      "look": .optional(snapshot) { snapshot in
        .members([
          "atSeconds": .seconds(snapshot.time),
          "lastSignSeconds": .optional(lastSign) { .seconds($0) },
          "wentOn": .bool(wentOn),
          "complete": .bool(!snapshot.isPartial && snapshot.refused == 0),
        ])
      },
      "threads": .array(threads.map { $0.json(trace.stacks) }),
      "loss": trace.loss.json,
    ])
  }
}

extension ThreadStatus {
  fileprivate func json(_ stacks: StackTable) -> JSONValue {
    let sampled = sampledAt.map { [JSONValue.Member("sampledAtSeconds", .seconds($0))] } ?? []
    return .members(
      [
        "id": .integer(Int(id.rawValue)),
        "systemId": .integer(Int(systemID)),
        "name": .string(name),
        "state": .string(state.rawValue),
        "operation": .optional(operation) { .integer(Int($0.rawValue)) },
        "waitsFor": .optional(waitsFor, \.json),
        "owner": .optional(owner) { .integer(Int($0.rawValue)) },
        "frames": .array(stacks.frames(stack).map(\.json)),
      ], and: sampled)
  }
}

extension ThreadStatus.Awaited {
  fileprivate var json: JSONValue {
    .members([
      "kind": .string(kind.rawValue),
      "id": .optional(id) { .integer($0) },
      "name": .optional(name) { .string($0) },
      "address": .optional(address) { .string("0x" + String($0, radix: 16)) },
      "sinceSeconds": .optional(since) { .seconds($0) },
      "timed": .bool(isTimed),
    ])
  }
}

extension StackFrame {
  fileprivate var json: JSONValue {
    .members([
      "function": .optional(function) { .string($0) },
      "module": .optional(module) { .string($0) },
      "file": .optional(file) { .string($0) },
      "line": .optional(line) { .integer($0) },
      "image": .optional(image) { .string($0) },
      "offset": .integer(Int(clamping: offset)),
      "guessed": .bool(isGuessed),
      "inlined": .bool(isInlined),
      "own": .bool(isOwn),
    ])
  }
}
