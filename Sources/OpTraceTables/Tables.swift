package import OpTraceDoctor

extension TraceTable {
  /// Rises when tables or columns change their meaning or go; new ones leave it as it is.
  package static let schemaVersion = 1
}

extension TableSet {
  /// What the recorder wrote, and the questions that are listed first.
  package static let recorded = TableSet(
    [
      .traces, .operations, .dependencies, .queues, .queueChanges, .threads, .waits, .blocks, .tasks, .suspensions,
      .actorWaits, .spans, .spanAttributes, .spanLinks, .spanWork, .marks, .stacks, .samples,
    ], views: [.runs, .transitions], questions: Question.usual)

  /// What it shows of the whole run.
  ///
  /// - Parameter rules: what findings are made by.
  package static func explained(by rules: RuleSet) -> TableSet {
    TableSet([.criticalPath] + TraceTable.findings(by: rules) + [.busyThreads, .queueDepth])
  }
}

extension TraceView {
  fileprivate static let runs = TraceView(
    name: "runs", meaning: "one row for each time a thread ran an operation's code or a block",
    query: """
      SELECT trace, 'operation' AS kind, id AS work, thread, began, coalesce(ended, finished) AS ended \
      FROM operations WHERE began IS NOT NULL \
      UNION ALL SELECT trace, 'block', id, thread, began, ended FROM blocks WHERE began IS NOT NULL
      """)

  fileprivate static let transitions = TraceView(
    name: "transitions", meaning: "one row for each step of each operation's life",
    query: ["created", "enqueued", "ready", "started", "began", "ended", "finished", "cancelled", "released"].map {
      "SELECT trace, id AS operation, '\($0)' AS transition, \($0) AS time FROM operations WHERE \($0) IS NOT NULL"
    }.joined(separator: " UNION ALL "))
}
