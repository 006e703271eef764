import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let retryStorm = Trouble("retry-storm", .slow)
}

extension DoctorRule {
  /// Three forms. Half of the units wait three times or more in one function, mostly until the same time has passed: a limit
  /// ends each attempt. The slow units wait ten times or more there, and five times as often as those about the median. A wait
  /// is reached one and a half times on average, by a fifth of the units once, by a fifth several times in a row, and nearly all
  /// earlier ones ended with an error: without that, reading one page after another looks the same.
  static let retryStorm = DoctorRule(
    .retryStorm, .warning,
    Guide(
      """
      A call is made again as soon as it has failed, by each request. What is behind it gets several times the load at the \
      moment when it has least to spare, and requests take as long as all attempts. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        for _ in 0..<4 {
          if let quote = try? await upstream.quote(id) { return quote }
        }
        """,
      right: """
        for attempt in 0..<2 {
          if let quote = try? await upstream.quote(id) { return quote }
          try await Task.sleep(for: backoff(attempt))    // longer each time, and by chance
        }
        """)
  ) { context in
    context.requests.repeats.prefix(50).compactMap { context.retries($0) } + context.timedRetries()
      + context.manyTries()
  }
}

extension DoctorContext {
  private static let leastTimed = 3

  /// Units that wait several times in one function, mostly until the same time has passed: each time a limit ends the attempt.
  fileprivate func timedRetries() -> [Finding] {
    var told: Set<Int32> = []
    return requests.calls.compactMap { calls -> Finding? in
      guard let limit = calls.limit, calls.median >= Self.leastTimed, calls.most <= Self.mostAttempts,
        isServed(requests.kinds[Int(calls.kind)]), !told.contains(calls.function)
      else { return nil }
      let place = requests.locations[Int(calls.function)]
      let kind = requests.kinds[Int(calls.kind)]
      guard let share = share(of: calls) else { return nil }
      told.insert(calls.function)
      var finding = Finding(
        .retryStorm, .warning, ending: .itWorks,
        title:
          "'\(Self.shown(kind.name))' tries \(calls.median) times in '\(Self.shown(place.function ?? "a call"))'"
          + "\(Self.line(place)), and gives up after \(DurationText.text(limit)) each time: \(Self.percent(share)) of the time "
          + "of the slow ones (p99 \(DurationText.text(kind.p99)))",
        explanation:
          "Most of these waits are as long as each other, so a time limit ends them. Each attempt is more work for what is too "
          + "slow already.",
        fix: "Try again less often and later, with a pause that grows, and not at all while most attempts fail.")
      finding.location = place
      finding.explains = shareOfAll(where: { self.isDoneIn($0, calls) })
      return finding
    }
  }

  private static let leastTries = 10
  private static let moreThanMedian = 5

  /// Units of which the slow ones wait far more often in one function than those about the median.
  fileprivate func manyTries() -> [Finding] {
    var told: Set<Int32> = []
    return requests.calls.sorted { $0.slow > $1.slow }.compactMap { calls -> Finding? in
      let kind = requests.kinds[Int(calls.kind)]
      guard isTriedMuchMore(calls), isServed(kind), !told.contains(calls.kind), let share = share(of: calls)
      else {
        return nil
      }
      told.insert(calls.kind)
      let place = requests.locations[Int(calls.function)]
      var finding = Finding(
        .retryStorm, .warning, ending: .itWorks,
        title: "slow '\(Self.shown(kind.name))' (p99 \(DurationText.text(kind.p99))) wait \(calls.slow) times in "
          + "'\(Self.shown(place.function ?? "a call"))'\(Self.line(place)), those about the median "
          + (calls.median == 0 ? "never" : calls.median == 1 ? "once" : "\(calls.median) times")
          + ": \(Self.percent(share)) of their time",
        explanation:
          "They do the same again and again: they try what has failed, or have more to ask for than the others.",
        fix:
          "If they try again: less often and later, and not at all while most attempts fail. If they ask for much: at once."
      )
      finding.location = place
      // What they have meanwhile others wait for.
      finding.explains = shareOfAll(where: { self.isDoneIn($0, calls) })
      return finding
    }
  }

  func isTriedMuchMore(_ calls: Requests.Calls) -> Bool {
    calls.slow >= Self.leastTries && calls.slow >= max(1, calls.median) * Self.moreThanMedian
  }

  /// The share of the time of slow units of that kind that is lost in these calls; nil: too little to tell.
  private func share(of calls: Requests.Calls) -> Double? {
    let share = requests.blamed.reduce(0) { $0 + ($1.kind == calls.kind && isDoneIn($1, calls) ? $1.share : 0) }
    return share >= Self.leastExplained ? share : nil
  }

  /// Whether time ends in these calls, of the unit itself or of who has what it waits for.
  private func isDoneIn(_ blamed: Requests.Blamed, _ calls: Requests.Calls) -> Bool {
    func isThere(_ location: Int32?) -> Bool { location.map { requests.areInOneFunction($0, calls.function) } ?? false }
    return isThere(blamed.culprit.location)
      || blamed.ends.first.map { isThere($0.end.location) && $0.share >= 0.5 } ?? false
  }

  private static let leastRepeating = 50
  /// More attempts than this are a loop over something, not retries.
  private static let mostAttempts = 12

  fileprivate func retries(_ one: Requests.Repeat) -> Finding? {
    let repeated = one.counts.dropFirst().reduce(0, +)
    let often = one.counts.dropFirst(2).reduce(0, +)
    guard one.units >= Self.leastRepeating, one.visits * 2 >= one.units * 3, repeated * 5 >= one.units,
      one.counts[0] * 5 >= one.units, often * 20 >= one.units,
      one.counts.count <= Self.mostAttempts
    else { return nil }
    let location = requests.locations[Int(one.location)]
    let caller = one.caller < 0 ? nil : requests.locations[Int(one.caller)]
    let who = caller ?? location
    let calls = Double(one.visits) / Double(one.units)
    // A call may be several waits: only those that failed are attempts.
    guard one.errors * 5 >= (one.visits - one.units) * 4 else { return nil }
    let number = "\(Int(calls)).\(Int((calls * 10).rounded()) % 10)"
    var finding = Finding(
      .retryStorm, .warning, ending: .itWorks,
      title: "'\(Self.shown(who.function ?? "a function"))' waits \(number) times instead of once in "
        + "'\(Self.shown(location.function ?? "a call"))', up to \(one.counts.count) times in a row\(Self.line(who))",
      explanation:
        "\(Self.count(one.units, "piece")) of work came there \(one.visits) times, with nothing in between; the earlier ones ended with an error.",
      fix: "Try again less often and later, with a pause that grows, and not at all while most attempts fail.")
    finding.location = who
    let explained = explained { $0.location == one.location }
    finding.explains = explained?.shareOfAll ?? 0
    for (index, count) in one.counts.enumerated() where count > 0 {
      finding.evidence.append(.init("\(count) waited there \(index == 0 ? "once" : "\(index + 1) times in a row")"))
    }
    if let explained { finding.evidence.append(explained.evidence) }
    return finding
  }
}
