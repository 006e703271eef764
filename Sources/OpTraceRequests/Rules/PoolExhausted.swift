import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let poolExhausted = Trouble("pool-exhausted", .slow)
}

extension DoctorRule {
  /// A pool is recognised by who resumes its waiters: at least half of the resumers are tasks that waited there before,
  /// so they hand on what they had. It is exhausted if 20 or more waited, with a median of 10 ms or a fifth of the slow
  /// units' time; or if ten or more wait now, for at least a second and ten times as long as any before.
  static let poolExhausted = DoctorRule(
    .poolExhausted, .warning,
    Guide(
      """
      Tasks wait at a continuation for something of which there are few, such as connections, and are resumed by those that give \
      theirs back. There are too few, or they are held for too long: often across an `await` that has nothing to do with them. Who \
      has one and asks for a second can wait for itself. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        try await pool.withConnection { connection in
          let price = try await upstream.price(of: id)   // 80 ms, and the connection does nothing
          try await connection.insert(price)
        }
        """,
      right: """
        let price = try await upstream.price(of: id)
        try await pool.withConnection { connection in
          try await connection.insert(price)
        }
        """)
  ) { context in
    context.requests.pools.prefix(20).compactMap { context.exhausted($0) }
  }
}

extension DoctorContext {
  private static let leastPoolWaits = 20
  private static let leastPoolWait: Nanoseconds = 10_000_000
  private static let leastOpen = 10
  private static let leastOpenTime: Nanoseconds = 1_000_000_000
  /// How many times as long. The product fits: times in a trace are below 2^55.
  private static let longer: Nanoseconds = 10

  fileprivate func exhausted(_ pool: Requests.Pool) -> Finding? {
    let waits = Distribution(pool.waits)
    let location = requests.locations[Int(pool.location)]
    let caller = pool.caller < 0 ? nil : requests.locations[Int(pool.caller)]
    let by = caller?.function.map { ", called by '\(Self.shown($0))'\(Self.line(caller))" } ?? ""
    let place = "'\(Self.shown(location.function ?? "a continuation"))'\(Self.line(location))"
    let explained = explained { [requests] culprit in
      guard case .pool(let place) = culprit else { return false }
      return requests.areInOneFunction(place, pool.location)
    }
    var finding: Finding
    if let since = pool.openSince, pool.open >= Self.leastOpen, pool.byHolders > 0,
      end - since >= max(Self.leastOpenTime, pool.longest * Self.longer)
    {
      let first = pool.openCaller < 0 ? nil : requests.locations[Int(pool.openCaller)]
      let asker = first?.function.map { "'\(Self.shown($0))'\(Self.line(first))" }
      finding = Finding(
        .poolExhausted, .warning, ending: .itWorks,
        title: "\(Self.count(pool.open, "task")) wait at \(place) for what others hold, and nobody has given any back "
          + self.since(since) + (asker.map { "; the first of them was called by \($0)" } ?? ""),
        explanation: "Before, \(pool.resumed) were resumed there by tasks that gave theirs back, after "
          + "\(DurationText.text(pool.longest)) at most. Now those that have one wait for something themselves: often for a second "
          + "one of the same.",
        fix:
          "Where the first of them asked\(asker.map { " (in \($0))" } ?? ""), see whether it has one already: pass that on, or take "
          + "both at once.")
      finding.location = first ?? location
    } else {
      guard waits.count >= Self.leastPoolWaits, pool.resumed * 4 >= waits.count, pool.byHolders * 2 >= pool.resumed,
        isBlameKnown ? explained != nil : waits.median >= Self.leastPoolWait, waits.p99 >= Self.noticedPool
      else { return nil }
      if let explained, isConsequence(explained.blamed) { return nil }
      let held = explained.flatMap { mostly($0.blamed) }
      finding = Finding(
        .poolExhausted, explained.map { severity($0.blamed) } ?? .warning, ending: .itWorks,
        title:
          "\(Self.count(waits.count, "wait")) at \(place) for what others hold: p99 \(DurationText.text(waits.p99)), median "
          + DurationText.text(waits.median) + (held.map { "; meanwhile who has one mostly \($0)" } ?? ""),
        explanation:
          "They are ended by tasks that give back what they had in the same function\(by)."
          + (held == nil ? " What those did with it meanwhile is not known." : ""),
        fix: "Hold it for less long: not across an await that does not need it. Or have more of them.")
    }
    finding.location = finding.location ?? location
    finding.explains = max(explained?.shareOfAll ?? 0, pool.open >= Self.leastOpen ? 1 : 0)
    finding.evidence.append(
      .init(
        "waits: median \(DurationText.text(waits.median)), p99 \(DurationText.text(waits.p99))\(Self.phrase(location))\(by)"
      ))
    if let explained {
      if let routes = routes(explained.blamed) { finding.evidence.append(.init("it is held \(routes)")) }
      finding.evidence.append(explained.evidence)
    }
    return finding
  }

  private static let leastOfHolders = 0.5

  /// Whether those who have what is waited for are mostly units of one kind that asks again and again, or comes as a crowd: that is told, and
  /// the pool is on the way.
  private func isConsequence(_ blamed: Requests.Blamed) -> Bool {
    guard let most = blamed.holders.first, most.kind >= 0, most.share >= Self.leastOfHolders else { return false }
    return crowds.contains { $0.kind == most.kind }
      || requests.calls.contains { $0.kind == most.kind && (isTriedMuchMore($0) || repeated($0) != nil) }
  }

  private static let noticedPool: Nanoseconds = 5_000_000
}
