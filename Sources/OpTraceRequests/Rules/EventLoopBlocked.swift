import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let eventLoopBlocked = Trouble("event-loop-blocked", .slow)
}

extension DoctorRule {
  /// Reported for ten or more turns of at least 10 ms that took a fiftieth of a loop's time, and a tenth of it where no slow unit waits for it; for three that explain a
  /// fifth of the slow units' time; and for one turn that has gone on for a second, in a program with units. People may
  /// notice a delay of a few turns of 10 ms. A loop that has a few long turns at its start, or computes alone, delays
  /// nobody.
  static let eventLoopBlocked = DoctorRule(
    .eventLoopBlocked, .warning,
    Guide(
      """
      Code on an event loop's thread sleeps, waits or computes for long. Until it returns, the loop serves nobody: all \
      connections of that loop wait. Needs a trace with loops (`record --tasks` or `--dispatch`); samples (`--profile`) tell what a \
      loop computes.
      """,
      wrong: """
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          flags = try! JSONDecoder().decode(Flags.self, from: large)     // 20 ms on the loop
        }
        """,
      right: """
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          Task { await flags.reload(from: large) }                       // on Swift's pool
        }
        """)
  ) { context in
    context.requests.loops.compactMap { context.blocked($0) }
  }
}

extension DoctorContext {
  private static let leastTurns = 10
  private static let leastTurnsThatExplain = 3
  private static let leastLoopShare: Nanoseconds = 50
  /// Where no slow unit waits for it, one that is about to be one would.
  private static let leastUnexplained: Nanoseconds = 10
  private static let openTurn: Nanoseconds = 1_000_000_000

  fileprivate func blocked(_ loop: LoopUse) -> Finding? {
    let explained = explained { $0 == .loop(loop.name) }
    let time = requestTime ?? max(1, trace.end)
    // A loop that waits for a lock or in a call serves nobody either, whoever is known to wait for it.
    let mayBeWork = explained == nil && isBlameKnown && loop.mostly?.isWait != true
    let isOften =
      loop.long.count >= Self.leastTurns
      && loop.longTime >= time / (mayBeWork ? Self.leastUnexplained : Self.leastLoopShare)
    let explains = loop.long.count >= Self.leastTurnsThatExplain && explained?.share ?? 0 >= Self.leastExplained
    let last = loop.long.last.map { $0.ended - $0.began } ?? 0
    let isHeld = last >= Self.openTurn && loop.long.last?.ended == trace.end && !requests.units.isEmpty
    guard isOften || explains || isHeld else { return nil }
    if thread(loop.thread)?.isMain == true, explained == nil, self.explained(\.isMain) != nil { return nil }
    let held = loop.mostly
    let location = held.map { requests.locations[Int($0.location)] }
    let turns = Distribution(loop.long.map { $0.ended - $0.began })
    let what = held.map { held in
      " in '\(Self.shown(location?.function ?? "own code"))'\(Self.line(location))\(held.isWait ? ", which \(Self.shown(held.what))" : "")"
    }
    var finding = Finding(
      .eventLoopBlocked, .warning, ending: .itWorks,
      title:
        "event loop \(Self.shown(loop.name)) was held \(loop.long.count == 1 ? "once" : "\(loop.long.count) times") for "
        + "\(DurationText.text(turns.median)) in the median, \(DurationText.text(turns.max)) at most" + (what ?? ""),
      explanation: "In such turns it serves none of its connections: \(DurationText.text(loop.longTime)) in all."
        + (held == nil ? " What they do was not recorded: 'record --all' tells." : ""),
      fix: held?.isWait == true
        ? "Do not wait on a loop's thread: await instead, or move it to a thread of its own."
        : "Move what computes off the loop: to a task, a dispatch queue, or a pool of threads.")
    finding.location = location
    finding.explains = max(explained?.shareOfAll ?? 0, isHeld ? 1 : 0.1)
    for one in loop.held.prefix(3) {
      let place = requests.locations[Int(one.location)]
      finding.evidence.append(
        .init("\(DurationText.text(one.time)) of these turns: \(Self.shown(one.what))\(Self.phrase(place))"))
    }
    for turn in loop.long.sorted(by: { ($1.ended - $1.began, $0.began) < ($0.ended - $0.began, $1.began) }).prefix(2) {
      finding.evidence.append(.init(time: turn.began, "a turn of \(DurationText.text(turn.ended - turn.began)) began"))
    }
    if let explained { finding.evidence.append(explained.evidence) }
    return finding
  }
}
