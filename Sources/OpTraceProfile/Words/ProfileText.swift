import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// A profile for people: tables of functions, and of what they ran for.
package struct ProfileText {
  /// What a table has a row for.
  package enum Table: Sendable { case functions, work, threads, queues }

  /// Functions below a row of work, where these are what the table is of.
  private static let functionsOfGroup = 5

  private let profile: Profile
  private let style: TextStyle
  /// Rows of a table.
  private let most: Int
  private let total: Nanoseconds

  package init(_ profile: Profile, most: Int = 20, style: TextStyle = .plain) {
    self.profile = profile
    self.most = most
    self.style = style
    total = profile.total
  }

  /// Ends with a line end. O(samples + frames of all stacks of each group).
  package func text(by table: Table) -> String {
    var parts = [head]
    if profile.facts.isOffProcessor {
      parts.append(section("What was waited for", groups(.reason, "reason", functions: 0)))
    }
    switch table {
    case .functions:
      let rows = profile.functionRows()
      parts.append(section("Functions", functions(rows)))
      parts.append(section("The program's own functions, with the libraries that they call", own(rows)))
      parts.append(section("Work", groups(.work, "work", functions: 1)))
      parts.append(section("Tests and other named work", groups(.span, "name", functions: 1)))
    case .work: parts.append(section("Work", groups(.work, "work", functions: Self.functionsOfGroup)))
    case .threads: parts.append(section("Threads", groups(.thread, "thread", functions: Self.functionsOfGroup)))
    case .queues: parts.append(section("Queues", groups(.queue, "queue", functions: Self.functionsOfGroup)))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : style.paint(.strong, title) + "\n" + body
  }

  private var head: String {
    let name = profile.processName.isEmpty ? "process" : TerminalText.printable(profile.processName)
    let what =
      profile.facts.isOffProcessor
      ? "\(duration(total)) of waiting in \(counted(profile.samples.count, "wait"))"
      : "\(duration(total)) of processor time in \(counted(profile.samples.count, "sample"))"
    let title = style.paint(.strong, name) + (profile.processID > 0 ? " (pid \(profile.processID))" : "") + ": " + what
    return title + "\n" + ProfileNotes(profile).text(width: style.width)
  }

  private func share(_ weight: Nanoseconds) -> String {
    percent(total > 0 ? Double(weight) / Double(total) : 0)
  }

  private func left(_ count: Int) -> String {
    count > most ? style.paint(.faint, "  and \(grouped(count - most)) more: see --top") + "\n" : ""
  }

  private func functions(_ rows: [Profile.FunctionRow]) -> String {
    var table = TextTable([
      .number("self"), .number("share"), .number("total"), .number("share"), .text("function", widest: 60),
      .text("module", widest: 24), .text("source", widest: 32),
    ])
    for row in rows.prefix(most) {
      let function = profile.functions[row.function]
      table.add([
        duration(row.own), share(row.own), duration(row.total), share(row.total), function.name,
        function.name == function.module ? "" : function.module ?? "", function.source,
      ])
    }
    return table.text(style) + left(rows.count)
  }

  /// What of its own code a program's author can change.
  private func own(_ rows: [Profile.FunctionRow]) -> String {
    let rows = Self.charged(rows)
    var table = TextTable([
      .number("time"), .number("share"), .number("total"), .number("share"), .text("function", widest: 60),
      .text("source", widest: 32),
    ])
    for row in rows.prefix(most) {
      let function = profile.functions[row.function]
      table.add([
        duration(row.charged), share(row.charged), duration(row.total), share(row.total), function.name,
        function.source,
      ])
    }
    return table.text(style) + left(rows.count)
  }

  private static func charged(_ rows: [Profile.FunctionRow]) -> [Profile.FunctionRow] {
    rows.filter { $0.charged > 0 }.sorted { ($1.charged, $1.total, $0.function) < ($0.charged, $0.total, $1.function) }
  }

  /// What to say of the functions of a group: the program's own with the libraries that they call; without own code, the libraries'.
  private static func leading(_ rows: [Profile.FunctionRow]) -> [(weight: Nanoseconds, function: Int)] {
    let charged = charged(rows)
    if !charged.isEmpty { return charged.map { ($0.charged, $0.function) } }
    return rows.filter { $0.own > 0 }.map { ($0.own, $0.function) }
  }

  /// - Parameter functions: how many of its functions stand beside a row of each group, the first in the row itself.
  private func groups(_ grouping: Profile.Grouping, _ title: String, functions count: Int) -> String {
    let rows = profile.groupRows(by: grouping)
    let hasQueues = grouping == .work
    var columns: [TextTable.Column] = [.number("time"), .number("share"), .text(title, widest: 48)]
    if hasQueues { columns.append(.text("queue", widest: 32)) }
    if count > 0 {
      columns += [.number(count > 1 ? "of it" : ""), .text(count > 1 ? "function" : "most in", widest: 60)]
    }
    var table = TextTable(columns)
    for row in rows.prefix(most) {
      var cells = [duration(row.weight), share(row.weight), row.name.title] + (hasQueues ? [row.name.queue] : [])
      let empty = Array(repeating: "", count: cells.count)
      let functions = count > 0 ? Self.leading(row.functions).prefix(count) : []
      for function in functions {
        cells += [duration(function.weight), profile.functions[function.function].name]
        table.add(cells)
        cells = empty
      }
      if functions.isEmpty { table.add(cells) }
    }
    return table.text(style) + left(rows.count)
  }
}

extension Profile.Function {
  /// `main.swift:12`, or nothing.
  var source: String { lineText ?? "" }
}

extension Profile.GroupName {
  fileprivate var title: String {
    switch self {
    case .owner(let owner): owner.title
    case .thread(_, let thread): thread.systemID > 0 ? "\(thread.name) (tid \(thread.systemID))" : thread.name
    case .queue(let name): name ?? "in no queue"
    case .tasks: TaskRecord.groupTitle
    case .reason(let words): words
    case .span(let name): name
    }
  }

  fileprivate var queue: String {
    if case .owner(let owner) = self { return owner.queue ?? "" }
    return ""
  }
}

extension Profile.Owner {
  /// `operation Resize`.
  var title: String { "\(kind) \(name)" }
}
