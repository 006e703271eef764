import OpTraceKernel
package import OpTraceModel
import OpTraceSamples
import OpTraceText

/// The sentence that comes first, and what is always said beside it.
package struct MemoryWords {
  private let report: MemoryReport

  package init(_ report: MemoryReport) { self.report = report }

  /// What the allocator keeps is worth a sentence from here on, where it is half of what is resident.
  static let muchHeld = 64e6

  /// Why nothing is shown, without a full stop; nil: there is something.
  package static func nothing(_ trace: Trace, in name: String, isPart: Bool) -> String? {
    guard let record = trace.memory else {
      return "\(name) has no samples of memory: record them with 'optrace record --memory'"
    }
    if let refusal = record.refusal { return "memory was not sampled in \(name): \(refusal.words)" }
    guard record.allocations.isEmpty else { return nil }
    if record.lost > 0 { return "all \(counted(record.lost, "sample")) of \(name) found no room" }
    return
      "\(name) has no samples of memory: the program allocated less than one in \(grouped(Int(clamping: record.interval))) bytes; "
      + "'optrace record --memory=64K' takes more"
  }

  /// The answer.
  package var sentence: String {
    if let site = report.growth.first { return grows(site) }
    if let held = keeps { return held }
    let live = bytesText(report.all.live.bytes, error: report.all.live.error)
    let allocated = bytesText(report.all.allocated.bytes, error: report.all.allocated.error)
    let most = report.functions.first { $0.function.isOwn }.map {
      ", most in '\(Self.shown($0.function.name))' (\(bytesText($0.own.allocated.bytes)))"
    }
    return "nothing grows: \(live) live at \(duration(report.at)) of \(allocated) that were allocated\(most ?? "")"
  }

  private func grows(_ site: GrowingSite) -> String {
    let rate = bytesText(site.bytesPerSecond, error: site.errorPerSecond)
    let what =
      site.type.map { ": \(Self.counts(site.typeCount)) '\(Self.shown($0))'" } ?? ": \(bytesText(site.live.bytes))"
    let others = report.growth.count - 1
    let more = others > 0 ? "; \(counted(others, "other place")) \(others == 1 ? "grows" : "grow"), too" : ""
    return "grows by \(rate) a second in '\(Self.shown(site.function?.name ?? "unknown code"))'"
      + Self.line(site) + "\(Self.caller(site))\(what) live\(more)"
  }

  /// Where most of what was held at the peak came from.
  private var keeps: String? {
    guard let held = report.process.held, let anonymous = report.process.anonymous, held >= Self.muchHeld,
      held >= Double(anonymous) / 2
    else { return nil }
    let peak = report.functions.filter(\.function.isOwn).max { $0.peak.bytes < $1.peak.bytes }
    let by = peak.map { " of the peak in '\(Self.shown($0.function.name))'" } ?? ""
    let allocator = report.record.allocator.word ?? "the allocator"
    return "the program holds \(bytesText(report.all.live.bytes, error: report.all.live.error)), "
      + "\(allocator == "glibc" ? "malloc" : allocator) keeps \(bytesText(held)) more\(by)"
  }

  static func line(_ site: GrowingSite) -> String {
    let location = CodeLocation(file: site.function?.file, line: site.line ?? site.function?.line)
    return location.lineText.map { " (\($0))" } ?? ""
  }

  static func caller(_ site: GrowingSite) -> String {
    site.callers.first.map { ", called by '\(shown($0.name))'" } ?? ""
  }

  static func counts(_ count: Double) -> String { grouped(Int(min(max(count.rounded(), 0), 1e15))) }

  static func shown(_ name: String) -> String { TerminalText.printable(name) }

  /// What is to be known before the figures are believed, a line each.
  package var lines: [String] {
    let record = report.record
    let interval = record.interval == 1 ? "each allocation" : "one byte in \(Self.interval(record.interval))"
    let samples = counted(report.data.allocations.count, "sample")
    var lines = ["sampled: \(interval), over \(duration(report.sampled)): \(samples)"]
    if record.lastInterval != record.interval {
      lines.append("so many blocks lived that later only one byte in \(Self.interval(record.lastInterval)) was chosen")
    }
    lines.append("lost: " + (record.lost > 0 ? "\(counted(record.lost, "sample")) found no room" : "none"))
    let process = report.process
    if let resident = process.resident, let anonymous = process.anonymous {
      let other = process.held.map { "; \(bytesText($0)) of that neither lives nor was there at the start" } ?? ""
      let allocator = record.allocator.word.map { ", allocated by \($0)" } ?? ""
      lines.append(
        "process: \(bytesText(Double(resident))) resident, \(bytesText(Double(anonymous))) in no file\(other)\(allocator)"
      )
    }
    let without = report.data.profile.facts.withoutStack
    if without > 0 { lines.append("stacks: \(counted(without, "sample")) have none") }
    lines.append("not heard: memory that is mapped without the allocator, and what was allocated before 'main'")
    return lines
  }

  /// What a picture does not say by itself: it counts samples.
  package var sentences: [String] {
    ([sentence] + lines.filter { !$0.hasPrefix("lost: ") }).map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
  }

  private static func interval(_ bytes: UInt64) -> String { grouped(Int(clamping: bytes)) }
}

extension MemoryRecord.Refusal {
  package var words: String {
    switch self {
    case .sanitizer: "a sanitizer has its own allocator"
    case .linkedAllocator: "its allocator is linked into the program"
    case .noMemory: "there was no memory for what is sampled"
    }
  }
}
