import OpTraceFormat
import OpTraceKernel
package import OpTraceModel

/// Who waits for what at the end, where a person would look first if no rule finds a reason.
extension DoctorContext {
  /// Threads that wait in the program's own code, the main thread first, then those that sleep for a time, then tasks. Words as those of ``Door``.
  /// O(threads · depth + waits + tasks).
  package func findWaiting() -> [Door] {
    let seen = trace.snapshot?.threads.filter { seenThreads[$0.thread] != nil } ?? []
    let ordered = mainFirst(seen)
    // Who sleeps wakes by itself.
    var found = (ordered.filter { $0.reason != .time } + ordered.filter { $0.reason == .time })
      .compactMap { seen in what(of: seen).map { Door(thread: seen.thread, text: $0) } }
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
  /// program's code, and waits for no child that waits for this process.
  private func what(of seen: SeenThread) -> String? {
    let isForChild = seen.waitsForStuckChild
    guard seen.isAsleep, isForChild || !seen.isIdle(in: trace.stacks) && trace.stacks.ownFrame(seen.at) != nil else {
      return nil
    }
    let who = name(seen.thread)
    let open = trace.waits.last { $0.thread == seen.thread && $0.ended == nil }
    if let open {
      return "\(who) waits for \(target(of: open))\(Self.phrase(location(of: open) ?? location(of: seen.thread)))"
    }
    if let queue = queueAwaited(by: seen.thread) {
      return "\(who) waits for \(queue)\(Self.phrase(location(of: seen.thread)))"
    }
    guard seen.reason != .unknown else { return nil }
    // Foundation waits for a child on a thread of its own, which says what the child does.
    let child =
      seen.pollsForChild(in: trace.stacks) ? seenThreads.all.first { $0.waitsForStuckChild } : nil
    if let child { return "\(who) waits for \(child.phrase)\(Self.phrase(location(of: seen.thread)))" }
    let limit = seen.isTimed && seen.reason != .time ? " with a time limit" : ""
    let holder = seen.heldBy.map { ", which \(name($0)) \(seen.reason == .once ? "runs" : "has")" } ?? ""
    return "\(who) waits for \(seen.phrase)\(holder)\(limit)\(Self.phrase(location(of: seen.thread)))"
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

  /// Whether an open wait is for something that nothing else in the process refers to, so that nobody could end it.
  package func isUnreferenced(_ wait: WaitRecord) -> Bool {
    guard wait.ended == nil, case .object = wait.target else { return false }
    guard let enders = trace.origin?.enders(ofThread: wait.thread), enders.isUnreferenced else { return false }
    return areHeldUp(enders.possible)
  }

  /// The same for a task's continuation.
  package func isUnreferenced(_ task: TaskRecord) -> Bool {
    guard let enders = trace.origin?.enders(ofTask: task.id), enders.isUnreferenced else { return false }
    return areHeldUp(enders.possible)
  }

  /// None of these threads can go on, whatever the others do. O(threads · nodes).
  private func areHeldUp(_ threads: [ThreadID]) -> Bool {
    threads.allSatisfy { thread in
      let graph = blockage.graph
      return graph.nodes.indices.contains { node in
        guard blockage.isBlocked[node] else { return false }
        switch graph.nodes[node] {
        case .thread(let one): return one == thread
        case .operation(let index):
          return trace.operations[index].holdsThread && trace.operations[index].started?.thread == thread
        case .block(let index): return trace.blocks[index].began?.thread == thread
        case .task(let index):
          return trace.tasks[index].runs.last.map { $0.ended == nil && $0.thread == thread } == true
        default: return false
        }
      }
    }
  }

  /// Who waits, in words: the operation, else the thread.
  package func waiter(_ wait: WaitRecord) -> String { wait.inside.map { name($0) } ?? name(wait.thread) }
}
