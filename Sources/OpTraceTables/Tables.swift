extension TraceTable {
  /// All tables, in the order in which they are shown. A new one is a file in `Tables/` and a word here.
  public static let all: [TraceTable] = [
    .traces, .operations, .dependencies, .queues, .queueChanges, .threads, .waits, .blocks, .tasks, .spans, .spanWork,
    .marks, .stacks,
    .criticalPath, .findings, .findingOperations, .busyThreads, .queueDepth,
  ]

  /// Rises when tables or columns change their meaning or go; new ones leave it as it is.
  public static let schemaVersion = 1

  /// The table of this name; nil: there is none.
  public static func named(_ name: String) -> TraceTable? { all.first { $0.name == name } }
}
