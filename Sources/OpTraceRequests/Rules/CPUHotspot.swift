import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let cpuHotspot = Trouble("cpu-hotspot", .slow)
}

extension DoctorRule {
  /// Reported for a function to which the slow units of a kind lose a third of their time, if those are 10 ms or longer, which
  /// people begin to notice: they wait for a thread that it has, or run in it themselves. In the latter case it must also take two fifths
  /// of all processor time: a report that takes long to compute is as its author wanted it. Only for requests: a batch job is
  /// supposed to compute, unless requests are slow because of it.
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
    context.hotspots()
  }
}

extension DoctorContext {
  private static let leastProcessor = 0.4
  private static let leastSamples = 50
  private static let leastSlow: Nanoseconds = 10_000_000
  private static let leastSlower = 0.33
  private static let mostHotspots = 2

  fileprivate func hotspots() -> [Finding] {
    guard requests.samples >= Self.leastSamples else { return [] }
    let found = findings(most: Self.mostHotspots) { blamed in
      guard case .code(let function, let caller) = blamed.culprit, function >= 0 else { return nil }
      return explained { $0 == blamed.culprit }.flatMap {
        hotspot(Requests.Sampled(function: function, caller: caller), $0)
      }
    }
    return found.isEmpty ? busyRoutes() : found
  }

  /// Units that have the threads for long, in many functions: none of them has most of the time.
  private func busyRoutes() -> [Finding] {
    var best: (route: Int32, explained: Explained)?
    for route in Set(requests.blamed.compactMap(\.holders.first?.kind)).sorted() where route >= 0 {
      let culprits = Set(requests.blamed.lazy.filter { $0.isBusy(for: route) }.map(\.culprit))
      guard let explained = explained({ culprits.contains($0) }), explained.share >= Self.leastSlower,
        explained.kind.p99 >= Self.leastSlow, explained.kind.areRounds,
        explained.shareOfAll > best?.explained.shareOfAll ?? 0
      else { continue }
      best = (route, explained)
    }
    guard let best else { return [] }
    let explained = best.explained
    let route = requests.kinds[Int(best.route)]
    var finding = Finding(
      .cpuHotspot, .warning, ending: .itWorks,
      title: "'\(Self.shown(route.name))'\(Self.line(route.location)) keeps the threads busy: it mostly "
        + "\(mostly(explained.blamed) ?? "runs"). This takes \(Self.percent(explained.share)) of the time of slow "
        + "'\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99)))",
      explanation: "They wait for a thread, which its units have meanwhile.",
      fix: "Do less in it, or do it on threads of its own. 'optrace profile' shows what it calls.")
    finding.location = route.location
    finding.explains = explained.shareOfAll
    finding.evidence.append(explained.evidence)
    return [finding]
  }

  private func hotspot(_ code: Requests.Sampled, _ explained: Explained) -> Finding? {
    let blamed = explained.blamed
    let others = blamed.waits.reduce(0) { $0 + ($1.resource == nil ? 0 : $1.share) }
    let ofAll = requests.sampled[code] ?? 0
    guard explained.share >= Self.leastSlower, explained.kind.p99 >= Self.leastSlow, explained.kind.areRounds,
      others >= 0.5 || ofAll >= Self.leastProcessor
    else { return nil }
    let location = requests.locations[Int(code.function)]
    let called = calledBy(code.caller)
    let name =
      "'\(Self.shown(location.function ?? "one function"))'\(Self.line(location))\(called)\(called.isEmpty ? "" : ",")"
    let job = blamed.holders.first.flatMap { $0.kind >= 0 ? $0.kind : nil }
    let beat = others >= 0.5 ? job.flatMap { requests.beats[$0] } : nil
    var finding = Finding(
      .cpuHotspot, .warning, ending: .itWorks,
      title: name + " "
        + (beat.map { "runs each \(DurationText.text($0.period)) for \(DurationText.text($0.length))" }
          ?? (ofAll > 0 ? "takes \(Self.percent(ofAll)) of the processor time" : "keeps the threads busy"))
        + (blamed.afterAnswer >= 0.5 ? ", after the answer" : "")
        + ", and requests are slow because of it: \(Self.percent(explained.share)) of the time of slow "
        + "'\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99)))",
      explanation: others >= 0.5
        ? "They wait for a thread, which it has meanwhile."
        : "They run in it, and what else there is waits for a thread.",
      fix: beat != nil
        ? "Do it in small steps, or on a thread of its own with a low priority: not on the threads of requests."
        : "Make it faster, do it once instead of for each request, or move it to threads of its own. 'optrace profile' shows "
          + "what it calls; 'optrace whatif --faster' how much it would help.")
    finding.location = location
    finding.explains = explained.shareOfAll
    if let routes = routes(blamed) { finding.evidence.append(.init("threads are busy with it: \(routes)")) }
    if blamed.afterAnswer >= 0.5 {
      finding.evidence.append(
        .init("\(Self.percent(blamed.afterAnswer)) of it is done for units that had been answered already"))
    }
    finding.evidence.append(explained.evidence)
    return finding
  }
}

extension Requests.Blamed {
  /// Whether it is code that mostly runs for a kind of unit, while others wait for the thread.
  fileprivate func isBusy(for route: Int32) -> Bool {
    guard case .code = culprit, let most = holders.first else { return false }
    return most.kind == route && most.share >= 0.5 && waits.contains { $0.resource != nil && $0.share >= 0.5 }
  }
}
