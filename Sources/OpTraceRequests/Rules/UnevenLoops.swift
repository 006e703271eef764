import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let unevenLoops = Trouble("uneven-loops", .slow)
}

extension DoctorRule {
  /// Of event loops with the same name, but for a number, one is busy for three fifths of the time, and each other one for less than a tenth
  /// of that. From three fifths on what arrives waits longer than it takes, with others there to do it.
  static let unevenLoops = DoctorRule(
    .unevenLoops, .warning,
    Guide(
      """
      One event loop has nearly all the work, and the others have none: connections are not spread, or all of them are of one \
      loop. Needs a trace with loops (`record --tasks` or `--dispatch`).
      """,
      wrong: """
        let loop = group.any()                         // for all connections
        for try await socket in accepted { serve(socket, on: loop) }
        """,
      right: """
        for try await socket in accepted { serve(socket, on: group.next()) }
        """)
  ) { context in
    context.unevenLoops()
  }
}

extension DoctorContext {
  private static let leastBusy = 0.6
  private static let mostOfOthers = 0.1

  /// A loop, how often it went round, and how much of the time it was busy.
  private struct Load {
    var loop: LoopUse?
    var name: String
    var turns: Int
    var busy: Double
  }

  fileprivate func unevenLoops() -> [Finding] {
    guard !requests.units.isEmpty else { return [] }
    var loads = requests.loops.filter { thread($0.thread)?.isMain != true }
      .map { Load(loop: $0, name: $0.name, turns: $0.turns, busy: $0.utilisation) }
    // Those that nothing ever woke.
    for loop in trace.eventLoops where loop.turns == 0 && thread(loop.thread)?.isMain != true {
      let name = thread(loop.thread)?.name ?? ""
      loads.append(
        Load(loop: nil, name: name.allSatisfy(\.isWhitespace) ? loop.thread.description : name, turns: 0, busy: 0))
    }
    let groups = Dictionary(grouping: loads) { $0.name.filter { !$0.isNumber } }
    return groups.sorted { $0.key < $1.key }.compactMap { _, loads -> Finding? in
      let sorted = loads.sorted { ($1.busy, $0.name) < ($0.busy, $1.name) }
      guard sorted.count > 1, sorted[0].busy >= Self.leastBusy, sorted[1].busy <= sorted[0].busy * Self.mostOfOthers
      else { return nil }
      let others = Self.count(sorted.count - 1, "other loop")
      var finding = Finding(
        .unevenLoops, .warning, ending: .itWorks,
        title:
          "event loop \(Self.shown(sorted[0].name)) is busy \(Self.percent(sorted[0].busy)) of the time, and \(others) "
          + "\(Self.percent(sorted[1].busy)) at most",
        explanation: "What arrives waits for this loop, while others have nothing to do.",
        fix: "Spread connections over all loops, for example with 'next()' of their group.")
      let explained = explained { $0 == .loop(sorted[0].name) }
      if let mostly = sorted[0].loop?.mostly.map({ requests.locations[Int($0.location)] }) {
        finding.evidence.append(.init("in long turns it is mostly\(Self.phrase(mostly))"))
      }
      // What waits for a loop that has no long turns looks like a wait for the outside. Before its long turns: those would be shorter.
      finding.explains = max(explained.map { $0.shareOfAll.nextUp } ?? 0, sorted[0].busy)
      for loop in sorted.prefix(4) {
        finding.evidence.append(
          .init("\(Self.shown(loop.name)): \(loop.turns) turns, busy \(Self.percent(loop.busy))"))
      }
      if let explained { finding.evidence.append(explained.evidence) }
      return finding
    }
  }
}
