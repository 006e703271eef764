import OpTraceFormat
public import OpTraceModel

extension LossReport {
  /// What every JSON output says of what is missing.
  public var json: JSONValue {
    .members([
      "complete": .bool(isComplete),
      "lostRecords": .integer(Int(clamping: lostCount)),
      "reasons": .object(
        lost.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { .init("\($0.key)", .integer(Int(clamping: $0.value))) }),
      "damage": .array(
        damage.map {
          .members([
            "offset": .integer(Int(clamping: $0.offset)), "skippedBytes": .integer(Int(clamping: $0.skippedBytes)),
            "reason": .string($0.reason),
          ])
        }),
      "overwrittenBytes": .integer(Int(clamping: overwrittenBytes)),
      "completeSinceSeconds": completeSince.map { .seconds($0) } ?? .null,
      "unknownRecords": .integer(unknownKinds.values.reduce(0, +)),
      "gaps": .array(
        gaps.map {
          .members([
            "thread": .integer(Int($0.thread.rawValue)), "fromSeconds": .seconds($0.from), "toSeconds": .seconds($0.to),
            "count": .integer(Int(clamping: $0.count)), "reason": .string("\($0.reason)"),
          ])
        }),
    ])
  }
}
