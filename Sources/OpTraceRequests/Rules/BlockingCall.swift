import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let blockingCall = Trouble("blocking-call", .slow)
}

extension DoctorRule {
  /// Calls at one line, which block the threads of tasks, have a fifth of the time of the slow units of a kind, and 10 ms of
  /// each: of those that make them, and of those that wait for a thread meanwhile. A write into a database that another one
  /// has just locked may take less.
  static let blockingCall = DoctorRule(
    .blockingCall, .warning,
    Guide(
      """
      Code of a task blocks its thread in a system call, a sleep or a wait. Swift's pool has as many threads as there are \
      processors, so a few of these stop everything else that is ready to run. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        func log(_ line: String) async {
          _ = line.withCString { write(pipe, $0, strlen($0)) }    // full: until somebody reads
        }
        """,
      right: """
        let lines = AsyncStream<String>.makeStream()
        func log(_ line: String) { lines.continuation.yield(line) }
        // A thread of its own, which may block, writes them.
        """)
  ) { context in
    context.blockingCalls()
  }
}

extension DoctorContext {
  private static let leastCall: Nanoseconds = 10_000_000
  private static let mostCalls = 3

  fileprivate func blockingCalls() -> [Finding] {
    findings(most: Self.mostCalls) { blamed in
      guard blamed.culprit.blocksItsThread, !requests.blamed.contains(where: { isMadeUnder($0, blamed.culprit) })
      else { return nil }
      return explained { $0 == blamed.culprit }.flatMap { blocking($0) }
    }
  }

  private func blocking(_ explained: Explained) -> Finding? {
    let blamed = explained.blamed
    guard explained.time >= Self.leastCall, let end = blamed.blockingEnd else { return nil }
    let location = end.location < 0 ? nil : requests.locations[Int(end.location)]
    let function = Self.shown(location?.function ?? "code")
    let others = blamed.waits.reduce(0) { $0 + ($1.resource?.kind == .thread ? $1.share : 0) }
    var finding = Finding(
      .blockingCall, .warning, ending: .itWorks,
      title:
        "'\(function)' blocks its thread in \(Self.shown(end.name))\(Self.line(location))\(calledBy(end.caller)): \(Self.percent(explained.share)) of the "
        + "time of slow '\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99)))",
      explanation: others >= Self.mostlyOthers
        ? "The pool has as many threads as there are processors. While they are blocked, everything else waits for a thread: so do the "
          + "slow ones, for \(Self.percent(others)) of this time."
        : "Meanwhile the thread runs nothing else.",
      fix: "Await what it waits for, or do it on a thread or a queue of its own.")
    finding.location = location
    finding.explains = explained.shareOfAll
    if let routes = routes(blamed) { finding.evidence.append(.init("threads are blocked \(routes)")) }
    finding.evidence.append(explained.evidence)
    return finding
  }

  private static let mostlyOthers = 0.3
}

extension Culprit {
  fileprivate var blocksItsThread: Bool {
    switch self {
    case .call, .signal: true
    default: false
    }
  }
}

extension Requests.Blamed {
  /// The call that most of the time goes to; a wait for a signal, where that is what blocks.
  fileprivate var blockingEnd: BlameEnd? {
    if case .signal(let location) = culprit {
      return places.first.map { BlameEnd(.call, "a wait for \($0.resource?.name ?? "a signal")", location) }
    }
    return ends.first { $0.end.kind == .call }?.end
  }
}
