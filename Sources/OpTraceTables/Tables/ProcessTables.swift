import OpTraceKernel
import OpTraceModel

extension TraceTable {
  static let traces = TraceTable(
    "traces", "one row for each trace", key: [], of: { source -> [TraceHeader] in [source.trace.header] },
    [
      ColumnOf("program", .text, "the process's name") { _, header in .text(header.processName) },
      ColumnOf("pid", .integer, "the process id") { _, header in TableValue(header.processID) },
      ColumnOf("started_at", .integer, "the trace's start in nanoseconds since 1970, UTC") { _, header in
        TableValue(header.startWall)
      },
      ColumnOf("ended", .integer, "the trace's end") { source, _ in TableValue(source.trace.end) },
      ColumnOf("wall", .integer, "wall time, from when work was first added or started to the last finish") {
        source, _ in
        TableValue(source.trace.activity.map { $0.upperBound - $0.lowerBound })
      },
      ColumnOf("processors", .integer, "how many processors the process could use at once") { _, header in
        TableValue(header.processors)
      },
      ColumnOf("mode", .text, "streaming or flight-recorder") { _, header in .text(header.mode.rawValue) },
      ColumnOf("closed", .integer, "1: the recorder was stopped properly") { _, header in TableValue(header.isClosed) },
      ColumnOf("writer", .text, "the version of OpTrace that wrote it") { _, header in .text(header.writerVersion) },
      ColumnOf("boot", .text, "the system's boot id, which changes at each restart") { _, header in
        .text(hex(header.bootID))
      },
      ColumnOf("operations", .integer, "number of operations") { source, _ in TableValue(source.trace.operations.count)
      },
      ColumnOf("events", .integer, "number of records") { source, _ in TableValue(source.trace.eventCount) },
      ColumnOf("lost", .integer, "number of records that were lost") { source, _ in
        TableValue(source.trace.loss.lostCount)
      },
      ColumnOf("damaged", .integer, "number of damaged parts of the file") { source, _ in
        TableValue(source.trace.loss.damage.count)
      },
    ])

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

extension TraceTable {
  static let threads = TraceTable(
    "threads", "one row for each thread that recorded something", sortedBy: "id", of: { $0.trace.threads },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, thread in TableValue(thread.id) },
      ColumnOf("system_id", .integer, "the system's thread id") { _, thread in TableValue(thread.systemID) },
      ColumnOf("name", .text, "its name at its first record") { _, thread in
        TableValue(thread.name.isEmpty ? nil : thread.name)
      },
      ColumnOf("main", .integer, "1: the main thread") { _, thread in TableValue(thread.isMain) },
    ])
}

/// A frame of a stack that something in the trace names.
struct StackRow {
  var stack: FrameID
  var depth: Int
  var frame: FrameID

  /// Of all stacks that waits, samples, blocks, tasks and operations name: other frames are their callers.
  static func all(_ trace: Trace) -> [StackRow] {
    var named: Set<UInt32> = []
    func add(_ frame: FrameID?) { if let frame { named.insert(frame.rawValue) } }
    for wait in trace.waits { add(wait.at) }
    for sample in trace.samples { add(sample.at) }
    for index in trace.blocks.indices { add(trace.blocks[index].submittedAt) }
    for index in trace.tasks.indices { add(trace.tasks[index].submittedAt) }
    for index in trace.operations.indices {
      add(trace.operations[index].addedAt)
      add(trace.operations[index].madeAt)
    }
    return named.sorted().flatMap { stack in
      trace.stacks.stack(FrameID(stack)).enumerated().map { StackRow(stack: FrameID(stack), depth: $0, frame: $1) }
    }
  }
}

extension TraceTable {
  static let stacks = TraceTable(
    "stacks", "one row for each frame of each stack", isCostly: true, sortedBy: "stack", key: ["stack", "depth"],
    of: { StackRow.all($0.trace) },
    [
      ColumnOf("stack", .integer, "the stack's number") { _, row in TableValue(row.stack) },
      ColumnOf("depth", .integer, "0 is the innermost frame") { _, row in TableValue(row.depth) },
      ColumnOf("function", .text, "the function's short name; null: not known") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.shortName)
      },
      ColumnOf("module", .text, "the Swift module; without one, the binary's file name") { source, row in
        TableValue(
          source.trace.stacks.function(of: row.frame)?.module ?? source.trace.stacks.image(of: row.frame)?.name)
      },
      ColumnOf("file", .text, "the source file") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.file)
      },
      ColumnOf("line", .integer, "the line in the source file") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.line)
      },
    ])
}
