import OpTraceFormat
package import OpTraceKernel
package import OpTraceModel

/// Decides whether the trace has everything that a proof needs.
extension DoctorContext {
  /// Makes an error a warning, and says why, if records are missing that could contradict it.
  package func proven(_ finding: Finding) -> Finding {
    guard let gap = missing(since: begin(of: finding)) else { return finding }
    return unproven(finding, because: gap)
  }

  package func unproven(_ finding: Finding, because reason: String) -> Finding {
    var finding = finding
    finding.isProven = false
    if finding.severity == .error { finding.severity = .warning }
    finding.evidence.append(.init(Finding.unprovenMark + reason))
    return finding
  }

  /// The time from which on the trace must be complete about everything that the finding names.
  private func begin(of finding: Finding) -> Nanoseconds {
    var begin = end
    for id in finding.operations {
      guard let operation = operation(id) else { return .min }
      begin = min(begin, operation.created ?? .min, operation.enqueued?.time ?? begin)
    }
    // If earlier records are missing, it is not known what was in a queue.
    for id in finding.queues { begin = min(begin, queue(id)?.created ?? .min) }
    return begin
  }

  /// Whether records may be missing after this moment.
  package func isAnyMissing(since begin: Nanoseconds) -> Bool { missing(since: begin) != nil }

  /// What is missing after this moment, in words; nil: nothing is.
  private func missing(since begin: Nanoseconds) -> String? {
    let loss = trace.loss
    if loss.isDamaged { return "the trace is damaged, and the missing part may show otherwise" }
    if !loss.unknownKinds.isEmpty { return "the trace has records of a newer OpTrace, which may show otherwise" }
    guard loss.lostCount > 0 else { return nil }
    let located = loss.gaps.reduce(UInt64(0)) { sum, gap in
      let (result, overflow) = sum.addingReportingOverflow(gap.count)
      return overflow ? .max : result
    }
    if located >= loss.lostCount, loss.gaps.allSatisfy({ $0.to < begin }) { return nil }
    return "\(loss.lostCount) records were lost, and may show otherwise"
  }
}

/// Whether anything in the process could still wake a sleeping thread.
extension DoctorContext {
  /// Whether every thread sleeps without a timeout until another thread wakes it, and none is left that could. Then
  /// only something outside the threads could wake them (a timer, or another process through shared memory). O(threads
  /// · depth).
  package static func isDeadEnd(_ trace: Trace, _ seenThreads: SeenThreads) -> Bool {
    guard trace.header.handledSignals == 0, let snapshot = trace.snapshot, !snapshot.isPartial, snapshot.moved == 0,
      snapshot.refused == 0, !snapshot.threads.isEmpty,
      seenThreads.all.count == snapshot.threads.count
    else { return false }
    return snapshot.threads.allSatisfy { $0.isShut(in: trace) }
  }

  /// A dead end in which, in addition, no libdispatch thread waits for timers or events, and no block or task for its
  /// time.
  package var isClosedWorld: Bool {
    isDeadEnd
      && trace.snapshot?.threads.allSatisfy { $0.reason != .poll && $0.reason != .time && $0.reason != .input } ?? false
      && trace.blocks.allSatisfy { $0.way != .after || $0.began != nil || $0.over != nil }
      && trace.tasks.allSatisfy { $0.suspension?.reason != .sleep }
  }

  /// Whether an unfinished block or task may continue by itself: it waits for a turn that it will get.
  package func canMove(_ node: Int) -> Bool {
    guard !blockage.isBlocked[node], blockage.graph.edges(from: node).allSatisfy({ isFree($0.to) }) else {
      return false
    }
    switch blockage.graph.nodes[node] {
    case .block(let index): return trace.blocks[index].began == nil
    case .task(let index):
      let task = trace.tasks[index]
      // If the actor were free, the task would have run at once: so somebody is in it, and does not leave.
      let hasTurn = task.enqueued != nil && task.actor == nil
      return task.suspension == nil && task.runs.last?.ended != nil || task.runs.isEmpty && hasTurn
    default: return false
    }
  }

  /// Whether what work waits for keeps it from nothing: a queue in which nothing runs, a main thread with nothing to do.
  private func isFree(_ node: Int) -> Bool {
    switch blockage.graph.nodes[node] {
    case .turn: return blockage.graph.edges(from: node).isEmpty
    case .thread(let thread):
      guard let seen = seenThreads[thread] else { return true }
      return !seen.isAsleep || seen.reason == .events || seen.isIdle(in: trace.stacks)
    default: return false
    }
  }

  /// Whether the code of an operation was seen using the processor.
  package func computes(_ operation: OperationRecord) -> Bool { seenThread(of: operation)?.isBusy == true }
}

/// The one question that each proof by silence asks: who is left that could still end it?
extension DoctorContext {
  package enum Left {
    case nobody
    /// Only threads that wait for their own process, by way of the system: for a pipe of which it has both ends, for
    /// example. Nobody is left that could end their waits, but that is likely, and not proven.
    case itself(Door)
    /// Something may still move the program.
    case somebody(Door)
    /// The trace does not show what every thread does.
    case unknown
  }

  package var left: Left {
    if isDeadWorld { return .nobody }
    if let door = doors.first(where: { !$0.isOwn }) { return .somebody(door) }
    return doors.first.map { .itself($0) } ?? .unknown
  }

  /// A finding about something that waits. Only if nobody is left that could wake it, silence proves that it is stuck.
  /// While a door is open it is possible, so it is a note; if it is not known what the threads do, it is likely once
  /// nothing has moved for long enough, so it is a warning.
  package func silent(_ finding: Finding) -> Finding {
    let finding = proven(finding)
    switch left {
    case .nobody: return finding
    case .somebody(let door): return noted(finding, because: "\(door.text), and that may wake it")
    case .itself(let door): return likely(finding, because: door.text)
    case .unknown: return likely(finding, because: "the trace does not show what every thread does")
    }
  }

  /// A finding about a state that any code of the program may undo. It is only a note while somebody is left that
  /// could, in a program that runs and in a standstill, however short the silence. Where a program ended, nobody is.
  package func undoable(_ finding: Finding) -> Finding {
    guard isStandstill || !hasEnded, !options.isSilenceEnough else { return finding }
    switch left {
    case .somebody(let door): return noted(finding, because: "\(door.text), and that may undo it")
    case .itself(let door): return likely(finding, because: door.text)
    case .nobody, .unknown: return finding
    }
  }

  /// A finding that is likely once nothing has moved for long enough: a warning, and before that a note.
  private func likely(_ finding: Finding, because reason: String) -> Finding {
    isStalled ? unproven(finding, because: reason) : noted(finding, because: reason)
  }

  /// The finding as a note that says why it is no more.
  package func noted(_ finding: Finding, because reason: String) -> Finding {
    var result = unproven(finding, because: reason)
    result.severity = .note
    return result
  }
}
