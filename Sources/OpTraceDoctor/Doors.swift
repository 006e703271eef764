import OpTraceKernel
package import OpTraceModel
import OpTraceFormat

/// Something that may still move a program in a standstill. As long as one such door is open, silence proves nothing.
package struct Door: Sendable, Equatable {
  /// The thread that may move it; nil: it is no thread.
  package var thread: ThreadID?
  /// `the main thread waits for a socket, in serve() at main.swift:12`.
  package var text: String
  /// Whether what it waits for is up to this process: the other end of a pipe that nobody else has, or a child that
  /// waits for this process in turn, or is stopped.
  package var isOwn = false
}

extension DoctorContext {
  /// Whether nothing has moved for long enough although work is open that should move.
  package var isStandstill: Bool { isStalled && trace.hasOpenWork }

  /// Threads that are busy, sleep or wait for something from outside, and blocks and tasks whose time has not come yet.
  /// Without a snapshot, only threads whose sleep was recorded. O(threads · depth + waits + blocks + tasks).
  package func findDoors() -> [Door] {
    var doors: [Door] = []
    let open = (trace.snapshot?.threads ?? []).filter { seenThreads[$0.thread] == nil || !$0.isShut(in: trace) }
    let polls =
      open.contains { $0.waitsForStuckChild }
      && seenThreads.all.contains { $0.pollsForChild(in: trace.stacks) }
    for seen in open {
      let isOwn = seen.isUpToOneself || polls && seen.isOfTimers(in: trace.stacks)
      doors.append(
        Door(
          thread: seen.thread, text: "\(name(seen.thread)) \(what(seen))",
          isOwn: isOwn && seenThreads[seen.thread] != nil))
    }
    // If there is a snapshot, it shows more than the recorded waits.
    for wait in trace.waits where wait.ended == nil && trace.snapshot == nil && trace.endsByItself(wait) {
      let who = waiter(wait)
      doors.append(
        Door(thread: wait.thread, text: "\(who) waits for \(target(of: wait))\(Self.phrase(location(of: wait)))"))
    }
    for block in trace.blocks
    where block.way == .after && block.began == nil && block.over == nil && block.isOutcomeKnown {
      doors.append(Door(text: "\(name(block.id)) of asyncAfter has not begun: its time has not come"))
    }
    for task in trace.tasks where task.over == nil && task.suspension?.reason == .sleep {
      doors.append(Door(text: "\(name(task.id)) sleeps\(Self.phrase(location(of: task)))"))
    }
    if let handled = trace.header.handledSignalNames {
      // A core does not have the list of handlers: it is each signal that the program may have given one.
      let isKnown = trace.origin?.isCore != true
      doors.append(
        Door(
          text: isKnown
            ? "a handler of \(handled) may run" : "a signal may have a handler that goes on, which a core does not tell"
        ))
    }
    return doors
  }

  /// What a thread does that may continue by itself, in words.
  private func what(_ seen: SeenThread) -> String {
    // A line in the system's code does not help the user.
    let location = trace.stacks.ownFrame(seen.at) == nil ? "" : Self.phrase(trace.stacks.codeLocation(seen.at))
    if seenThreads[seen.thread] == nil { return "has moved since its snapshot" }
    // If it is awake only for a moment, describe the wait to which it will return.
    let seen = seen.settled(in: trace) ?? seen
    if seen.isBusy { return "is computing" + (computed(seen.thread).map { Self.phrase($0) } ?? location) }
    if !seen.isAsleep { return "runs\(location)" }
    return seen.isTimed
      ? "waits for \(seen.phrase) with a time limit\(location)" : "waits for \(seen.phrase)\(location)"
  }
}

extension TraceHeader {
  /// `SIGTERM, SIGUSR1`, by Linux's signal numbers; nil: the program handles none.
  fileprivate var handledSignalNames: String? {
    let names: [Int: String] = [
      1: "SIGHUP", 2: "SIGINT", 10: "SIGUSR1", 12: "SIGUSR2", 14: "SIGALRM", 15: "SIGTERM", 17: "SIGCHLD",
    ]
    var handled: [String] = []
    for number in 1...64 where handledSignals >> UInt64(number - 1) & 1 != 0 {
      handled.append(names[number] ?? "signal \(number)")
    }
    return handled.isEmpty ? nil : handled.joined(separator: ", ")
  }
}
