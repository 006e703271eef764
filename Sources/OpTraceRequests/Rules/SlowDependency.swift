import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let slowDependency = Trouble("slow-dependency", .slow)
}

extension DoctorRule {
  /// The slow units of a kind spend seven tenths of their time, and 20 ms or more, outside of the program at one line, and
  /// twice as long as those about the median, or far longer than units of most kinds: others that always wait there do what they are for. Nothing in the program is
  /// to blame, so it is a note.
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

  /// Whether half of its units take a tenth of a second, and five times as long as those of most kinds.
  private func isSlowAmong(_ kind: RequestKind) -> Bool {
    let medians = requests.kinds.filter { isServed($0) && $0.areRounds == kind.areRounds }.map(\.p50).sorted()
    guard medians.count > 2 else { return false }
    return kind.p50 >= Self.leastMedian && kind.p50 / Self.slowerThanMost >= medians[(medians.count - 1) / 2]
  }

  private static let behindOthers = 0.01
  private static let leastMedian: Nanoseconds = 100_000_000
  private static let slowerThanMost: Nanoseconds = 5

  fileprivate func slowDependencies() -> [Finding] {
    var told: Set<Int32> = []
    // Excludes idle connections, which live as long as the recording.
    let most = (requestTime ?? 0) / 2
    return requests.kinds.enumerated().compactMap { number, kind -> Finding? in
      guard isServed(kind), !kind.isJob, kind.p50 < most,
        let blamed = requests.blamed.first(where: { $0.kind == Int32(clamping: number) }),
        case .outside(let place) = blamed.culprit, place >= 0, blamed.tail >= Self.leastOutsideTime,
        blamed.share >= Self.leastOutside,
        blamed.tail >= blamed.median.saturating(blamed.median) || isSlowAmong(kind),
        told.insert(place).inserted
      else { return nil }
      let location = requests.locations[Int(place)]
      // A unit that waits in its own loop does what it is there for.
      guard !requests.isInFunction(of: kind, place) else { return nil }
      var finding = Finding(
        .slowDependency, .note, ending: .itWorks,
        title:
          "\(Self.percent(blamed.share)) of the time of slow '\(Self.shown(kind.name))' is spent outside of the program: "
          + "\(DurationText.text(blamed.tail)) in '\(Self.shown(location.function ?? "a call"))'\(Self.line(location))",
        explanation:
          "p50 \(DurationText.text(kind.p50)), p99 \(DurationText.text(kind.p99)) of \(kind.count). Those about the median "
          + "wait there for \(DurationText.text(blamed.median)).",
        fix: "Ask less often or while something else is done, set a time limit, or look at what answers.")
      finding.location = location
      // One that is slow each time is so by what it asks for, and comes behind what makes some slower than others.
      let isSlower = blamed.tail >= blamed.median.saturating(blamed.median)
      finding.explains = isSlower ? explained { $0 == blamed.culprit }?.shareOfAll ?? blamed.share : Self.behindOthers
      return finding
    }
  }
}
