import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let lockContention = Trouble("lock-contention", .slow)
}

extension DoctorRule {
  /// A fifth of the time of the slow units of a kind, and 5 ms of each, is lost to a lock that another thread has: by those
  /// that wait for it, and by those that wait for the threads of these. A lock is meant to be held for microseconds.
  static let lockContention = DoctorRule(
    .lockContention, .warning,
    Guide(
      """
      Threads wait for a lock that another one holds for long: while it computes, or blocks in a call. Tasks that wait for a lock \
      hold their thread. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        lock.withLock {
          counts[route, default: 0] += 1
          try? handle.write(contentsOf: line)       // a slow disk, and everybody waits
        }
        """,
      right: """
        lock.withLock { counts[route, default: 0] += 1 }
        lines.yield(line)                           // written by a thread of its own
        """)
  ) { context in
    context.contendedLocks()
  }
}

extension DoctorContext {
  private static let leastWait: Nanoseconds = 5_000_000
  private static let mostLocks = 3

  fileprivate func contendedLocks() -> [Finding] {
    findings(most: Self.mostLocks) { blamed in
      guard case .lock = blamed.culprit else { return nil }
      return explained { $0 == blamed.culprit || self.isMadeUnder(blamed, $0) }.flatMap { contended(blamed, $0) }
    }
  }

  /// The part of the time of a call that must be waited for by a lock, so that the lock is the fault of the call.
  private static let leastByLock = 0.25

  /// Whether a call is what the holder of a lock mostly does: its time is then the lock's, too.
  func isMadeUnder(_ lock: Requests.Blamed, _ call: Culprit) -> Bool {
    guard case .call(_, let location) = call, location >= 0, case .lock = lock.culprit, let end = lock.ends.first,
      end.end.kind == .call, end.end.location == location, end.share >= 0.5
    else { return false }
    let time = requests.blamed.reduce(0) { $0 + ($1.culprit == call ? Double($1.tail) : 0) }
    let byLock = requests.blamed.reduce(0) { $0 + ($1.culprit == lock.culprit ? Double($1.tail) : 0) }
    return byLock >= (time + byLock) * Self.leastByLock
  }

  private func contended(_ blamed: Requests.Blamed, _ explained: Explained) -> Finding? {
    guard explained.time >= Self.leastWait else { return nil }
    let waited = blamed.places.first { $0.resource?.location ?? -1 >= 0 }?.resource
    let waiting = waited.map { requests.locations[Int($0.location)] }
    let held = mostly(blamed)
    let holder = blamed.ends.first { $0.end.location >= 0 }.map { requests.locations[Int($0.end.location)] }
    var finding = Finding(
      .lockContention, .warning, ending: .itWorks,
      title:
        "'\(Self.shown(waiting?.function ?? "code"))' waits for a lock\(Self.line(waiting)), and who has it "
        + (held ?? "is not known") + ": \(Self.percent(explained.share)) of the time of slow "
        + "'\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99)))",
      explanation: "Who waits for a lock blocks its thread, and what else there is waits for a thread.",
      fix: "Hold the lock only to read and to store: do what takes long before or after.")
    finding.location = holder ?? waiting
    finding.explains = explained.shareOfAll
    if let routes = routes(blamed) { finding.evidence.append(.init("it is held \(routes)")) }
    finding.evidence.append(explained.evidence)
    return finding
  }
}
