package import OpTraceDoctor
package import OpTraceText
import OpTraceKernel
package import OpTraceModel

/// What `optrace top` shows at one moment, as lines.
package struct LiveFrame: Sendable {
  /// The order of queues.
  package enum Order: String, Sendable, CaseIterable {
    /// In the order of creation.
    case made
    /// Queues whose oldest ready operation has been ready longest come first.
    case oldest
    /// Queues with the most ready operations come first.
    case ready
    /// Queues that have finished the most come first.
    case done
    /// By their names.
    case name

    /// The next order; the first follows the last.
    package var next: Order {
      let all = Order.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  /// The program, for the first line.
  package var title: String
  /// What the queues do.
  package var status: LiveStatus
  /// What capabilities show.
  package var contributions: [any LiveSection] = []
  /// The doctor's findings.
  package var findings: [Finding] = []
  /// The order of queues.
  package var order = Order.made
  /// Shows only queues and operations whose names or functions contain this.
  package var filter = ""
  /// The selected operation; nil: none.
  package var selected: WorkID?
  /// A message for the last line; nil: that line shows the keys.
  package var note: String?
  /// Whether to use only ASCII.
  package var isASCII = false

  /// The least columns and rows of a terminal.
  package static let smallest = (columns: 40, rows: 8)

  /// - Parameters:
  ///   - title: the program.
  ///   - status: what its queues do.
  package init(title: String, status: LiveStatus) {
    self.title = title
    self.status = status
  }

  /// The operations that are shown, longest first, one of which can be selected.
  package var chosen: [LiveStatus.Execution] {
    status.executing.filter { matches([$0.title, $0.queueTitle ?? "", $0.location.function ?? ""]) }
  }

  // MARK: - Lines

  /// All lines for a file or a pipe; only long lists are cut.
  package func lines(style: TextStyle) -> [String] {
    var lines = [paint(style, .strong, head(style.width), style.width)]
    for section in sections {
      lines += show(section, rows: section.most, style.width, style)
    }
    return lines
  }

  /// The lines for a terminal of this size: no more columns or rows.
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

  /// A description of the keys, in lines of at most so many columns.
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
    /// Lines to show instead of a table, each with its role.
    var texts: [(role: TextStyle.Role, text: String)] = []
    /// The roles of rows that are highlighted.
    var roles: [Int: TextStyle.Role] = [:]
    /// The most rows, if there is room.
    var most = 20

    var count: Int { table?.rows.count ?? texts.count }
    /// The number of lines besides the rows.
    var extra: Int { table == nil ? 1 : 2 }
  }

  private var sections: [Section] {
    let contributed = contributions.flatMap { $0.tables(LiveFilter(text: filter)) }.map { Section(table: $0) }
    var found = ([queueSection, executionSection] + contributed + [waitingSection, dispatchSection, taskSection])
      .filter { $0.count > 0 }
    if found.isEmpty, !filter.isEmpty { found = [Section(texts: [(.faint, "nothing contains '\(filter)'")])] }
    return ([findingsSection] + found + [noteSection]).filter { $0.count > 0 }
  }

  /// How many rows each section gets: a few for all, then one more for one after another.
  private static func shares(of rows: Int, _ sections: [Section]) -> [Int] {
    var shares = sections.map { _ in 0 }
    var left = rows
    // Each section needs its heading and a row.
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
    // If there is room for only one line, show the first row instead of the number of rows.
    let isCut = section.count > most && most > 1
    let count = isCut ? most - 1 : min(section.count, most)
    if let table = section.table {
      // Use the widths of all rows, so that columns do not jump.
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
      table.add([
        queue.title + (queue.isSuspended ? " (suspended)" : ""), queue.limit.map(grouped) ?? "-",
        grouped(queue.executing), grouped(queue.ready), grouped(queue.pending), queue.oldestReady.map(duration) ?? "-",
        rate(queue.finishedPerSecond), queue.slotWaitP50.map(duration) ?? "-",
        queue.slotWaitP99.map(duration) ?? "-",
      ])
    }
    if table.rows.isEmpty, filter.isEmpty, status.dispatch.isEmpty, status.tasks.isEmpty,
      contributions.allSatisfy(\.isEmpty)
    {
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
      table.add([
        (operation.id == selected ? "> " : "") + operation.title, operation.id.description,
        operation.queueTitle ?? "-", duration(operation.time), operation.location.text ?? "-",
        operation.waitsFor ?? (operation.isWaiting ? "?" : "-"), operation.heldBy?.description ?? "-",
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
      table.add([
        thread.title, thread.waitsFor, thread.time.map(duration) ?? "-",
        thread.location?.text ?? "-",
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
      table.add([
        queue.title, queue.width.map(grouped) ?? "-", grouped(queue.running), grouped(queue.waiting),
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
      table.add([
        task.title, grouped(task.running), grouped(task.waiting), grouped(task.suspended), duration(task.oldest),
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

  private func matches(_ texts: [String]) -> Bool { LiveFilter(text: filter).matches(texts) }
}
