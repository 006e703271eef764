import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// Where memory goes, for people: one sentence first, then tables.
package struct MemoryText {
  /// What the tables are of.
  package enum Table: Sendable { case functions, types, work, threads }
  /// Which figure they are sorted by.
  package enum Figure: Sendable { case allocated, live, peak }

  private let report: MemoryReport
  private let style: TextStyle
  private let most: Int
  private let figure: Figure

  package init(_ report: MemoryReport, figure: Figure = .allocated, most: Int = 20, style: TextStyle = .plain) {
    (self.report, self.figure, self.most, self.style) = (report, figure, most, style)
  }

  /// The sentence and one table; nil: the usual ones. Ends with a line end.
  package func text(by table: Table? = nil) -> String {
    var parts = [head]
    switch table {
    case nil:
      parts.append(section("Grows", growth))
      parts.append(section("The program's own functions, with the libraries that they call", functions))
      parts.append(section("Types", types))
      parts.append(section("Work", rows(report.work, "work", hasQueues: true)))
    case .functions: parts.append(section("The program's own functions, with the libraries that they call", functions))
    case .types: parts.append(section("Types", types))
    case .work: parts.append(section("Work", rows(report.work, "work", hasQueues: true)))
    case .threads: parts.append(section("Threads", rows(report.threads, "thread", hasQueues: false)))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The sentence, and what grows.
  package var growthText: String {
    let body = growth.isEmpty ? "  nothing grows, as far as samples tell\n" : growth
    return [head, section("Grows", body)].joined(separator: "\n")
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : style.paint(.strong, title) + "\n" + body
  }

  private var head: String {
    let profile = report.data.profile
    let name = profile.processName.isEmpty ? "process" : TerminalText.printable(profile.processName)
    let pid = profile.processID > 0 ? " (pid \(profile.processID))" : ""
    let words = MemoryWords(report)
    let sentence = TerminalText.wrapped("\(name)\(pid): \(words.sentence)", to: style.width)
    let lines = words.lines.map { line in
      TerminalText.wrapped(line, to: style.width - 4).enumerated()
        .map { ($0.offset > 0 ? "    " : "  ") + $0.element + "\n" }.joined()
    }
    return sentence.map { style.paint(.strong, $0) + "\n" }.joined() + lines.joined()
  }

  private func left(_ count: Int) -> String {
    count > most ? style.paint(.faint, "  and \(grouped(count - most)) more: see --top") + "\n" : ""
  }

  private var liveTitle: String { "live at \(duration(report.at))" }

  private func key(_ sums: MemoryReport.Sums, peak: EstimatedBytes) -> Double {
    switch figure {
    case .allocated: sums.allocated.bytes
    case .live: sums.live.bytes
    case .peak: peak.bytes
    }
  }

  private var functions: String {
    let isPeak = figure == .peak
    var table = TextTable([
      .number("allocated"), .number("times"), .number(isPeak ? "at the peak" : liveTitle), .number("total"),
      .text("function", widest: 60), .text("source", widest: 32),
    ])
    let rows = report.functions.filter { $0.own.allocated.samples > 0 || isPeak && $0.peak.samples > 0 }
      .map { (row: $0, key: isPeak ? $0.peak.bytes : key($0.own, peak: $0.peak)) }
      .sorted { $0.key > $1.key }.map(\.row)
    for row in rows.prefix(most) {
      let shown = isPeak ? row.peak : row.own.live
      table.add([
        bytesText(row.own.allocated.bytes, error: row.own.allocated.error), MemoryWords.counts(row.own.allocated.count),
        bytesText(shown.bytes, error: shown.error), bytesText(row.total.allocated.bytes), row.function.name,
        row.function.lineText ?? row.function.module ?? "",
      ])
    }
    return table.text(style) + left(rows.count)
  }

  private var types: String {
    var table = TextTable([
      .number("allocated"), .number("times"), .number(liveTitle), .number("objects"), .text("type", widest: 72),
    ])
    let rows = report.types.sorted { key($0.sums, peak: $0.sums.live) > key($1.sums, peak: $1.sums.live) }
    for row in rows.prefix(most) {
      table.add([
        bytesText(row.sums.allocated.bytes, error: row.sums.allocated.error),
        MemoryWords.counts(row.sums.allocated.count),
        bytesText(row.sums.live.bytes, error: row.sums.live.error), MemoryWords.counts(row.sums.live.count),
        row.type ?? "no object, or not known",
      ])
    }
    return table.text(style) + left(rows.count)
  }

  private func rows(_ rows: [MemoryReport.WorkRow], _ title: String, hasQueues: Bool) -> String {
    var columns: [TextTable.Column] = [
      .number("allocated"), .number("each"), .number(liveTitle), .number("units"), .text(title, widest: 48),
    ]
    if hasQueues { columns += [.text("queue", widest: 32), .text("most in", widest: 48)] }
    var table = TextTable(columns)
    let rows = rows.sorted { key($0.sums, peak: $0.sums.live) > key($1.sums, peak: $1.sums.live) }
    // A name may say what it is of itself: `task of main`.
    func named(_ owner: Profile.Owner) -> String {
      owner.name.hasPrefix(owner.kind + " ") ? owner.name : "\(owner.kind) \(owner.name)"
    }
    for row in rows.prefix(most) {
      table.add(
        [
          bytesText(row.sums.allocated.bytes, error: row.sums.allocated.error),
          bytesText(row.sums.allocated.bytes / Double(row.units)),
          bytesText(row.sums.live.bytes, error: row.sums.live.error), grouped(row.units),
          named(row.owner),
        ] + (hasQueues ? [row.owner.queue ?? "", row.function?.name ?? ""] : []))
    }
    return table.text(style) + left(rows.count)
  }

  private var growth: String {
    var table = TextTable([
      .number("a second"), .number("grown by"), .number("lives on"), .number("since"), .text("function", widest: 48),
      .text("source", widest: 32), .text("called by", widest: 40), .text("type", widest: 48),
    ])
    for site in report.growth.prefix(most) {
      table.add([
        bytesText(site.bytesPerSecond, error: site.errorPerSecond),
        bytesText(site.growth.bytes, error: site.growth.error),
        percent(site.survivingShare), duration(site.since), site.function?.name ?? "unknown code",
        CodeLocation(file: site.function?.file, line: site.line ?? site.function?.line).lineText ?? "",
        site.callers.first?.name ?? "", site.type ?? "",
      ])
    }
    return table.text(style) + left(report.growth.count)
  }
}
