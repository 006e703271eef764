import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// What never ends although its own code has no mistake: waiters for a lock of a thread that has ended, and for
/// operations whose start was not heard.
extension DoctorContext {
  /// Findings about locks whose holder has ended.
  func abandonedLocks() -> [Finding] {
    blockage.roots.compactMap { root in
      guard case .abandonedLock(let address) = blockage.graph.nodes[root.node],
        let seen = seenThreads.heldUp.first(where: { $0.lock == address && $0.heldBy == nil })
      else { return nil }
      let waiters = root.held.compactMap { node -> OperationRecord? in
        if case .operation(let index) = blockage.graph.nodes[node] { trace.operations[index] } else { nil }
      }
      let who = waiters.first.map { name($0.id) } ?? name(seen.thread)
      var finding = Finding(
        .neverFinished, .error, ending: .sentence("Nobody can unlock it any more."),
        title: "\(who) waits for \(seen.reason.text) whose holder\(lastHolder(of: seen)) has ended",
        explanation:
          "The thread that holds the lock has ended without unlocking it. No other thread may unlock it, so its "
          + "waiters wait forever.",
        fix: "Unlock on every path of the code that takes the lock, on the same thread (withLock, or defer).")
      finding.form = .abandonedLock
      finding.operations = waiters.map(\.id)
      finding.queues = queues(of: waiters)
      finding.behind = root.behind
      let sleepers = seenThreads.heldUp.filter { $0.lock == address }
      for seen in sleepers {
        let operation = waiters.first { seenThread(of: $0)?.thread == seen.thread }
        finding.evidence.append(evidence(of: seen, operation.map { name($0.id) } ?? name(seen.thread)))
      }
      addWaitingThreads(
        root.waitingThreads.filter { thread in !sleepers.contains { $0.thread == thread } }, to: &finding)
      return proven(finding)
    }
  }

  /// Operations that somebody waits for and nothing is left to finish, whose start was not heard: those of a final
  /// class that are started by hand.
  func seenInPart() -> [Finding] {
    guard isDeadWorld, isStalled else { return [] }
    let waits = trace.waits.filter { wait in
      guard wait.ended == nil, case .operation(let id) = wait.target, let target = operation(id) else { return false }
      return target.coverage == .partial && target.finished == nil && wait.inside == nil
    }
    return Self.groups(waits, by: \.target).compactMap { waits in
      guard case .operation(let id) = waits[0].target, let target = operation(id) else { return nil }
      let phrase = Self.phrase(location(of: waits[0]))
      var finding = Finding(
        .neverFinished, .error, ending: .announcedEnd,
        title: "\(name(waits[0].thread)) waits for \(name(id)), and nothing is left to finish it\(phrase)",
        explanation:
          "\(nobodyGoesOn). Foundation learns that an "
          + "operation is finished only from a notification that isFinished has changed.",
        fix:
          "Set isFinished of \(target.className) on every path, and announce it: willChangeValue(forKey: \"isFinished\") before "
          + "and didChangeValue(forKey: \"isFinished\") after.")
      finding.form = .unfinished
      finding.operations = [id]
      for wait in waits.prefix(Self.mostEvidence) {
        finding.evidence.append(
          .init(
            at: Stamp(wait.began, wait.thread),
            "\(name(wait.thread)) began to wait for it\(Self.phrase(location(of: wait)))"))
      }
      return proven(finding)
    }
  }
}
