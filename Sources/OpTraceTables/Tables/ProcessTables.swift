import OpTraceKernel
import OpTraceModel

extension TraceTable {
  static let traces = TraceTable(
    "traces", "one row for each trace", key: [], of: { source -> [TraceHeader] in [source.trace.header] },
    [
      ColumnOf("program", .text, "the process's name") { _, header in .text(header.processName) },
      ColumnOf("pid", .integer, "the process's number") { _, header in TableValue(header.processID) },
      ColumnOf("started_at", .integer, "the trace's start, nanoseconds since 1970, UTC") { _, header in
        TableValue(header.startWall)
      },
      ColumnOf("ended", .integer, "the trace's end") { source, _ in TableValue(source.trace.end) },
      ColumnOf("wall", .integer, "from the first enqueueing or start to the last finish") { source, _ in
        TableValue(source.trace.activity.map { $0.upperBound - $0.lowerBound })
      },
      ColumnOf("processors", .integer, "how many the process might run on at once") { _, header in
        TableValue(header.processors)
      },
      ColumnOf("mode", .text, "streaming or flight-recorder") { _, header in .text(header.mode.rawValue) },
      ColumnOf("closed", .integer, "1: the recorder was stopped in order") { _, header in TableValue(header.isClosed) },
      ColumnOf("writer", .text, "the version of OpTrace that wrote it") { _, header in .text(header.writerVersion) },
      ColumnOf("boot", .text, "names the run of the system") { _, header in .text(hex(header.bootID)) },
      ColumnOf("operations", .integer, "how many") { source, _ in TableValue(source.trace.operations.count) },
      ColumnOf("events", .integer, "how many records") { source, _ in TableValue(source.trace.eventCount) },
      ColumnOf("lost", .integer, "records that were lost") { source, _ in TableValue(source.trace.loss.lostCount) },
      ColumnOf("damaged", .integer, "how many parts of the file are damaged") { source, _ in
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
      ColumnOf("system_id", .integer, "the system's number") { _, thread in TableValue(thread.systemID) },
      ColumnOf("name", .text, "its name when it first recorded") { _, thread in
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
    of: { $0.frames },
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
      ColumnOf("file", .text, "where the code is") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.file)
      },
      ColumnOf("line", .integer, "where the code is") { source, row in
        TableValue(source.trace.stacks.function(of: row.frame)?.line)
      },
    ])
}
