import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let cpuHotspot = Trouble("cpu-hotspot", .slow)
}

extension DoctorRule {
  /// One of the program's functions takes two fifths of all processor time, and the slow units of a kind spend half of
  /// their time in it. Only for requests: a batch job is supposed to compute.
  static let cpuHotspot = DoctorRule(
    .cpuHotspot, .warning,
    Guide(
      """
      One function takes so much processor time that requests are slow because of it: those that call it, and all others that \
      wait for a thread meanwhile. Needs a trace with samples (`record --profile --tasks`).
      """,
      wrong: """
        func matches(_ text: String) -> Bool {
          let pattern = try! Regex(source)        // compiled for each line
          return text.contains(pattern)
        }
        """,
      right: """
        let pattern = try Regex(source)           // once
        func matches(_ text: String) -> Bool { text.contains(pattern) }
        """)
  ) { context in
    context.hotspot().map { [$0] } ?? []
  }
}

extension DoctorContext {
  private static let leastProcessor = 0.4
  private static let leastSamples = 50
  private static let leastSlow: Nanoseconds = 10_000_000
  private static let leastSlower = 0.5

  fileprivate func hotspot() -> Finding? {
    guard let hot = requests.hottest, requests.samples >= Self.leastSamples, hot.share >= Self.leastProcessor else {
      return nil
    }
    let location = requests.locations[Int(hot.location)]
    guard
      let explained = explained({ cause in cause.what == .running && cause.location == hot.location }),
      explained.share >= Self.leastSlower, explained.kind.p99 >= Self.leastSlow, explained.kind.areRounds
    else { return nil }
    var finding = Finding(
      .cpuHotspot, .warning, ending: .itWorks,
      title:
        "'\(Self.shown(location.function ?? "one function"))' takes \(Int((hot.share * 100).rounded())) % of the processor "
        + "time\(Self.line(location)), and requests are slow because of it",
      explanation:
        "The slow ones of '\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99))) run in it. "
        + "What else there is waits for a thread meanwhile.",
      fix:
        "Make it faster, do it once instead of for each request, or move it to threads of its own. 'optrace profile' shows "
        + "what it calls; 'optrace whatif --faster' how much it would help.")
    finding.location = location
    finding.explains = explained.share
    finding.evidence.append(explained.evidence)
    return finding
  }
}
