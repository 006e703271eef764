import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// Tasks that do one thing after another for all units that wait at a continuation, and hand nothing on.
extension DoctorContext {
  private static let nearlyAll = 0.8
  private static let leastInFront: Nanoseconds = 3

  func busyWorkers() -> [Finding] {
    findings(most: .max) { blamed in
      guard case .pool(let place) = blamed.culprit, place >= 0, let worker = blamed.holders.first, worker.kind >= 0,
        worker.kind != blamed.kind, worker.share >= Self.nearlyAll, !isPool(place)
      else { return nil }
      return explained { $0 == blamed.culprit }.flatMap { busy(requests.kinds[Int(worker.kind)], place, $0) }
    }
  }

  /// Whether those who resume waiters there had waited there themselves.
  private func isPool(_ place: Int32) -> Bool {
    requests.pools.contains { requests.areInOneFunction($0.location, place) && $0.byHolders * 2 >= $0.resumed }
  }

  private func busy(_ worker: RequestKind, _ place: Int32, _ explained: Explained) -> Finding? {
    // Who waits for what is done for it alone waits for no others.
    guard explained.share >= Self.leastOfQueue, explained.time >= Self.leastTurn,
      explained.time / Self.leastInFront >= worker.p50
    else { return nil }
    let location = requests.locations[Int(place)]
    var finding = Finding(
      .busyQueue, severity(explained.blamed), ending: .itWorks,
      title:
        "slow '\(Self.shown(explained.kind.name))' (p99 \(DurationText.text(explained.kind.p99))) wait in "
        + "'\(Self.shown(location.function ?? "a call"))'\(Self.line(location)) for '\(Self.shown(worker.name))', which does one "
        + "after another: \(Self.percent(explained.share)) of their time"
        + (mostly(explained.blamed).map { "; meanwhile it mostly \($0)" } ?? ""),
      explanation: "Others are in front of them. For each it takes \(DurationText.text(worker.p50)) in the median.",
      fix: "Let it do several at the same time, or do not wait for it; and limit how many may wait.")
    finding.location = worker.location ?? location
    finding.explains = explained.shareOfAll
    finding.evidence.append(explained.evidence)
    return finding
  }
}
