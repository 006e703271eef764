import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let repeatedCalls = Trouble("repeated-calls", .slow)
}

extension DoctorRule {
  /// Each unit of a kind waits ten times or more in one function, which others call less than a fifth as often, and its slow ones lose
  /// three tenths of their time, and 5 ms each, to it. Ten calls are what a page needs that asks for each of its rows. A function that reads
  /// a stream waits in the function that handles the request itself, which is no call.
  static let repeatedCalls = DoctorRule(
    .repeatedCalls, .warning,
    Guide(
      """
      A request asks for many things one after another, and waits for each: one query for a list, and one more for each of its \
      rows (N+1). Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        for id in try await orders.ids(of: customer) {
          rows.append(try await orders.row(id))          // 40 times 2 ms
        }
        """,
      right: """
        rows = try await orders.rows(of: customer)       // once
        """)
  ) { context in
    context.repeatedCalls()
  }
}

extension DoctorContext {
  private static let leastTimes = 10
  private static let moreThanOthers = 5
  private static let leastShare = 0.3
  private static let leastTime: Nanoseconds = 5_000_000

  fileprivate func repeatedCalls() -> [Finding] {
    var told: Set<Int32> = []
    return requests.calls.compactMap { calls -> Finding? in
      guard calls.median >= Self.leastTimes, !told.contains(calls.kind), let finding = repeated(calls) else {
        return nil
      }
      told.insert(calls.kind)
      return finding
    }
  }

  func repeated(_ calls: Requests.Calls) -> Finding? {
    let kind = requests.kinds[Int(calls.kind)]
    let location = requests.locations[Int(calls.function)]
    guard calls.median >= Self.leastTimes, isServed(kind), kind.areRounds,
      !requests.isInFunction(of: kind, calls.function)
    else { return nil }
    let others =
      requests.calls.filter { $0.function == calls.function && $0.kind != calls.kind }.map(\.median).max() ?? 0
    let blamed = requests.blamed.filter { one in
      one.kind == calls.kind && one.culprit.location.map { requests.areInOneFunction($0, calls.function) } ?? false
    }
    let share = blamed.reduce(0) { $0 + $1.share }
    let time = blamed.reduce(0) { $0 + $1.tail }
    guard others * Self.moreThanOthers < calls.median, share >= Self.leastShare, time >= Self.leastTime else {
      return nil
    }
    let name = Self.shown(kind.name)
    // What was inlined into the function of the route itself.
    let own = requests.calls.first {
      $0.kind == calls.kind && requests.isInFunction(of: kind, $0.function)
    }
    let number = max(calls.median, own?.median ?? 0)
    let part = number > calls.median ? ", \(calls.median) of them" : ""
    var finding = Finding(
      .repeatedCalls, .warning, ending: .itWorks,
      title: "'\(name)' waits \(number) times for each unit, one after another\(part) in "
        + "'\(Self.shown(location.function ?? "a call"))'\(Self.line(location)): \(Self.percent(share)) of the time of the slow ones (p99 \(DurationText.text(kind.p99)))",
      explanation: others > 0
        ? "Others wait there \(others == 1 ? "once" : "\(others) times")."
        : "No other kind of unit waits there so often.",
      fix: "Ask once for all of it, or for several at the same time.")
    finding.location = location
    finding.explains = explained { culprit in blamed.contains { $0.culprit == culprit } }?.shareOfAll ?? share
    finding.evidence.append(
      .init(
        "half of \(Self.count(kind.count, "unit")) wait there \(calls.median) times or more, one \(calls.most) times"))
    return finding
  }
}
