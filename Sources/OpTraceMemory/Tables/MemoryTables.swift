import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceTables

extension TableSet {
  /// Sampled allocations, and what the process had in memory.
  package static let memory = TableSet([.allocations, .memoryUse], questions: [.memoryByFunction])
}

/// A sampled allocation, with whose it was.
private struct AllocationRow {
  let allocation: AllocationRecord
  let work: WorkID?
  /// What the allocation stands for.
  let estimate: EstimatedBytes
  /// The bytes of it that live at the end.
  let live: Double
  /// What it is charged to, and the line there.
  let function: Profile.Function?
  let line: Int?

  /// In the order of time. O(n log n).
  static func all(_ source: TableSource) -> [AllocationRow] {
    let trace = source.trace
    guard trace.memory?.allocations.isEmpty == false else { return [] }
    let data = AllocationProfile(of: trace)
    let profile = data.profile
    return zip(data.allocations, profile.samples).map { allocation, sample in
      let stack = profile.stacks[sample.stack]
      let frame = profile.chargedFrame(of: stack).map { profile.frames[stack.frames[$0]] }
      var estimate = EstimatedBytes()
      estimate.add(size: allocation.size, interval: allocation.interval)
      return AllocationRow(
        allocation: allocation, work: sample.work, estimate: estimate,
        live: allocation.lives(at: trace.end) ? allocation.liveBytes(at: trace.end) : 0,
        function: frame.map { profile.functions[$0.function] }, line: frame?.line)
    }
  }
}

/// What the process had in memory, with what lived then.
private struct MemoryUseRow {
  let reading: MemoryReading
  let live: Double

  /// In the order of time. O(n log n) for n allocations.
  static func all(_ source: TableSource) -> [MemoryUseRow] {
    guard let memory = source.trace.memory else { return [] }
    let curve = LiveCurve(memory.allocations)
    return memory.readings.map { MemoryUseRow(reading: $0, live: curve.live(at: $0.time)) }
  }
}

extension TraceTable {
  fileprivate static let allocations = TraceTable(
    "allocations", "one row for each sampled allocation", isCostly: true, key: ["thread", "time"], isNumbered: true,
    of: AllocationRow.all,
    [
      ColumnOf("time", .integer, "when memory was allocated") { _, row in TableValue(row.allocation.time) },
      ColumnOf("thread", .integer, "threads.id: the thread that allocated") { _, row in
        TableValue(row.allocation.thread)
      },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id: what the thread ran; null: none") { _, row in
        TableValue(row.work)
      },
      ColumnOf("work_kind", .text, "operation, block, task; null if work is null") { source, row in
        TableValue(row.work.flatMap(source.kind(of:)))
      },
      ColumnOf("size", .integer, "the bytes that were asked for; of realloc, those by which the block has grown") {
        _, row in TableValue(row.allocation.size)
      },
      ColumnOf("bytes", .real, "the bytes that the sample stands for: their sum is what was allocated") { _, row in
        .real(row.estimate.bytes)
      },
      ColumnOf("count", .real, "the number of allocations that the sample stands for") { _, row in
        .real(row.estimate.count)
      },
      ColumnOf("variance", .real, "the root of their sum is the standard error of the sum of bytes") { _, row in
        .real(row.estimate.variance)
      },
      ColumnOf("live_bytes", .real, "the bytes that the sample stands for and that live at the end; 0: it was freed") {
        _, row in .real(row.live)
      },
      ColumnOf("freed", .integer, "when the block was freed; null: it lives, or was not watched") { _, row in
        TableValue(row.allocation.freed)
      },
      ColumnOf("call", .text, AllocationRecord.Call.allCases.map { "\($0)" }.joined(separator: ", ")) { _, row in
        .text("\(row.allocation.call)")
      },
      ColumnOf("type", .text, "the type of the object in the block; null: no object, or not known") { _, row in
        TableValue(row.allocation.type)
      },
      ColumnOf("function", .text, "the innermost function of the program's own, else the innermost") { _, row in
        TableValue(row.function?.name)
      },
      ColumnOf("file", .text, "its source file; null: not known") { _, row in TableValue(row.function?.file) },
      ColumnOf("line", .integer, "the line that allocated, or called what did") { _, row in TableValue(row.line) },
      ColumnOf("stack", .integer, "stacks.stack: the whole stack as recorded; null: not known") { _, row in
        TableValue(row.allocation.at)
      },
    ])

  fileprivate static let memoryUse = TraceTable(
    "memory_use", "one row for each look at the memory of the process, about one a second", isCostly: true,
    sortedBy: "time", key: ["time"], isNumbered: true, of: MemoryUseRow.all,
    [
      ColumnOf("time", .integer, "when it was looked at") { _, row in TableValue(row.reading.time) },
      ColumnOf("resident", .integer, "bytes of the process that were in memory") { _, row in
        TableValue(row.reading.resident)
      },
      ColumnOf("anonymous", .integer, "of these, bytes that are in no file") { _, row in
        TableValue(row.reading.anonymous)
      },
      ColumnOf("peak_resident", .integer, "the most that were in memory until then") { _, row in
        TableValue(row.reading.peak)
      },
      ColumnOf("live_bytes", .real, "what lived then of what was allocated: an estimate") { _, row in .real(row.live) },
      ColumnOf("lost", .integer, "sampled allocations that were lost until then") { _, row in
        TableValue(row.reading.lost)
      },
    ])
}

extension Question {
  fileprivate static let memoryByFunction = Question(
    "memory-by-function", "Which functions allocate most, and how much of it lives?",
    """
    SELECT function, round(sum(bytes)) AS allocated, round(sum(live_bytes)) AS live, round(sum(count)) AS times,
      count(*) AS samples
    FROM allocations GROUP BY function ORDER BY allocated DESC, function
    """)
}
