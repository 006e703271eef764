package import OpTraceText
package import OpTraceAnalysis
package import OpTraceModel

/// What `optrace top` shows of a moment, as lines.
package struct LiveFrame: Sendable {
  /// By what queues are sorted.
  package enum Order: String, Sendable, CaseIterable {
    /// As they were made.
    case made
    /// The one whose oldest ready operation has been ready longest.
    case oldest
    /// The one with most ready operations.
    case ready
    /// The one that has finished most.
    case done
    /// By their names.
    case name

    /// The next one, round and round.
    package var next: Order {
      let all = Order.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  /// What the program is, in the first line.
  package var title: String
  /// What the queues do.
  package var status: LiveStatus
  /// What the doctor says.
  package var findings: [Finding] = []
  /// By what queues are sorted.
  package var order = Order.made
  /// Only queues and operations are shown whose names or functions have this in them.
  package var filter = ""
  /// The operation that is chosen; nil: none.
  package var selected: WorkID?
  /// What is said in the last line; nil: which keys there are.
  package var note: String?
  /// Only ASCII.
  package var isASCII = false

  /// Columns and rows that a terminal must have.
  package static let smallest = (columns: 40, rows: 8)

  /// - Parameters:
  ///   - title: what the program is.
  ///   - status: what its queues do.
  package init(title: String, status: LiveStatus) {
    self.title = title
    self.status = status
  }

  /// The operations that are shown, longest first: what can be chosen.
  package var chosen: [LiveStatus.Execution] {
    status.executing.filter { matches([$0.title, $0.queueTitle ?? "", $0.location.function ?? ""]) }
  }

  // MARK: - Lines

  /// For a file or a pipe: all there is but long lists' ends.
  package func lines(style: TextStyle) -> [String] {
    var lines = [paint(style, .strong, head(style.width), style.width)]
    for section in sections {
      lines += show(section, rows: section.most, style.width, style)
    }
    return lines
  }

  /// For a terminal of this size: not a column or a row more.
  package func lines(columns: Int, rows: Int, style: TextStyle) -> [String] {
    guard columns >= Self.smallest.columns, rows >= Self.smallest.rows else {
      let text = "too small: \(Self.smallest.columns) columns, \(Self.smallest.rows) rows"
      return Array([TerminalText.clipped(text, columns)].prefix(rows))
    }
    var lines = [paint(style, .strong, head(columns), columns)]
    let sections = sections
    for (section, count) in zip(sections, Self.shares(of: rows - 2, sections)) where count > 0 {
      lines += show(section, rows: count, columns, style)
    }
    lines = Array(lines.prefix(rows - 1))
    lines += Array(repeating: "", count: rows - 1 - lines.count)
    return lines + [paint(style, .faint, note ?? Self.keys(columns), columns)]
  }

  /// The keys, as many as fit.
  private static func keys(_ columns: Int) -> String {
    columns < 72
      ? "q quit  s sort  / filter  ? help"
      : "q quit  s sort  / filter  p pause  up/down choose  enter report  ? help"
  }

  /// What the keys do, in lines of at most so many columns.
  package static func help(columns: Int) -> [String] {
    help.flatMap { TerminalText.columns(of: $0) > columns ? TerminalText.wrapped($0, to: columns) : [$0] }
  }

  private static let help = [
    "q, Ctrl-C   quit", "s           sort queues: as made, oldest ready, ready, done, name",
    "/           show only what contains a text; Esc shows all", "p, space    pause and continue",
    "up, down    choose an operation (also k, j)", "enter, o    open it in the report",
    "?           show this help; any key closes it",
  ]

  private func head(_ width: Int) -> String {
    var parts = [title, duration(status.now)]
    parts.append(
      counted(status.threads, "thread") + " busy"
        + (status.waitingThreads > 0 ? ", \(grouped(status.waitingThreads)) of them waiting" : ""))
    if order != .made { parts.append("by \(order.rawValue)") }
    if !filter.isEmpty { parts.append("/\(filter)") }
    return parts.map(TerminalText.printable).joined(separator: "  ")
  }

  /// A table with a heading, or lines.
  struct Section {
    var table: FittedTable?
    /// Instead of a table: each with its role.
    var texts: [(role: TextStyle.Role, text: String)] = []
    /// Indexes of rows to be painted, and how.
    var roles: [Int: TextStyle.Role] = [:]
    /// How many rows where there is room.
    var most = 20

    var count: Int { table?.rows.count ?? texts.count }
    /// Lines besides the rows.
    var extra: Int { table == nil ? 1 : 2 }
  }

  private var sections: [Section] {
    var found = [
      queueSection, executionSection, requestSection, loopSection, actorSection, waitingSection, dispatchSection,
      taskSection,
    ].filter { $0.count > 0 }
    if found.isEmpty, !filter.isEmpty { found = [Section(texts: [(.faint, "nothing contains '\(filter)'")])] }
    return ([findingsSection] + found + [noteSection]).filter { $0.count > 0 }
  }

  /// So many rows for each: a few for all, then one after the other gets one more.
  private static func shares(of rows: Int, _ sections: [Section]) -> [Int] {
    var shares = sections.map { _ in 0 }
    var left = rows
    // Each needs its heading and a row.
    for index in sections.indices where left >= sections[index].extra + 1 {
      shares[index] = 1
      left -= sections[index].extra + 1
    }
    while left > 0 {
      var hasGiven = false
      for index in sections.indices where shares[index] > 0 && shares[index] < sections[index].count && left > 0 {
        shares[index] += 1
        left -= 1
        hasGiven = true
      }
      if !hasGiven { break }
    }
    return shares
  }

  private func show(_ section: Section, rows most: Int, _ width: Int, _ style: TextStyle) -> [String] {
    var lines = [""]
    // Where there is room for one line, that is the first row, and not how many there are.
    let isCut = section.count > most && most > 1
    let count = isCut ? most - 1 : min(section.count, most)
    if let table = section.table {
      // Widths are those of all rows, so that they do not jump.
      let (heading, rows) = table.lines(width: width)
      lines.append(paint(style, .faint, heading, width))
      for (index, row) in rows.prefix(count).enumerated() {
        lines.append(section.roles[index].map { paint(style, $0, row, width) } ?? plain(row, width))
      }
    } else {
      for (role, text) in section.texts.prefix(count) { lines.append(paint(style, role, text, width)) }
    }
    if isCut { lines.append(paint(style, .faint, "  … and \(grouped(section.count - count)) more", width)) }
    return lines
  }

  private func plain(_ text: String, _ width: Int) -> String {
    let clipped = TerminalText.clipped(TerminalText.printable(text), width)
    return isASCII ? TerminalText.ascii(clipped) : clipped
  }

  private func paint(_ style: TextStyle, _ role: TextStyle.Role, _ text: String, _ width: Int) -> String {
    style.paint(role, plain(text, width))
  }

  // MARK: - What there is

  private var findingsSection: Section {
    var section = Section()
    section.texts = findings.map { finding in
      let role: TextStyle.Role = finding.severity == .error ? .error : finding.severity == .warning ? .warning : .note
      return (role, "\(finding.severity.rawValue)[\(finding.code)]: \(finding.title)")
    }
    return section
  }

  private var queueSection: Section {
    var section = Section()
    var table = FittedTable([
      .init(title: "queue", rank: 0, least: 8), .init(title: "limit", isNumber: true, rank: 5),
      .init(title: "exec", isNumber: true, rank: 0), .init(title: "ready", isNumber: true, rank: 0),
      .init(title: "pend", isNumber: true, rank: 1), .init(title: "oldest", isNumber: true, rank: 0),
      .init(title: "done/s", isNumber: true, rank: 2), .init(title: "wait p50", isNumber: true, rank: 4),
      .init(title: "p99", isNumber: true, rank: 3),
    ])
    for queue in sortedQueues {
      if queue.isSuspended { section.roles[table.rows.count] = .warning }
      table.rows.append([
        shown(queue.title) + (queue.isSuspended ? " (suspended)" : ""), queue.limit.map(grouped) ?? "-",
        grouped(queue.executing), grouped(queue.ready), grouped(queue.pending), queue.oldestReady.map(duration) ?? "-",
        Self.rate(queue.finishedPerSecond), queue.slotWaitP50.map(duration) ?? "-",
        queue.slotWaitP99.map(duration) ?? "-",
      ])
    }
    if table.rows.isEmpty, filter.isEmpty, status.dispatch.isEmpty, status.tasks.isEmpty, status.services == .init() {
      section.texts = [(.faint, "no operation queue at the moment")]
      return section
    }
    section.table = table
    section.most = .max
    return section
  }

  private var sortedQueues: [LiveStatus.Queue] {
    let queues = status.queues.filter { matches([$0.title]) }
    return switch order {
    case .made: queues
    case .oldest: queues.sorted { ($1.oldestReady ?? -1, $0.id) < ($0.oldestReady ?? -1, $1.id) }
    case .ready: queues.sorted { ($1.ready, $0.id) < ($0.ready, $1.id) }
    case .done: queues.sorted { ($1.finishedPerSecond, $0.id) < ($0.finishedPerSecond, $1.id) }
    case .name: queues.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    }
  }

  private var executionSection: Section {
    var section = Section()
    var table = FittedTable([
      .init(title: "executing", rank: 0, least: 10), .init(title: "id", isNumber: true, rank: 4),
      .init(title: "queue", rank: 3), .init(title: "for", isNumber: true, rank: 0),
      .init(title: "at", rank: 1, least: 8), .init(title: "waits for", rank: 5),
      .init(title: "held by", isNumber: true, rank: 2),
    ])
    for operation in chosen {
      if operation.id == selected { section.roles[table.rows.count] = .strong }
      table.rows.append([
        (operation.id == selected ? "> " : "") + shown(operation.title), operation.id.description,
        shown(operation.queueTitle ?? "-"), duration(operation.time), shown(operation.location.text ?? "-"),
        shown(operation.waitsFor ?? (operation.isWaiting ? "?" : "-")), operation.heldBy?.description ?? "-",
      ])
    }
    section.table = table
    return section
  }

  private var waitingSection: Section {
    var table = FittedTable([
      .init(title: "thread", rank: 0, least: 8), .init(title: "waits for", rank: 0, least: 8),
      .init(title: "for", isNumber: true, rank: 0), .init(title: "at", rank: 1, least: 8),
    ])
    for thread in status.waiting where matches([thread.title, thread.waitsFor]) {
      table.rows.append([
        shown(thread.title), shown(thread.waitsFor), thread.time.map(duration) ?? "-",
        shown(thread.location?.text ?? "-"),
      ])
    }
    return Section(table: table)
  }

  private var dispatchSection: Section {
    var table = FittedTable([
      .init(title: "dispatch queue", rank: 0, least: 10), .init(title: "width", isNumber: true, rank: 2),
      .init(title: "run", isNumber: true, rank: 0), .init(title: "wait", isNumber: true, rank: 0),
      .init(title: "oldest", isNumber: true, rank: 1),
    ])
    for queue in status.dispatch where matches([queue.title]) {
      table.rows.append([
        shown(queue.title), queue.width.map(grouped) ?? "-", grouped(queue.running), grouped(queue.waiting),
        queue.oldest.map(duration) ?? "-",
      ])
    }
    return Section(table: table)
  }

  private var taskSection: Section {
    var table = FittedTable([
      .init(title: "tasks", rank: 0, least: 10), .init(title: "run", isNumber: true, rank: 0),
      .init(title: "wait", isNumber: true, rank: 0), .init(title: "suspended", isNumber: true, rank: 1),
      .init(title: "oldest", isNumber: true, rank: 2),
    ])
    for task in status.tasks where matches([task.title]) {
      table.rows.append([
        shown(task.title), grouped(task.running), grouped(task.waiting), grouped(task.suspended), duration(task.oldest),
      ])
    }
    return Section(table: table)
  }

  private var noteSection: Section {
    guard status.uncertain > 0 else { return Section() }
    let until = status.incompleteUntil.map { ": records from before \(duration($0)) are missing" } ?? ""
    return Section(texts: [
      (.faint, "\(counted(status.uncertain, "operation", is: true)) not counted and may be finished\(until)")
    ])
  }

  // MARK: - Words

  func matches(_ texts: [String]) -> Bool {
    filter.isEmpty || texts.contains { $0.lowercased().contains(filter.lowercased()) }
  }

  func shown(_ text: String) -> String { TerminalText.printable(text) }

  static func rate(_ value: Double) -> String {
    if value == 0 { return "0" }
    if value < 9.95 { return String(Int((value * 10).rounded()) / 10) + "." + String(Int((value * 10).rounded()) % 10) }
    return grouped(Int(value.rounded()))
  }
}
