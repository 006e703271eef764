import OpTraceKernel
import OpTraceModel
public import OpTraceText

/// A ``DoctorReport`` for people: each finding in the form of a compiler message, and a verdict at the end.
public struct DoctorText: Sendable {
  /// A command to run next, and what it does.
  public struct Hint: Sendable {
    /// What to type.
    public var command: String
    /// What it shows, in a few words.
    public var purpose: String

    /// Both in this order.
    public init(_ command: String, _ purpose: String) {
      self.command = command
      self.purpose = purpose
    }
  }

  /// More rows are only counted.
  static let mostOperations = 6
  static let mostEvidence = 8
  static let mostOfCycle = 6
  static let mostConsequences = 5

  package let report: DoctorReport
  let style: TextStyle
  private let queues: [QueueID: QueueRecord]
  private let threads: [ThreadID: ThreadRecord]

  /// The text of this report. O(queues + threads).
  public init(_ report: DoctorReport, style: TextStyle = .plain) {
    self.report = report
    self.style = style
    queues = Dictionary(report.trace.queues.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    threads = Dictionary(report.trace.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The answer in one sentence, findings with a blank line between them, then the verdict and what to do next.
  /// - Parameter answers: false: without the first, where it was said already.
  public func text(next hints: [Hint] = [], answers: Bool = true) -> String {
    let role = report.verdict == .healthy ? TextStyle.Role.good : .strong
    let answer = wrapped(Self.shown(report.answer)).map { style.paint(role, $0) }
    // Not wrapped, so that no line begins with a text of the program.
    let kept = report.trace.header.keptSentence.map { [style.paint(.strong, $0)] } ?? []
    var parts = (answers ? kept + [answer.joined(separator: "\n")] : []) + report.findings.map { text(of: $0) }
    let last = verdict(hints).joined(separator: "\n")
    if !last.isEmpty { parts.append(last) }
    return parts.isEmpty ? "" : TerminalText.harmless(parts.joined(separator: "\n\n") + "\n")
  }

  /// One finding alone; ends without a line end.
  public func text(of finding: Finding) -> String {
    TerminalText.harmless((finding.severity == .note ? note(finding) : full(finding)).joined(separator: "\n"))
  }

  // MARK: One finding

  private func full(_ finding: Finding) -> [String] {
    var facts = operations(finding.operations)
    if finding.cycle.count > 1 { facts += labelled("cycle", cycle(finding.cycle)) }
    if finding.behind > 0 {
      let isOver = finding.operations.allSatisfy { report.trace.operation($0)?.finished != nil }
      let what = isOver ? "waited" : finding.behind == 1 ? "waits" : "wait"
      facts += labelled("behind", "\(counted(finding.behind, "more operation")) \(what) for these, directly or not")
    }
    let advice =
      labelled("why", Self.sentence(finding.explanation)) + labelled("certainty", Self.certainty(finding))
      + labelled("fix", finding.fix) + consequences(finding)
    let parts = [facts, evidence(finding.evidence), advice].filter { !$0.isEmpty }
    return head(finding) + parts.joined(separator: [""])
  }

  /// A note needs no evidence.
  private func note(_ finding: Finding) -> [String] {
    head(finding) + labelled("certainty", Self.certainty(finding)) + labelled("fix", finding.fix)
  }

  /// Empty for what is proven.
  private static func certainty(_ finding: Finding) -> String {
    switch finding.certainty {
    case .proven: ""
    case .likely: "likely, not proven"
    case .possible where finding.isLatent: "possible: it did not happen in this run"
    case .possible: "possible: \(finding.doubt ?? "something may still end it")"
    }
  }

  /// What follows from it.
  private func consequences(_ finding: Finding) -> [String] {
    guard !finding.consequences.isEmpty else { return [] }
    let shown = finding.consequences.prefix(Self.mostConsequences).map { "\($0.title) [\($0.code)]" }
    let rest = finding.consequences.count - shown.count
    return labelled("because of it", listed(shown + (rest > 0 ? ["\(grouped(rest)) more"] : [])))
  }

  private func head(_ finding: Finding) -> [String] {
    style.head(finding.severity, finding.code.rawValue, Self.shown(finding.title))
  }

  static func role(of severity: Finding.Severity) -> TextStyle.Role {
    switch severity {
    case .error: .error
    case .warning: .warning
    case .note: .note
    }
  }

  /// In columns where they fit, else the source on a line of its own.
  private func operations(_ ids: [OperationID]) -> [String] {
    let rows = ids.prefix(Self.mostOperations).map(row)
    func width(_ cell: KeyPath<Row, String>) -> Int {
      rows.reduce(0) { max($0, TerminalText.columns(of: $1[keyPath: cell])) }
    }
    let (name, state) = (width(\.name), width(\.state))
    let isWide = 2 + name + 2 + state + 2 + width(\.kind) <= style.width
    var lines: [String] = []
    for row in rows {
      let start = "  " + style.paint(.strong, TerminalText.padded(row.name, name)) + "  "
      if isWide {
        lines.append(start + trimmed(TerminalText.padded(row.state, state) + "  " + row.kind))
      } else {
        if 2 + name + 2 + state <= style.width {
          lines.append(start + row.state)
        } else {
          lines += ["  " + style.paint(.strong, TerminalText.fitting(row.name, style.width - 2))]
          lines += TerminalText.wrapped(row.state, to: style.width - 6).map { "      " + $0 }
        }
        if !row.kind.isEmpty { lines += TerminalText.wrapped(row.kind, to: style.width - 6).map { "      " + $0 } }
      }
    }
    if ids.count > rows.count { lines.append("  and \(grouped(ids.count - rows.count)) more") }
    return lines
  }

  private struct Row {
    var name: String
    var state = ""
    /// Class and source.
    var kind = ""
  }

  private func row(_ id: OperationID) -> Row {
    guard let operation = report.trace.operation(id) else { return Row(name: "\(id)") }
    var row = Row(name: "'\(Self.shown(operation.title, 40))' (\(id))")
    if operation.name != nil { row.kind = Self.shown(operation.className, 60) }
    if let source = operation.source { row.kind += (row.kind.isEmpty ? "at " : " at ") + Self.shown(source, 80) }
    let (word, since) = report.state(of: operation)
    row.state = word + (since.flatMap { TraceOrigin.isUnknown($0) ? nil : " \(DurationText.text($0))" } ?? "")
    if let queue = operation.queue {
      row.state += " in " + (queues[queue]?.title(quoting: { Self.shown($0, 40) }) ?? queue.description)
    } else if word == "pending" {
      row.state = "never enqueued"
    }
    return row
  }

  private func cycle(_ ids: [OperationID]) -> String {
    func name(_ id: OperationID) -> String { "'\(Self.shown(report.trace.operation(id)?.title ?? "\(id)", 40))'" }
    var names = ids.prefix(Self.mostOfCycle).map(name)
    if ids.count > names.count { names.append("\(grouped(ids.count - names.count)) more") }
    return (names + ids.prefix(1).map(name)).joined(separator: " → ")
  }

  /// When, on which thread, what.
  private func evidence(_ all: [Finding.Evidence]) -> [String] {
    let shown = all.prefix(Self.mostEvidence)
    // A snapshot does not know when something began.
    let isTimed = report.trace.origin == nil
    let cells = shown.map { [isTimed ? $0.time.map(Self.seconds) ?? "" : "", thread(of: $0)] }
    let widths = (0..<2).map { column in cells.reduce(0) { max($0, TerminalText.columns(of: $1[column])) } }
    let indent = widths.reduce(2) { $0 + ($1 > 0 ? $1 + 2 : 0) }
    // In a narrow window the text goes below its time.
    let isNarrow = style.width - indent < 30
    var lines: [String] = []
    for (cells, evidence) in zip(cells, shown) {
      var start = "  "
      if widths[0] > 0 { start += TerminalText.padded(cells[0], widths[0], right: true) + "  " }
      if widths[1] > 0 { start += TerminalText.padded(cells[1], widths[1]) + "  " }
      let hanging = isNarrow ? 6 : indent
      let text = TerminalText.wrapped(Self.shown(evidence.text), to: style.width - hanging)
      let rest = text.dropFirst(isNarrow ? 0 : 1).map { String(repeating: " ", count: hanging) + $0 }
      lines.append(style.paint(.faint, isNarrow ? trimmed(start) : start) + (isNarrow ? "" : text.first ?? ""))
      lines += rest
    }
    if all.count > shown.count { lines.append("  and \(grouped(all.count - shown.count)) more like these") }
    return lines
  }

  /// Empty where the text names it.
  private func thread(of evidence: Finding.Evidence) -> String {
    guard let id = evidence.thread else { return "" }
    guard let thread = threads[id] else { return "\(id)" }
    // What made the snapshot is no thread of the program.
    if report.trace.origin != nil, thread.systemID == 0 { return "" }
    let name = thread.isMain ? "main thread" : "thread \(thread.systemID)"
    return evidence.text.hasPrefix(name) || evidence.text.hasPrefix("the \(name)") ? "" : name
  }

  // MARK: Pieces

  func labelled(_ label: String, _ text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    let lead = "  \(label): "
    let lines = TerminalText.wrapped(Self.shown(text), to: style.width - lead.count)
    let hanging = String(repeating: " ", count: lead.count)
    return lines.enumerated().map { $0 == 0 ? style.paint(.note, lead) + $1 : hanging + $1 }
  }

  /// `0.002 s` since the trace's start.
  static func seconds(_ time: Nanoseconds) -> String {
    if TraceOrigin.isUnknown(time) { return "" }
    let milliseconds = (time.magnitude + 500_000) / 1_000_000
    let rest = String(milliseconds % 1000)
    let sign = time < 0 && milliseconds > 0 ? "−" : ""
    return "\(sign)\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
  }

  /// An explanation may begin with the name of a queue.
  static func sentence(_ text: String) -> String {
    // `start()` keeps its name.
    let word = text.prefix { $0 != " " }
    return word.contains("(") || word.contains { $0.isUppercase }
      ? text : text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Fit for a terminal, and not endless.
  static func shown(_ text: String, _ widest: Int = 2000) -> String {
    TerminalText.fitting(TerminalText.printable(text), widest)
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension TextStyle {
  /// `error[code]: title`.
  func head(_ severity: Finding.Severity, _ code: String, _ title: String) -> [String] {
    let lead = "\(severity.rawValue)[\(code)]:"
    return TerminalText.wrapped(lead + " " + title, to: width).enumerated().map { number, line in
      guard number == 0, line.hasPrefix(lead) else { return paint(.strong, line) }
      return paint(DoctorText.role(of: severity), lead) + paint(.strong, String(line.dropFirst(lead.count)))
    }
  }
}

/// The last lines: the verdict, whether anything moves, what is missing, what to run next.
extension DoctorText {
  func verdict(_ hints: [Hint]) -> [String] {
    // A program that works has its sentence in the first line.
    var lines = report.verdict == .healthy || report.verdict == .unknown && report.findings.isEmpty ? [] : sentence
    if let loss = report.lossSentence { lines += wrapped(loss) }
    lines += origin
    if let machine = report.machineRemark { lines += wrapped(machine) }
    if let unknown = report.unknownWaitsSentence { lines += wrapped(unknown) }
    if let movement = report.movement { lines += wrapped(text(of: movement)) }
    let width = hints.reduce(0) { max($0, TerminalText.columns(of: $1.command)) }
    let widest = hints.reduce(0) { max($0, TerminalText.columns(of: $1.purpose)) }
    for hint in hints {
      // Commands are never wrapped: people copy them.
      guard 2 + width + 2 + widest <= style.width else {
        lines += [style.paint(.faint, "\(hint.purpose):"), "  " + style.paint(.strong, hint.command)]
        continue
      }
      lines.append(
        "  " + style.paint(.strong, TerminalText.padded(hint.command, width)) + "  " + style.paint(.faint, hint.purpose)
      )
    }
    return lines
  }

  /// What a trace that nobody recorded cannot show, and what was left out of it.
  private var origin: [String] {
    guard let origin = report.trace.origin else { return [] }
    let shown = origin.leftOut.prefix(Self.mostEvidence).map { "Left out: " + Self.shown($0) }
    let rest = origin.leftOut.count - shown.count
    return ([origin.sentence(until: report.end)] + shown + (rest > 0 ? ["And \(grouped(rest)) more."] : []))
      .flatMap(wrapped)
  }

  private var sentence: [String] {
    let lines = wrapped(report.sentence)
    let word = report.verdict.rawValue
    return lines.enumerated().map {
      $0 == 0 ? style.paint(report.hasErrors ? .error : .warning, word) + $1.dropFirst(word.count) : $1
    }
  }

  private func text(of movement: DoctorReport.Movement) -> String {
    let readings = "between two readings \(DurationText.text(movement.apart)) apart"
    guard movement.hasMoved else {
      let silence = DurationText.text(report.silence)
      return report.trace.hasOpenWork
        ? "Nothing moved \(readings); nothing has moved for \(silence)."
        : "Nothing moved \(readings): there was nothing to do."
    }
    let parts = [
      (movement.added, "added"), (movement.started, "started"), (movement.finished, "finished"),
    ].filter { $0.0 > 0 }
    guard let first = parts.first else {
      return "Queues or waits changed \(readings), but no operation began or ended."
    }
    let rest = parts.dropFirst().map { "\(grouped($0.0)) \($0.1)" }
    let all = ["\(counted(first.0, "operation")) \(first.0 == 1 ? "was" : "were") \(first.1)"] + rest
    return "\(listed(all)) \(readings): work continues."
  }

  private func wrapped(_ text: String) -> [String] { TerminalText.wrapped(text, to: style.width) }
}
