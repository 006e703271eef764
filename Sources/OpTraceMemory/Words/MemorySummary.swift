import OpTraceKernel
package import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// Where memory went, in a few lines: a section of `optrace summary`.
package struct MemorySummary {
  private let report: MemoryReport
  /// The functions that allocate most.
  private static let mostFunctions = 3

  /// Nil: the trace has no samples of memory. O(n log n) for n allocations.
  package init?(of trace: Trace) {
    guard trace.memory?.allocations.isEmpty == false, let report = MemoryReport(of: trace) else { return nil }
    self.report = report
  }

  /// With its title; ends with a line end.
  package func text(_ style: TextStyle) -> String {
    var table = TextTable([
      .text("function", widest: 60), .number("allocated"), .number("times"), .number("live"),
      .text("source", widest: 32),
    ])
    let rows = report.functions.filter { $0.own.allocated.samples > 0 }
    for row in rows.prefix(Self.mostFunctions) {
      table.add([
        row.function.name, bytesText(row.own.allocated.bytes, error: row.own.allocated.error),
        MemoryWords.counts(row.own.allocated.count), bytesText(row.own.live.bytes, error: row.own.live.error),
        row.function.lineText ?? row.function.module ?? "",
      ])
    }
    let more = rows.count - Self.mostFunctions
    let lines = sentences.flatMap { TerminalText.wrapped($0, to: max(1, style.width - 2)) }
    return style.paint(.strong, "Memory") + "\n" + lines.map { "  \($0)\n" }.joined() + table.text(style)
      + (more > 0 ? "  and \(grouped(more)) more: optrace memory\n" : "")
  }

  private var sentences: [String] {
    let (all, process) = (report.all, report.process)
    var amounts =
      "\(bytesText(all.allocated.bytes, error: all.allocated.error)) allocated, "
      + "\(bytesText(all.live.bytes, error: all.live.error)) live at the end"
    if let peak = report.peak {
      amounts += ", \(bytesText(peak.live.bytes, error: peak.live.error)) at most, after \(duration(peak.time))"
    }
    var sentences = [amounts]
    if let resident = process.resident, let most = process.peakResident {
      sentences.append("\(bytesText(Double(resident))) resident at the end, \(bytesText(Double(most))) at most")
    }
    if !report.growth.isEmpty { sentences.append(MemoryWords(report).sentence) }
    return sentences
  }

  /// A member of `optrace summary --json`; its keys are those of `optrace memory --json`.
  package var member: JSONValue.Member { .init("memory", MemoryJSON(report, most: Self.mostFunctions).summary) }
}
