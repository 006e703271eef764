import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let slowDependency = Trouble("slow-dependency", .slow)
}

extension DoctorRule {
  /// The slow units of a kind spend seven tenths of their time, and 20 ms or more, outside of the program at one line.
  /// Nothing in the program is to blame, so it is a note.
  static let slowDependency = DoctorRule(
    .slowDependency, .note,
    Guide(
      """
      Requests are slow because they wait for something outside of the program: another service, a database, a disk. Needs a \
      trace with tasks (`record --tasks`).
      """,
      wrong: """
        let price = try await upstream.price(of: id)     // 80 ms each time
        """,
      right: """
        // Ask once for many, remember answers, or ask while something else is done.
        async let price = upstream.price(of: id)
        let stock = try await database.stock(of: id)
        return try await Answer(price, stock)
        """)
  ) { context in
    context.slowDependencies()
  }
}

extension DoctorContext {
  private static let leastOutside = 0.7
  private static let leastOutsideTime: Nanoseconds = 20_000_000

  fileprivate func slowDependencies() -> [Finding] {
    var told: Set<Int32> = []
    // Excludes idle connections, which live as long as the recording.
    let most = (requestTime ?? 0) / 2
    return requests.kinds.filter { isServed($0) && $0.p50 < most }.compactMap { kind -> Finding? in
      let tail = kind.breakdown.reduce(0) { $0 + $1.tail }
      guard let most = kind.breakdown.max(by: { ($0.tail, $1.cause) < ($1.tail, $0.cause) }) else { return nil }
      let cause = requests.causes[Int(most.cause)]
      guard cause.what == .outside, most.tail >= Self.leastOutsideTime,
        Double(most.tail) >= Double(tail) * Self.leastOutside,
        cause.location >= 0, told.insert(cause.location).inserted
      else { return nil }
      let location = requests.locations[Int(cause.location)]
      // A unit that waits in its own loop does what it is there for.
      guard location.function != kind.location?.function else { return nil }
      let share = Double(most.tail) / Double(max(1, tail))
      var finding = Finding(
        .slowDependency, .note, ending: .itWorks,
        title:
          "\(Int((share * 100).rounded())) % of the time of slow '\(Self.shown(kind.name))' is spent outside of the program: "
          + "\(DurationText.text(most.tail)) in '\(Self.shown(location.function ?? "a call"))'\(Self.line(location))",
        explanation:
          "p50 \(DurationText.text(kind.p50)), p99 \(DurationText.text(kind.p99)) of \(kind.count). Those about the median "
          + "wait there for \(DurationText.text(most.median)).",
        fix: "Ask less often or while something else is done, set a time limit, or look at what answers.")
      finding.location = location
      finding.explains = share
      return finding
    }
  }
}
