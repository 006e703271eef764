import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// The form of `optrace memory --json`; its keys are a contract (Documentation/json.md). Bytes are whole numbers, estimates have their errors.
package struct MemoryJSON {
  private let report: MemoryReport
  /// More functions, types and work are left out; nil: none are.
  private let most: Int?
  private static let mostAtPeak = 20

  package init(_ report: MemoryReport, most: Int? = nil) {
    self.report = report
    self.most = most
  }

  /// O(rows).
  /// - Parameter difference: what it is compared with; nil: nothing.
  package func value(comparedWith other: MemoryReport? = nil) -> JSONValue {
    let more = other.map { [JSONValue.Member("comparison", comparison(with: $0))] } ?? []
    return .members(
      [
        "version": .integer(1),
        "rateBytes": .integer(Int(clamping: report.record.interval)),
        "samples": .integer(report.data.allocations.count),
        "lost": .integer(report.record.lost),
        "seconds": .seconds(report.sampled),
        "allocated": .object(estimate(report.all.allocated)),
        "live": .object(estimate(report.all.live) + [.init("atSeconds", .seconds(report.at))]),
        "peak": .optional(report.peak, peak),
        "process": process,
        "timeline": .array(report.timeline.map(point)),
        "functions": .array(limited(report.functions).map(function)),
        "types": .array(limited(report.types).map(type)),
        "work": .array(limited(report.work).map(work)),
        "growth": .array(report.growth.map(growth)),
      ], and: more)
  }

  /// What `optrace summary --json` has of it: the same keys, without what only `optrace memory` tells. O(rows).
  package var summary: JSONValue {
    .members([
      "rateBytes": .integer(Int(clamping: report.record.interval)),
      "samples": .integer(report.data.allocations.count),
      "lost": .integer(report.record.lost),
      "seconds": .seconds(report.sampled),
      "allocated": .object(estimate(report.all.allocated)),
      "live": .object(estimate(report.all.live) + [.init("atSeconds", .seconds(report.at))]),
      "peak": .optional(report.peak, peak),
      "process": process,
      "functions": .array(limited(report.functions).map(function)),
      "growth": .array(limited(report.growth).map(growth)),
    ])
  }

  private func comparison(with other: MemoryReport) -> JSONValue {
    .object(
      [
        .init("samples", .integer(other.data.allocations.count)), .init("seconds", .seconds(other.sampled)),
        .init("allocated", .object(estimate(other.all.allocated))), .init("live", .object(estimate(other.all.live))),
      ] + changes(since: other))
  }

  /// What `optrace diff --json` has of it: both runs, and the changes. O(rows).
  package func difference(from other: MemoryReport) -> JSONValue {
    func side(_ report: MemoryReport) -> JSONValue {
      .members([
        "samples": .integer(report.data.allocations.count), "seconds": .seconds(report.sampled),
        "allocated": .object(estimate(report.all.allocated)), "live": .object(estimate(report.all.live)),
      ])
    }
    return .object([.init("base", side(other)), .init("new", side(report))] + changes(since: other))
  }

  private func changes(since other: MemoryReport) -> [JSONValue.Member] {
    let difference = MemoryDifference(from: other, to: report)
    let functions = limited(difference.functions).map { row -> JSONValue in
      .object(names(row.function) + change("selfAllocatedBytes", row.allocated) + change("selfLiveBytes", row.live))
    }
    let types = limited(difference.types).map { row -> JSONValue in
      let type = JSONValue.Member("type", .optional(row.type) { .string($0) })
      return .object([type] + change("allocatedBytes", row.allocated) + change("liveBytes", row.live))
    }
    return [.init("functions", .array(functions)), .init("types", .array(types))]
  }

  private func change(_ key: String, _ change: MemoryDifference.Change) -> [JSONValue.Member] {
    [
      .init(key + "Before", whole(change.before.bytes)), .init(key + "After", whole(change.after.bytes)),
      .init(key + "Clear", .bool(change.isClear)),
    ]
  }

  private func limited<Row>(_ rows: [Row]) -> [Row] { most.map { Array(rows.prefix($0)) } ?? rows }

  private func whole(_ value: Double) -> JSONValue {
    value.isFinite ? .integer(Int(min(max(value.rounded(), -9e18), 9e18))) : .null
  }

  private func whole(_ value: UInt64) -> JSONValue { .integer(Int(clamping: value)) }

  private func estimate(_ one: EstimatedBytes) -> [JSONValue.Member] {
    [.init("bytes", whole(one.bytes)), .init("errorBytes", whole(one.error)), .init("count", whole(one.count))]
  }

  private func names(_ function: Profile.Function) -> [JSONValue.Member] {
    [
      .init("function", .string(function.name)), .init("module", .optional(function.module) { .string($0) }),
      .init("file", .optional(function.file) { .string($0) }), .init("line", .optional(function.line) { .integer($0) }),
      .init("own", .bool(function.isOwn)),
    ]
  }

  private func peak(_ peak: MemoryReport.Peak) -> JSONValue {
    let rows = report.functions.filter { $0.peak.samples > 0 }.sorted { $0.peak.bytes > $1.peak.bytes }
    return .members([
      "bytes": whole(peak.live.bytes), "errorBytes": whole(peak.live.error), "atSeconds": .seconds(peak.time),
      "functions": .array(
        rows.prefix(most ?? Self.mostAtPeak).map { row in
          .object(
            names(row.function) + [
              .init("totalLiveBytes", whole(row.peak.bytes)), .init("errorBytes", whole(row.peak.error)),
            ])
        }),
    ])
  }

  private var process: JSONValue {
    let process = report.process
    return .members([
      "residentBytes": .optional(process.resident, whole), "peakResidentBytes": .optional(process.peakResident, whole),
      "anonymousBytes": .optional(process.anonymous, whole),
      "allocator": .optional(report.record.allocator.word) { .string($0) },
      "heldBytes": .optional(process.held, whole),
      // Only the allocator could say, and asking it takes up to seconds in which nobody can allocate.
      "freeBytes": .null, "trimmableBytes": .null,
    ])
  }

  private func point(_ point: MemoryReport.Point) -> JSONValue {
    .members([
      "atSeconds": .seconds(point.time), "residentBytes": whole(point.resident),
      "anonymousBytes": whole(point.anonymous), "liveBytes": whole(point.live),
    ])
  }

  private func function(_ row: MemoryReport.FunctionRow) -> JSONValue {
    .object(
      names(row.function) + [
        .init("selfAllocatedBytes", whole(row.own.allocated.bytes)),
        .init("totalAllocatedBytes", whole(row.total.allocated.bytes)),
        .init("selfAllocatedCount", whole(row.own.allocated.count)),
        .init("totalAllocatedCount", whole(row.total.allocated.count)),
        .init("selfLiveBytes", whole(row.own.live.bytes)), .init("totalLiveBytes", whole(row.total.live.bytes)),
        .init("totalLiveCount", whole(row.total.live.count)),
        .init("errorBytes", whole(row.total.allocated.error)),
      ])
  }

  private func type(_ row: MemoryReport.TypeRow) -> JSONValue {
    .members([
      "type": .optional(row.type) { .string($0) }, "allocatedBytes": whole(row.sums.allocated.bytes),
      "allocatedCount": whole(row.sums.allocated.count), "liveBytes": whole(row.sums.live.bytes),
      "liveCount": whole(row.sums.live.count), "errorBytes": whole(row.sums.allocated.error),
    ])
  }

  private func work(_ row: MemoryReport.WorkRow) -> JSONValue {
    .members([
      "kind": .string(row.owner.kind), "name": .string(row.owner.name),
      "queue": .optional(row.owner.queue) { .string($0) }, "units": .integer(row.units),
      "allocatedBytes": whole(row.sums.allocated.bytes), "allocatedCount": whole(row.sums.allocated.count),
      "liveBytes": whole(row.sums.live.bytes), "errorBytes": whole(row.sums.allocated.error),
    ])
  }

  private func growth(_ site: GrowingSite) -> JSONValue {
    .members([
      "function": .optional(site.function) { .string($0.name) },
      "file": .optional(site.function?.file) { .string($0) },
      "line": .optional(site.line ?? site.function?.line) { .integer($0) },
      "callers": .array(site.callers.map { .string($0.name) }), "type": .optional(site.type) { .string($0) },
      "bytes": whole(site.growth.bytes), "errorBytes": whole(site.growth.error),
      "bytesPerSecond": .number(site.bytesPerSecond.rounded()),
      "survivingShare": .number(site.survivingShare), "sinceSeconds": .seconds(site.since),
    ])
  }
}

extension MemoryRecord.Allocator {
  /// Nil: not known.
  package var word: String? {
    switch self {
    case .other: nil
    case .glibc: "glibc"
    case .jemalloc: "jemalloc"
    case .tcmalloc: "tcmalloc"
    case .mimalloc: "mimalloc"
    }
  }
}
