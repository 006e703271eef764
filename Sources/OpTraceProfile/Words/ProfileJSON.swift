import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// The form of `optrace profile --json`; its keys are a contract (Documentation/json.md).
package struct ProfileJSON {
  private let profile: Profile
  private let total: Nanoseconds
  /// More functions, and work, are left out; nil: none are.
  private let most: Int?

  /// - Parameter most: functions and work to list; nil: all.
  package init(_ profile: Profile, most: Int? = nil) {
    self.profile = profile
    self.most = most
    total = profile.total
  }

  /// - Parameters:
  ///   - grouping: what else is listed beside work.
  ///   - other: what it is compared with; nil: nothing.
  /// - Complexity: O(samples + frames of all stacks of each group).
  package func value(by grouping: Profile.Grouping? = nil, comparedWith other: Profile? = nil) -> JSONValue {
    let facts = profile.facts
    var more: [JSONValue.Member] = []
    switch grouping {
    case .thread: more.append(.init("threads", .array(limited(profile.groupRows(by: .thread)).map(thread))))
    case .queue: more.append(.init("queues", .array(limited(profile.groupRows(by: .queue)).map(queue))))
    case .work, .span, .reason, nil: break
    }
    if !profile.spans.isEmpty { more.append(.init("spans", .array(limited(profile.groupRows(by: .span)).map(span)))) }
    if facts.isOffProcessor {
      more.append(.init("reasons", .array(profile.groupRows(by: .reason).map(reason))))
    }
    if let other { more.append(.init("comparison", comparison(with: other))) }
    return .members(
      [
        "version": .integer(1),
        "rateHz": .number(facts.isOffProcessor ? 0 : facts.rate),
        "samples": .integer(profile.samples.count),
        "lost": .integer(facts.lost),
        "cpuSeconds": .optional(facts.used) { .seconds($0) },
        "sampledShare": .optional(facts.sampledShare) { .number($0) },
        "functions": .array(limited(profile.functionRows()).map(function)),
        "work": .array(limited(profile.groupRows(by: .work)).compactMap(work)),
      ], and: more)
  }

  private func limited<Row>(_ rows: [Row]) -> [Row] { most.map { Array(rows.prefix($0)) } ?? rows }

  private func share(_ weight: Nanoseconds) -> JSONValue {
    .number(total > 0 ? Double(weight) / Double(total) : 0)
  }

  private func function(_ row: Profile.FunctionRow) -> JSONValue {
    .object(
      profile.functions[row.function].members + [
        .init("selfSeconds", .seconds(row.own)), .init("totalSeconds", .seconds(row.total)),
        .init("selfShare", share(row.own)), .init("totalShare", share(row.total)),
      ])
  }

  private func sums(_ row: Profile.GroupRow) -> [JSONValue.Member] {
    [
      .init("seconds", .seconds(row.weight)), .init("share", share(row.weight)),
      .init("functions", .array(limited(row.functions).map(function))),
    ]
  }

  private func work(_ row: Profile.GroupRow) -> JSONValue? {
    guard case .owner(let owner) = row.name else { return nil }
    return .object(owner.members + sums(row))
  }

  private func thread(_ row: Profile.GroupRow) -> JSONValue {
    guard case .thread(let id, let thread) = row.name else { return .null }
    return .members(
      [
        "id": .integer(Int(id.rawValue)), "systemId": .integer(Int(thread.systemID)), "name": .string(thread.name),
      ], and: sums(row))
  }

  private func queue(_ row: Profile.GroupRow) -> JSONValue {
    switch row.name {
    case .queue(let name): .members(["name": .optional(name) { .string($0) }], and: sums(row))
    case .tasks: .members(["name": .string(TaskRecord.groupTitle)], and: sums(row))
    case .owner, .thread, .span, .reason: .null
    }
  }

  private func span(_ row: Profile.GroupRow) -> JSONValue {
    guard case .span(let name) = row.name else { return .null }
    return .members(["name": .string(name)], and: sums(row))
  }

  private func reason(_ row: Profile.GroupRow) -> JSONValue {
    guard case .reason(let words) = row.name else { return .null }
    return .members(["reason": .string(words)], and: sums(row))
  }

  private func comparison(with other: Profile) -> JSONValue {
    let difference = ProfileDifference(from: other, to: profile)
    return .members([
      "samples": .integer(other.samples.count),
      "seconds": .seconds(other.total),
      "functions": .array(
        limited(difference.functions).map { row in
          .object(
            row.name.members + change("self", row.own) + change("total", row.total))
        }),
      "work": .array(
        limited(difference.work).map { row in .object(row.name.members + change("", row.time)) }),
    ])
  }

  private func change(_ prefix: String, _ change: ProfileDifference.Change) -> [JSONValue.Member] {
    func key(_ text: String) -> String {
      prefix.isEmpty ? text.prefix(1).lowercased() + text.dropFirst() : prefix + text
    }
    return [
      .init(key("SecondsBefore"), .seconds(change.before)), .init(key("SecondsAfter"), .seconds(change.after)),
      .init(key("Clear"), .bool(change.isClear)),
    ]
  }
}

extension Profile.Function {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("function", .string(name)), .init("module", .optional(module) { .string($0) }),
      .init("file", .optional(file) { .string($0) }), .init("line", .optional(line) { .integer($0) }),
    ]
  }
}

extension Profile.Owner {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("kind", .string(kind)), .init("name", .string(name)), .init("queue", .optional(queue) { .string($0) }),
    ]
  }
}
