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
  /// supposed to compute, unless requests are slow because of it. What counts is the function as it is called by one other; if none has so
  /// much, as it is called by all.
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
        hotspot(function, caller, ofAll: requests.sampled[.init(function: function, caller: caller)] ?? 0, $0)
      }
    }
    if !found.isEmpty { return found }
    let helpers = calledByMany()
    return helpers.isEmpty ? busyRoutes() : helpers
  }

  /// Functions of which none of those that call them has so much.
  private func calledByMany() -> [Finding] {
    var told: Set<Int32> = []
    return findings(most: Self.mostHotspots) { blamed in
      guard let function = blamed.culprit.function, told.insert(function).inserted,
        var explained = explained({ $0.function == function })
      else { return nil }
      let parts = requests.blamed.filter { $0.kind == explained.blamed.kind && $0.culprit.function == function }
      explained.blamed = Requests.Blamed(sumOf: parts, .code(function, caller: -1))
      let ofAll = requests.sampled.reduce(0) { $0 + ($1.key.function == function ? $1.value : 0) }
      return hotspot(function, -1, ofAll: ofAll, explained)
    }
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
    let part = Double(explained.blamed.tail) / Double(max(1, explained.time))
    let most = mostly(explained.blamed)
    var finding = Finding(
      .cpuHotspot, .warning, ending: .itWorks,
      title: "'\(Self.shown(route.name))'\(Self.line(route.location)) keeps the threads busy"
        + (part >= 0.5 ? ": it mostly \(most ?? "runs")" : "")
        + ". This takes \(Self.percent(explained.share)) of the time of slow "
        + "'\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99)))",
      explanation: "They wait for a thread, which its units have meanwhile.",
      fix: "Do less in it, or do it on threads of its own. 'optrace profile' shows what it calls.")
    finding.location = route.location
    finding.explains = explained.shareOfAll
    if part < 0.5, let most { finding.evidence.append(.init("the largest part, \(Self.percent(part)), \(most)")) }
    finding.evidence.append(explained.evidence)
    return [finding]
  }

  /// `ofAll`: the function's share of all samples, from 0 to 1.
  private func hotspot(_ function: Int32, _ caller: Int32, ofAll: Double, _ explained: Explained) -> Finding? {
    let blamed = explained.blamed
    let others = blamed.waits.reduce(0) { $0 + ($1.resource == nil ? 0 : $1.share) }
    guard explained.share >= Self.leastSlower, explained.kind.p99 >= Self.leastSlow, explained.kind.areRounds,
      others >= 0.5 || ofAll >= Self.leastProcessor
    else { return nil }
    let location = requests.locations[Int(function)]
    let called = calledBy(caller)
    let name =
      "'\(Self.shown(location.function ?? "one function"))'\(Self.line(location))\(called)\(called.isEmpty ? "" : ",")"
    let job = blamed.holders.first.flatMap { $0.kind >= 0 && $0.share >= 0.5 ? $0.kind : nil }
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
        : "They mostly run in it themselves.",
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

extension Culprit {
  /// Of code, its function; nil: it is none, or not known.
  fileprivate var function: Int32? {
    guard case .code(let function, _) = self, function >= 0 else { return nil }
    return function
  }
}

extension Requests.Blamed {
  /// What is to be blamed on one thing that has several parts, of the same kind of unit.
  fileprivate init(sumOf parts: [Requests.Blamed], _ culprit: Culprit) {
    let all = parts.reduce(Nanoseconds(0)) { $0.saturating($1.tail) }
    func sum<Key: Hashable>(_ shares: (Requests.Blamed) -> [(Key, Double)]) -> [(Key, Double)] {
      var times: [Key: Double] = [:]
      for part in parts {
        for (key, share) in shares(part) { times[key, default: 0] += share * Double(part.tail) / Double(max(1, all)) }
      }
      return times.map { ($0.key, $0.value, String(describing: $0.key)) }
        .sorted { ($1.1, $0.2) < ($0.1, $1.2) }.map { ($0.0, $0.1) }
    }
    self.init(
      kind: parts.first?.kind ?? -1, culprit: culprit, tail: all,
      median: parts.reduce(0) { $0.saturating($1.median) }, share: parts.reduce(0) { $0 + $1.share })
    ends = sum { $0.ends.map { ($0.end, $0.share) } }.map { ($0, $1) }
    waits = sum { $0.waits.map { ($0.resource, $0.share) } }.map { ($0, $1) }
    places = sum { $0.places.map { ($0.resource, $0.share) } }.map { ($0, $1) }
    holders = sum { $0.holders.map { ($0.kind, $0.share) } }.map { ($0, $1) }
    afterAnswer = parts.reduce(0) { $0 + $1.afterAnswer * Double($1.tail) } / Double(max(1, all))
  }

  /// Whether it is code that mostly runs for a kind of unit, while others wait for the thread.
  fileprivate func isBusy(for route: Int32) -> Bool {
    guard case .code = culprit, let most = holders.first else { return false }
    return most.kind == route && most.share >= 0.5 && waits.contains { $0.resource != nil && $0.share >= 0.5 }
  }
}
