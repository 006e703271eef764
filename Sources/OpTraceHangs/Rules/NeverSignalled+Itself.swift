import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// Threads that wait for their own process by way of the system. Whether another process got such an end unseen is not
/// known, so none of this is proven.
extension DoctorContext {
  /// One finding for all of them, the main thread first; none if a cycle explains the standstill.
  func waitsForItself() -> [Finding] {
    guard case .itself = left, isStandstill, blockage.deadlocks.isEmpty else { return [] }
    let waiting = doors.filter(\.isOwn).compactMap(\.thread).compactMap { seenThreads[$0] }
    guard let some = waiting.first(where: \.isUpToOneself) else { return [] }
    // Foundation waits for the child on a thread of its own, which says what the child does.
    let polling = some.otherProcess == nil ? [] : seenThreads.all.filter { $0.pollsForChild(in: trace.stacks) }
    func operation(on seen: SeenThread) -> OperationRecord? {
      trace.operations.first { $0.holdsThread && $0.started?.thread == seen.thread }
    }
    let others = waiting.filter { seen in
      (trace.stacks.ownFrame(seen.at) != nil || operation(on: seen) != nil)
        && !polling.contains { $0.thread == seen.thread }
    }
    let all = mainFirst(polling + others)
    let cause = all.first(where: \.isUpToOneself) ?? some
    // Threads of libraries alone wait for the program to give them work.
    guard let first = all.first else { return [] }
    let operation = operation(on: first)
    let who = operation.map { name($0.id) } ?? name(first.thread)
    func what(_ seen: SeenThread) -> String { seen.isUpToOneself ? seen.phrase : cause.phrase }
    let more = all.count > 1 ? " (and \(all.count - 1) more)" : ""
    let place = operation.flatMap { location(ofExecuting: $0) } ?? location(of: first.thread)
    let phrase = Self.phrase(place)
    var finding = Finding(
      .neverSignalled, .warning, ending: .sentence("Only this process can end it."),
      title: "\(who) waits for \(what(first))\(more)\(phrase)",
      explanation: Self.explanation(of: cause), fix: Self.fix(of: cause))
    finding.operations = operation.map { [$0.id] } ?? []
    finding.location = place
    for seen in all.prefix(Self.mostEvidence) {
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(name(seen.thread)) waits for \(what(seen))\(Self.phrase(location(of: seen.thread)))"))
    }
    return [unproven(finding, because: "another process may have got such an end in a way that was not seen")]
  }

  private static func explanation(of seen: SeenThread) -> String {
    switch seen.end {
    case .stopped: "The child is stopped by a signal, and goes on only when somebody sends it SIGCONT."
    case .writer:
      "A pipe holds 64 KB. The child has filled it, and goes on only when this process reads, which waits for the child."
    case .reader:
      "The child reads until the other end is closed. Only this process has that end open, and waits for the child."
    case .own where seen.isForFileLock:
      "Each open() of a file has a lock of its own (flock). A second one waits for the first, also in one process or thread."
    default:
      "Only this process can use the other end, every other thread waits too, and no block, task or timer is pending."
    }
  }

  private static func fix(of seen: SeenThread) -> String {
    switch seen.end {
    case .stopped:
      "Find out who stopped it (SIGSTOP, SIGTSTP; SIGTTIN: it read from a terminal in the background), and send SIGCONT; or end it."
    case .writer:
      "Read the child's output before waiting for its end: let data = try pipe.fileHandleForReading.readToEnd(), then "
        + "process.waitUntilExit(). With two pipes read both at the same time."
    case .reader:
      "Close the writing end when all is written: try input.fileHandleForWriting.close(). In C, close it in the child as well."
    case .own where seen.isForFileLock:
      "Use one descriptor for the file, unlock before locking again, or protect the file inside the process with a lock in memory."
    default:
      "Find the code that has to write to it or close it, on every path; or read on a thread that nothing else waits for."
    }
  }
}
