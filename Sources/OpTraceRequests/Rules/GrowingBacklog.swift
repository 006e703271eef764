import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let growingBacklog = Trouble("growing-backlog", .slow)
}

extension DoctorRule {
  /// Work of one queue, or tasks of one function, of which 50 or more are open at the end, and of which more begin than end in seven of eight
  /// parts of two seconds or longer. In a batch that is added at once, ever less is open; where arrivals come in bursts, some parts shrink.
  static let growingBacklog = DoctorRule(
    .growingBacklog, .warning,
    Guide(
      """
      More of some work arrives than is done. It grows until memory ends, and each piece waits longer than the one before. \
      Needs a trace with what is queued (`record --all`).
      """,
      wrong: """
        for await event in events { Task { await index(event) } }       // 400 a second, done 360
        """,
      right: """
        for await event in events { await index(event) }                 // the producer waits, or drops
        """)
  ) { context in
    let leaks = Set(context.requests.leaks.map(\.name))
    return context.requests.growing.lazy.filter { $0.kind != .task || !leaks.contains($0.name) }.prefix(3)
      .map { context.growing($0) }
  }
}

extension DoctorContext {
  fileprivate func growing(_ one: Requests.Growth) -> Finding {
    let rate = Int(one.perSecond.rounded())
    let what =
      switch one.kind {
      case .operation: "operations of queue '\(Self.shown(one.name))'"
      case .block: "blocks of dispatch queue '\(Self.shown(one.name))'"
      case .task: "tasks '\(Self.shown(one.name))'"
      }
    var finding = Finding(
      .growingBacklog, .warning, ending: .itWorks,
      title: "\(what) pile up: \(one.open) are open, \(rate > 0 ? "\(rate) more each second" : "ever more")",
      explanation: "\(one.ended) have ended meanwhile: more are made than are done.",
      fix: "Make fewer, do them faster, or let who makes them wait until there is room.")
    finding.explains = Self.behindSlowness
    finding.evidence.append(.init(time: one.since, "the first of them was made"))
    return finding
  }

  /// It makes no unit slow by itself, so it comes behind what does.
  private static let behindSlowness = 0.05
}
