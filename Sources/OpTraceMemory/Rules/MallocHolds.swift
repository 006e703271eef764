import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

extension Trouble {
  static let mallocHolds = Trouble("malloc-holds", .misuse)
}

extension DoctorRule {
  /// From 32 MB and half of what is in no file at the end a note; a warning from 64 MB and half of what is resident through the last quarter
  /// of the run. Nothing is said where something grows: that comes first.
  static let mallocHolds = DoctorRule(
    .mallocHolds, .warning,
    Guide(
      """
      The program has freed memory, and the allocator keeps it: the process stays as large as it once was. It is no leak; what was freed is \
      used again. It hurts where memory is limited, or where the peak was a moment at the start. Needs a trace with samples of memory \
      (`record --memory`).
      """,
      wrong: """
        let all = try files.map { try Data(contentsOf: $0) }      // 500 MB at once, for a moment
        let sums = all.map(checksum)
        """,
      right: """
        let sums = try files.map { checksum(try Data(contentsOf: $0)) }    // one at a time
        // Or: MALLOC_ARENA_MAX=2, malloc_trim(0) after the peak, or jemalloc.
        """)
  ) { context in
    context.heldMemory()
  }
}

extension DoctorContext {
  private static let leastNoted = 32e6
  private static let leastWarned = 64e6
  private static let leastTime: Nanoseconds = 5_000_000_000

  fileprivate func heldMemory() -> [Finding] {
    guard let memory, memory.growth.isEmpty, memory.sampled >= Self.leastTime, memory.record.lost == 0,
      let held = memory.process.held, let anonymous = memory.process.anonymous, let resident = memory.process.resident,
      held >= Self.leastNoted, held >= Double(anonymous) / 2
    else { return [] }
    let isLasting = memory.heldThroughLastQuarter.map { $0 >= Self.leastWarned && $0 >= Double(resident) / 2 } ?? false
    let peak = memory.functions.filter { $0.function.isOwn && $0.peak.samples > 0 }.max {
      $0.peak.bytes < $1.peak.bytes
    }
    let allocator = memory.record.allocator == .glibc ? "malloc" : memory.record.allocator.word ?? "the allocator"
    var finding = Finding(
      .mallocHolds, isLasting ? .warning : .note, ending: .itWorks,
      title: "\(allocator) keeps \(bytesText(held)) that nothing lives in: \(bytesText(memory.all.live.bytes)) live, "
        + "\(bytesText(Double(resident))) are resident",
      explanation:
        "It is no leak: the program has freed it, and uses it again when it needs it. The process stays as large as it was at its peak.",
      fix: memory.record.allocator == .glibc
        ? "Make the peak smaller; or MALLOC_ARENA_MAX=2, malloc_trim(0) after the peak, or jemalloc, which gives it back by itself."
        : "Make the peak smaller; or let the allocator give memory back sooner.")
    if let peak, let time = memory.peak {
      finding.location = CodeLocation(
        function: peak.function.name, file: peak.function.file, line: peak.function.line, module: peak.function.module)
      finding.evidence.append(
        .init(
          time: time.time,
          "at the peak \(bytesText(time.live.bytes, error: time.live.error)) lived, \(bytesText(peak.peak.bytes)) of it from "
            + "'\(MemoryWords.shown(peak.function.name))'"))
    }
    finding.evidence.append(
      .init(
        "\(bytesText(Double(anonymous))) are in no file; one byte in \(grouped(Int(clamping: memory.record.interval))) sampled, none lost"
      ))
    return [finding]
  }
}

extension MemoryReport {
  /// The least that was kept at any look in the last quarter of the time; nil: nobody looked.
  var heldThroughLastQuarter: Double? {
    guard let first = timeline.first, let last = timeline.last else { return nil }
    let since = last.time - (last.time - first.time) / 4
    return timeline.filter { $0.time >= since }.map {
      Double($0.anonymous) - Double(first.anonymous) - $0.live * Self.overhead
    }.min()
  }

  /// An allocator takes some more than it was asked for.
  private static let overhead = 1.1
}
