import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let retryStorm = Trouble("retry-storm", .slow)
}

extension DoctorRule {
  /// A wait that units reach one and a half times on average: at least a fifth of them once, a fifth several times in a
  /// row, and some three times or more. A warning if the earlier attempts ended with an error; otherwise a note,
  /// because reading one page after another looks the same.
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
    context.requests.repeats.prefix(50).compactMap { context.retries($0) }
  }
}

extension DoctorContext {
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
    let areErrors = one.errors * 5 >= (one.visits - one.units) * 4
    let number = "\(Int(calls)).\(Int((calls * 10).rounded()) % 10)"
    var finding = Finding(
      .retryStorm, areErrors ? .warning : .note, ending: .itWorks,
      title: "'\(Self.shown(who.function ?? "a function"))' waits \(number) times instead of once in "
        + "'\(Self.shown(location.function ?? "a call"))', up to \(one.counts.count) times in a row\(Self.line(who))",
      explanation: "\(Self.count(one.units, "piece")) of work came there \(one.visits) times, with nothing in between"
        + (areErrors
          ? "; the earlier ones ended with an error."
          : ". Unless it reads one thing after another, it tries again what failed."),
      fix: "Try again less often and later, with a pause that grows, and not at all while most attempts fail.")
    finding.location = who
    let explained = explained { cause in cause.location == one.location }
    finding.explains = explained?.share ?? 0
    for (index, count) in one.counts.enumerated() where count > 0 {
      finding.evidence.append(.init("\(count) waited there \(index == 0 ? "once" : "\(index + 1) times in a row")"))
    }
    if let explained { finding.evidence.append(explained.evidence) }
    return finding
  }
}
