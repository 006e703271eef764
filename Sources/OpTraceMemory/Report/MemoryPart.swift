import COpTraceMemoryPage
import OpTraceKernel
import OpTraceModel
package import OpTracePageParts
import OpTraceSamples
import OpTraceText

extension ReportPart {
  /// Where memory goes: a tab with the answer, what lived over time, what lives at the end as a flame graph, what grows, and types.
  package static let memory = ReportPart(
    "memory",
    EmbeddedFiles(
      count: optrace_memory_page_count(), name: optrace_memory_page_name, text: optrace_memory_page_text)
  ) { trace -> ReportPart.Conclusions in
    guard trace.memory?.allocations.isEmpty == false, let report = MemoryReport(of: trace) else {
      return Conclusions(write: nil)
    }
    let facts = MemoryFacts(report)
    return Conclusions(facts: [facts]) { trace, writer in
      MemoryPageData(report, trace).value.write(to: writer, level: nil)
    }
  }
}

/// The data of the tab, as `memory-tab.mjs` reads it.
struct MemoryPageData {
  private let report: MemoryReport
  private let curve: LiveCurve
  private let end: Nanoseconds

  /// Rows of tables, and places of the curve: more are not seen.
  private static let mostRows = 200
  private static let mostPlaces = 600

  init(_ report: MemoryReport, _ trace: Trace) {
    self.report = report
    curve = LiveCurve(report.data.allocations)
    end = trace.end
  }

  var value: JSONValue {
    let words = MemoryWords(report)
    return .members([
      "sentence": .string(words.sentence), "notes": .array(words.lines.map { .string($0) }),
      "allocated": estimate(report.all.allocated), "live": estimate(report.all.live),
      "peak": .optional(report.peak) { .members(["at": .integer(Int($0.time)), "bytes": whole($0.live.bytes)]) },
      "end": .integer(Int(end)),
      "use": .array(
        report.timeline.map { .array([.integer(Int($0.time)), whole($0.resident), whole($0.anonymous)]) }),
      "curve": .array(curvePlaces.map { .array([.integer(Int($0.time)), whole($0.bytes)]) }),
      "functions": .array(report.data.profile.functions.map(function)),
      "tree": .array(
        MemoryTree(report).rows.map { .array([.integer($0.parent), .integer($0.function), whole($0.bytes)]) }),
      "growth": .array(report.growth.prefix(Self.mostRows).map(growth)),
      "types": .array(report.types.prefix(Self.mostRows).map(type)),
    ])
  }

  /// The highest and the last value of each part of the run.
  private var curvePlaces: [(time: Nanoseconds, bytes: Double)] {
    let values = curve.values
    guard values.count > Self.mostPlaces, let first = values.first, let last = values.last else { return values }
    let width = (last.time - first.time) / Nanoseconds(Self.mostPlaces / 2) + 1
    var places: [(time: Nanoseconds, bytes: Double)] = []
    var part:
      (number: Nanoseconds, highest: (time: Nanoseconds, bytes: Double), last: (time: Nanoseconds, bytes: Double))?
    func close() {
      guard let part else { return }
      places.append(part.highest)
      if part.highest.time != part.last.time { places.append(part.last) }
    }
    for value in values {
      let number = (value.time - first.time) / width
      if part?.number == number {
        part?.last = value
        if value.bytes > part?.highest.bytes ?? 0 { part?.highest = value }
      } else {
        close()
        part = (number, value, value)
      }
    }
    close()
    return places
  }

  private func whole(_ value: Double) -> JSONValue { .integer(Int(min(max(value.rounded(), -9e15), 9e15))) }

  private func whole(_ value: UInt64) -> JSONValue { .integer(Int(clamping: value)) }

  private func estimate(_ one: EstimatedBytes) -> JSONValue {
    .array([whole(one.bytes), whole(one.error), whole(one.count)])
  }

  private func function(_ one: Profile.Function) -> JSONValue {
    .array([
      .string(one.name), .optional(one.module) { .string($0) }, .optional(one.lineText) { .string($0) },
      .bool(one.isOwn),
    ])
  }

  private func growth(_ site: GrowingSite) -> JSONValue {
    .members([
      "function": .string(site.function?.name ?? "unknown code"),
      "source": .optional(CodeLocation(file: site.function?.file, line: site.line ?? site.function?.line).lineText) {
        .string($0)
      },
      "caller": .optional(site.callers.first) { .string($0.name) }, "type": .optional(site.type) { .string($0) },
      "bytes": .array([whole(site.growth.bytes), whole(site.growth.error)]),
      "perSecond": .array([whole(site.bytesPerSecond), whole(site.errorPerSecond)]),
      "share": .number(site.survivingShare), "since": .integer(Int(site.since)),
    ])
  }

  private func type(_ row: MemoryReport.TypeRow) -> JSONValue {
    .members([
      "name": .optional(row.type) { .string($0) }, "allocated": estimate(row.sums.allocated),
      "live": estimate(row.sums.live),
    ])
  }
}
