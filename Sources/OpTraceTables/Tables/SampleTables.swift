import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// A sample of processor time, with whose it was.
struct SampleRow {
  let sample: SampleRecord
  let work: WorkID?
  let weight: Nanoseconds
  /// The innermost function, as a profile calls it.
  let function: Profile.Function
  let line: Int?

  /// In the order of time. O(n log n).
  static func all(_ trace: Trace) -> [SampleRow] {
    guard !trace.samples.isEmpty else { return [] }
    let profile = Profile(of: trace)
    // Of everything, a profile has a sample for each of the trace's.
    return zip(trace.samples, profile.samples).compactMap { record, sample in
      guard let frame = profile.stacks[sample.stack].frames.last.map({ profile.frames[$0] }) else { return nil }
      return SampleRow(
        sample: record, work: sample.work, weight: sample.weight, function: profile.functions[frame.function],
        line: frame.line)
    }
  }
}

extension TraceTable {
  static let samples = TraceTable(
    "samples", "one row for each sample of processor time", isCostly: true, key: ["thread", "time"], isNumbered: true,
    of: { SampleRow.all($0.trace) },
    [
      ColumnOf("time", .integer, "when the sample was taken") { _, row in TableValue(row.sample.time) },
      ColumnOf("thread", .integer, "threads.id: the thread that used the processor") { _, row in
        TableValue(row.sample.thread)
      },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id: what the thread ran; null: none") { _, row in
        TableValue(row.work)
      },
      ColumnOf("work_kind", .text, "operation, block, task; null if work is null") { source, row in
        TableValue(row.work.flatMap(source.kind(of:)))
      },
      ColumnOf("function", .text, "the innermost function, without thunks of the compiler and the runtime") { _, row in
        .text(row.function.name)
      },
      ColumnOf("file", .text, "its source file; null: not known") { _, row in TableValue(row.function.file) },
      ColumnOf("line", .integer, "the line that was executing") { _, row in TableValue(row.line) },
      ColumnOf("stack", .integer, "stacks.stack: the whole stack as recorded") { _, row in
        TableValue(row.sample.at)
      },
      ColumnOf("weight", .integer, "the processor time that the sample stands for, in nanoseconds") { _, row in
        TableValue(row.weight)
      },
    ])
}
