extension TraceTable {
  /// All tables, in the order in which they are shown. A new one is a file in `Tables/` and a word here.
  package static let all: [TraceTable] = [
    .traces, .operations, .dependencies, .queues, .queueChanges, .threads, .waits, .blocks, .tasks, .suspensions,
    .actorWaits, .spans, .spanAttributes, .spanLinks, .spanWork, .marks, .stacks, .samples, .requests, .requestParts,
    .criticalPath, .findings, .findingOperations, .busyThreads, .queueDepth,
  ]

  /// Rises when tables or columns change their meaning or go; new ones leave it as it is.
  package static let schemaVersion = 1

  /// The table of this name; nil: there is none.
  package static func named(_ name: String) -> TraceTable? { all.first { $0.name == name } }
}

/// A query that has a name, and can be asked as a table.
package struct TraceView: Sendable {
  /// Its name in queries.
  package let name: String
  /// What its rows are, in a few words.
  package let meaning: String
  /// Its definition, in SQL that every database reads.
  package let query: String

  /// Makes it in SQLite.
  package func statement(isTemporary: Bool) -> String { "CREATE \(isTemporary ? "TEMP " : "")VIEW \(name) AS \(query)" }

  /// All of them.
  package static let all: [TraceView] = [
    TraceView(
      name: "runs", meaning: "one row whenever a thread ran an operation's code or a block",
      query: """
        SELECT trace, 'operation' AS kind, id AS work, thread, began, coalesce(ended, finished) AS ended \
        FROM operations WHERE began IS NOT NULL \
        UNION ALL SELECT trace, 'block', id, thread, began, ended FROM blocks WHERE began IS NOT NULL
        """),
    TraceView(
      name: "transitions", meaning: "one row for each step of each operation's life",
      query: ["created", "enqueued", "ready", "started", "began", "ended", "finished", "cancelled", "released"].map {
        "SELECT trace, id AS operation, '\($0)' AS transition, \($0) AS time FROM operations WHERE \($0) IS NOT NULL"
      }.joined(separator: " UNION ALL ")),
  ]
}
