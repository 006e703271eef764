import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

extension Trouble {
  static let allocationHotspot = Trouble("allocation-hotspot", .slow)
}

extension DoctorRule {
  /// A tenth of the processor time is spent on allocating and freeing, by 50 samples or more, and one place makes three tenths of all
  /// allocations.
  static let allocationHotspot = DoctorRule(
    .allocationHotspot, .note,
    Guide(
      """
      So many blocks are allocated and freed that this takes much of the processor time, most of it for one place. Needs a trace with samples of \
      memory and of processor time (`record --memory --profile`).
      """,
      wrong: """
        func key(_ a: Int, _ b: Int) -> String { "\\(a)-\\(b)" }      // a string for each look-up
        let found = table[key(x, y)]
        """,
      right: """
        struct Key: Hashable { var a, b: Int }
        let found = table[Key(a: x, b: y)]
        """)
  ) { context in
    context.allocationHotspot().map { [$0] } ?? []
  }
}

extension DoctorContext {
  private static let leastSamples = 50
  private static let leastTime = 0.1
  private static let leastShare = 0.3

  /// Where allocating and freeing begins, as stacks of processor time have it.
  private static let allocators: Set<String> = [
    "malloc", "calloc", "realloc", "free", "cfree", "posix_memalign", "aligned_alloc", "swift_slowAlloc",
    "swift_slowDealloc",
    "swift_slowAllocTyped", "operator new(unsigned long)", "operator delete(void*)",
    "operator delete(void*, unsigned long)",
  ]

  fileprivate func allocationHotspot() -> Finding? {
    guard let memory = facts(SlowMemoryFacts.self).report, trace.samples.count >= Self.leastSamples else { return nil }
    let profile = Profile(of: trace)
    let isAllocator = profile.stacks.map { stack in
      stack.frames.contains { Self.isAllocator(profile.functions[profile.frames[$0].function]) }
    }
    let inside = profile.samples.count { isAllocator[$0.stack] }
    let share = Double(inside) / Double(max(1, profile.samples.count))
    guard share >= Self.leastTime, let most = Self.mostFrequent(memory),
      most.own.allocated.count >= memory.all.allocated.count * Self.leastShare
    else { return nil }
    let function = most.function
    let seconds = Double(max(1, memory.sampled)) / 1e9
    let part = most.own.allocated.count / memory.all.allocated.count
    let location = CodeLocation(file: function.file, line: function.line)
    var finding = Finding(
      .allocationHotspot, .note, ending: .itWorks,
      title:
        "\(OpTraceText.percent(share)) of the processor time is spent on allocating and freeing; '\(MemoryWords.shown(function.name))'"
        + (location.lineText.map { " (\($0))" } ?? "")
        + " allocates \(MemoryWords.counts(most.own.allocated.count / seconds)) times a second",
      explanation: "Each block is found, and put back, by the allocator. Fewer and larger ones cost less.",
      fix: "Keep what is needed again, reserve capacity, use values in place of objects and strings.")
    finding.location = CodeLocation(
      function: function.name, file: function.file, line: function.line, module: function.module)
    finding.evidence.append(
      .init(
        "\(OpTraceText.percent(part)) of \(MemoryWords.counts(memory.all.allocated.count)) allocations are made there, "
          + "\(bytesText(most.own.allocated.bytes / max(1, most.own.allocated.count))) each"))
    finding.evidence.append(
      .init("\(grouped(inside)) of \(counted(profile.samples.count, "sample")) of processor time are in the allocator"))
    return finding
  }

  private static func isAllocator(_ function: Profile.Function) -> Bool {
    !function.isOwn && allocators.contains(function.name)
  }

  private static func mostFrequent(_ memory: MemoryReport) -> MemoryReport.FunctionRow? {
    memory.functions.filter(\.function.isOwn).max { $0.own.allocated.count < $1.own.allocated.count }
  }
}
