import OpTraceModel

/// A frame of a stack that something in the trace names.
struct StackRow {
  var stack: FrameID
  var depth: Int
  var frame: FrameID

  /// Of all stacks that waits, blocks, tasks and operations name: other frames are their callers.
  static func all(_ trace: Trace) -> [StackRow] {
    var named: Set<UInt32> = []
    func add(_ frame: FrameID?) { if let frame { named.insert(frame.rawValue) } }
    for wait in trace.waits { add(wait.at) }
    for place in trace.blocks.indices { add(trace.blocks[place].submittedAt) }
    for place in trace.tasks.indices { add(trace.tasks[place].submittedAt) }
    for place in trace.operations.indices {
      add(trace.operations[place].addedAt)
      add(trace.operations[place].madeAt)
    }
    return named.sorted().flatMap { stack in
      trace.stacks.stack(FrameID(stack)).enumerated().map { StackRow(stack: FrameID(stack), depth: $0, frame: $1) }
    }
  }
}

extension TraceTable {
  static let stacks = TraceTable(
    "stacks", "one row for each frame of each stack", isCostly: true, sortedBy: "stack", of: { $0.frames },
    [
      ColumnOf("stack", .integer, "the stack's number") { _, row in TableValue(row.stack) },
      ColumnOf("depth", .integer, "0: the innermost") { _, row in TableValue(row.depth) },
      ColumnOf("function", .text, "its short name; null: not known") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.shortName)
      },
      ColumnOf("module", .text, "the Swift module, else the file of the code") { source, row in
        TableValue(
          source.trace.stacks.function(of: row.frame)?.module ?? source.trace.stacks.image(of: row.frame)?.name)
      },
      ColumnOf("file", .text, "where the code stands") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.file)
      },
      ColumnOf("line", .integer, "where the code stands") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.line)
      },
    ])
}
