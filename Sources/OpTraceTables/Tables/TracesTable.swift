import OpTraceAnalysis
import OpTraceModel

extension TraceTable {
  static let traces = TraceTable(
    "traces", "one row for each trace", of: { CollectionOfOne($0.trace).map { $0.header } },
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
      ColumnOf("damaged", .integer, "places where the file is damaged") { source, _ in
        TableValue(source.trace.loss.damage.count)
      },
    ])

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
