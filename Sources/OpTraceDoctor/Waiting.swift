import OpTraceFormat
import OpTraceKernel
package import OpTraceModel

/// Who waits for what at the end, where a person would look first if no rule finds a reason.
extension DoctorContext {
  /// Threads that wait in the program's own code, the main thread first, then tasks. Words as those of ``Door``.
  /// O(threads · depth + waits + tasks).
  package func findWaiting() -> [Door] {
    let seen = trace.snapshot?.threads.filter { seenThreads[$0.thread] != nil } ?? []
    var found = mainFirst(seen).compactMap { seen in what(of: seen).map { Door(thread: seen.thread, text: $0) } }
    for task in trace.tasks where task.over == nil {
      guard let suspension = task.suspension, suspension.reason != .sleep,
        suspension.at.map({ trace.stacks.ownFrame($0) != nil }) ?? false
      else { continue }
      let what = suspension.actor?.title ?? suspension.reason.phrase
      found.append(Door(text: "\(name(task.id)) waits for \(what)\(Self.phrase(location(of: task)))"))
    }
    return found
  }

  /// `the main thread waits for semaphore 1, in load() at main.swift:12`; nil: the thread is idle, or not in the
  /// program's code.
  private func what(of seen: SeenThread) -> String? {
    guard seen.isAsleep, !seen.isIdle(in: trace.stacks), trace.stacks.ownFrame(seen.at) != nil else { return nil }
    let who = name(seen.thread)
    let open = trace.waits.last { $0.thread == seen.thread && $0.ended == nil }
    if let open {
      return "\(who) waits for \(target(of: open))\(Self.phrase(location(of: open) ?? location(of: seen.thread)))"
    }
    if let queue = queueAwaited(by: seen.thread) {
      return "\(who) waits for \(queue)\(Self.phrase(location(of: seen.thread)))"
    }
    guard seen.reason != .unknown else { return nil }
    let limit = seen.isTimed && seen.reason != .time ? " with a time limit" : ""
    return "\(who) waits for \(seen.phrase)\(limit)\(Self.phrase(location(of: seen.thread)))"
  }

  /// The dispatch queue for which this thread waits in `sync`; nil: it waits for none that is known.
  package func queueAwaited(by thread: ThreadID) -> String? {
    queuesAwaited[thread].flatMap(trace.dispatchQueue).map { name($0) }
  }

  /// The queues for which threads wait in `sync`. O(blocks).
  static func queuesAwaited(in trace: Trace) -> [ThreadID: DispatchQueueID] {
    var queues: [ThreadID: DispatchQueueID] = [:]
    for block in trace.blocks where block.way == .sync && block.began == nil && block.over == nil {
      if let thread = block.submitted?.thread { queues[thread] = block.queue }
    }
    return queues
  }

  /// Threads that sleep in the program's own code until another thread wakes them, and whose wait was not recorded: a
  /// condition of the C library, for example, or a reader-writer lock that readers have. The main thread comes first.
  package func unrecordedWaits() -> [SeenThread] {
    let known = Set(trace.waits.lazy.filter { $0.ended == nil }.map(\.thread))
    let running = Set(trace.operations.lazy.filter(\.holdsThread).compactMap { $0.started?.thread })
    let found = seenThreads.all.filter { seen in
      seen.isAsleep && !seen.isTimed && (seen.reason == .futex || seen.reason == .readers)
        && !known.contains(seen.thread)
        && !running.contains(seen.thread) && trace.stacks.ownFrame(seen.at) != nil
    }
    return mainFirst(found)
  }

  /// The same threads, the main thread first. O(threads).
  package func mainFirst(_ threads: [SeenThread]) -> [SeenThread] {
    let isMain = { (seen: SeenThread) in thread(seen.thread)?.isMain == true }
    return threads.filter(isMain) + threads.filter { !isMain($0) }
  }

  /// Who waits, in words: the operation, else the thread.
  package func waiter(_ wait: WaitRecord) -> String { wait.inside.map { name($0) } ?? name(wait.thread) }
}
