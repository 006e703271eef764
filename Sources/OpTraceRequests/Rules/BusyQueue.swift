import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let busyQueue = Trouble("busy-queue", .slow)
}

extension DoctorRule {
  /// The slow units of a kind lose a third of their time, and 5 ms each, to an operation queue all of whose slots are taken, to a dispatch
  /// queue that runs others, or to a task that does one thing after another for all. 5 ms is what people notice.
  static let busyQueue = DoctorRule(
    .busyQueue, .warning,
    Guide(
      """
      Requests wait for their turn in a queue: an operation queue has too few slots for what is added, or a serial dispatch \
      queue does one thing after another. Needs a trace with blocks or operations, and tasks (`record --all`).
      """,
      wrong: """
        let images = OperationQueue()
        images.maxConcurrentOperationCount = 1          // each request adds one, of 40 ms
        """,
      right: """
        images.maxConcurrentOperationCount = 4          // what the disk can do at once
        """)
  ) { context in
    context.busyQueues() + context.busyWorkers()
  }
}

extension DoctorContext {
  static let leastTurn: Nanoseconds = 5_000_000
  static let leastOfQueue = 0.33
  private static let mostQueues = 2

  fileprivate func busyQueues() -> [Finding] {
    findings(most: Self.mostQueues) { blamed in
      guard let queue = blamed.culprit.queue else { return nil }
      return explained { $0 == blamed.culprit }.flatMap { busy(queue, $0) }
    }
  }

  private func busy(_ queue: (name: String, what: String), _ explained: Explained) -> Finding? {
    guard explained.share >= Self.leastOfQueue, explained.time >= Self.leastTurn else { return nil }
    let blamed = explained.blamed
    let place = blamed.places.lazy.compactMap(\.resource).first { $0.location >= 0 }
    let location = place.map { requests.locations[Int($0.location)] }
    let limit = trace.queues.first { $0.title == queue.name && $0.limit > 0 }?.limit
    var finding = Finding(
      .busyQueue, .warning, ending: .itWorks,
      title:
        "slow '\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99))) wait\(location?.function.map { " in '\(Self.shown($0))'" } ?? "")\(Self.line(location)) for \(queue.what) "
        + "'\(Self.shown(queue.name))'\(limit.map { " (limit \($0))" } ?? ""): \(Self.percent(explained.share)) of their time"
        + (mostly(blamed).map { "; meanwhile it mostly \($0)" } ?? ""),
      explanation: "What is in front of them has its turn first, one after another.",
      fix: "Let it do less at a time, give it more slots, or do not wait for it.")
    finding.location = location
    finding.explains = explained.shareOfAll
    if let routes = routes(blamed) { finding.evidence.append(.init("it is busy \(routes)")) }
    finding.evidence.append(explained.evidence)
    return finding
  }
}

extension Culprit {
  fileprivate var queue: (name: String, what: String)? {
    switch self {
    case .slots(let name): (name, "a slot of queue")
    case .queue(let name): (name, "dispatch queue")
    default: nil
    }
  }
}
