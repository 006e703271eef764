import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

extension Trouble {
  static let memoryGrowth = Trouble("memory-growth", .misuse)
}

extension DoctorRule {
  /// Memory from one place grew in each of the last three quarters of the run by more than chance explains, by four standard errors and
  /// 4 MB in all, in the last as much as before; and what was born early lives on, or blocks live longer and longer. From five seconds,
  /// eight samples and a twentieth of what is resident.
  static let memoryGrowth = DoctorRule(
    .memoryGrowth, .warning,
    Guide(
      """
      What one place of the program allocates is not freed, and gathers as long as the program runs: a cache without a limit, a list that \
      nobody empties, objects that refer to each other. Needs a trace with samples of memory (`record --memory`).
      """,
      wrong: """
        final class Sessions {
          var all: [String: Session] = [:]
          func open(_ id: String) { all[id] = Session(id) }        // nobody removes one
        }
        """,
      right: """
        final class Sessions {
          var all: [String: Session] = [:]
          func open(_ id: String) { all[id] = Session(id) }
          func close(_ id: String) { all[id] = nil }
        }
        """)
  ) { context in
    context.growingMemory()
  }
}

extension DoctorContext {
  private static let leastTime: Nanoseconds = 5_000_000_000
  private static let leastSamples = 8
  private static let leastShare = 0.05
  private static let mostPlaces = 3

  fileprivate func growingMemory() -> [Finding] {
    guard let memory, memory.sampled >= Self.leastTime else { return [] }
    let resident = Double(memory.process.resident ?? 0)
    return memory.growth.filter {
      ($0.live.samples >= Self.leastSamples || $0.isDoubling) && $0.growth.bytes >= resident * Self.leastShare
    }.prefix(Self.mostPlaces).map { growing($0, memory) }
  }

  private func growing(_ site: GrowingSite, _ memory: MemoryReport) -> Finding {
    let rate = bytesText(site.bytesPerSecond, error: site.errorPerSecond)
    let what = site.type.map { ": \(MemoryWords.counts(site.typeCount)) '\(MemoryWords.shown($0))' live" } ?? ""
    let name = MemoryWords.shown(site.function?.name ?? "unknown code")
    var finding = Finding(
      .memoryGrowth, .warning, ending: .itWorks,
      title:
        "memory from '\(name)'\(MemoryWords.line(site))\(MemoryWords.caller(site)) grows by \(rate) a second\(what)",
      explanation: site.isDoubling
        ? "A few blocks are replaced by ever larger ones, as an array does that nobody empties."
        : "What was allocated early lives on, and more comes in each quarter of the time.",
      fix:
        "Let go of what is not needed any more: limit the cache, empty the list, break the cycle. 'optrace memory --growth' shows who calls it."
    )
    if let function = site.function {
      finding.location = CodeLocation(
        function: function.name, file: function.file, line: site.line ?? function.line, module: function.module)
    }
    finding.evidence.append(
      .init(
        "it grew by \(bytesText(site.growth.bytes, error: site.growth.error)) in \(DurationText.text(memory.sampled)); "
          + "\(OpTraceText.percent(site.survivingShare)) of what was allocated there lives"))
    let lost = memory.record.lost > 0 ? "\(grouped(memory.record.lost)) lost" : "none lost"
    finding.evidence.append(
      .init(
        "one byte in \(grouped(Int(clamping: memory.record.interval))) sampled, \(counted(site.live.samples, "sample")) of what lives, \(lost)"
      ))
    return finding
  }
}
