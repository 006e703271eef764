import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// Notes about operations that still run: nothing proves a hang.
extension DoctorContext {
  /// Findings about operations that use the processor: these are busy, however long they take.
  func computing(_ suspects: [Suspect]) -> [Finding] {
    guard let first = suspects.first else { return [] }
    let operations = suspects.map { trace.operations[$0.index] }
    // Without samples the stack of a running thread is not known; use the function that the operation was given.
    func location(_ operation: OperationRecord) -> String {
      if let seen = seenThread(of: operation), let computed = computed(seen.thread) { return Self.phrase(computed) }
      return Self.phrase(operation.function == nil && operation.source == nil ? nil : operation.codeLocation)
    }
    var finding = Finding(
      .neverFinished, .note, ending: .unknown,
      title: suspects.count == 1
        ? "\(name(first.index)) is computing\(location(operations[0]))" : "\(suspects.count) operations are computing",
      explanation: "\(suspects.count == 1 ? "It was" : "They were") seen using the processor: busy, not stuck.",
      fix:
        "If that takes too long, look at what \(operations[0].function?.shortName ?? operations[0].className) does; long "
        + "loops can check isCancelled.")
    finding.form = .computing
    finding.reason = .itself
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(5) {
      guard let seen = seenThread(of: operation) else { continue }
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(name(operation.id)) used the processor\(location(operation))"))
    }
    return [finding]
  }

  /// What the thread of a running operation was seen waiting for; nil: it was not seen.
  private func sleep(_ operation: OperationRecord) -> (thread: ThreadID, text: String)? {
    guard let seen = seenThread(of: operation), seen.isAsleep, seen.reason != .unknown else { return nil }
    var text = "\(name(operation.id)) waits for \(seen.phrase)\(locationPhrase(ofExecuting: operation))"
    if let owner = seen.heldBy {
      let isBusy = seenThreads[owner]?.isBusy == true
      let doing = isBusy ? " and is computing" + Self.phrase(computed(owner)) : Self.phrase(location(of: owner))
      text += "; \(holder(owner)) holds it\(doing)"
    }
    return (seen.thread, text)
  }

  /// `a mutex, which thread 12 holds, in save() at Store.swift:40`, if all of them wait for the same lock.
  private func sharedLock(of suspects: [Suspect]) -> String? {
    let seen = suspects.map { seenThread(of: trace.operations[$0.index]) }
    guard let first = seen[0], first.isAsleep, first.reason.isLock, let lock = first.lock, let owner = first.heldBy,
      seen.allSatisfy({ $0?.lock == lock && $0?.reason == first.reason })
    else { return nil }
    let isBusy = seenThreads[owner]?.isBusy == true
    return "\(first.reason.text), which \(holder(owner)) holds"
      + (isBusy ? " while it is computing" + Self.phrase(computed(owner)) : Self.phrase(location(of: owner)))
  }

  /// Where to look if an operation should be over by now. Only a class that ends by itself can fail to say so.
  private func overdue(_ operation: OperationRecord, _ it: String) -> String {
    let begin = "If \(it) should be over by now, "
    if operation.isAsynchronous || operation.startReturned != nil {
      return begin + "check that \(operation.className) is finished on every path."
    }
    if let seen = seenThread(of: operation), seen.isAsleep {
      return begin + "see what it waits for\(locationPhrase(ofExecuting: operation))."
    }
    return begin + "see where its thread is: `optrace stacks`."
  }

  func stillRunning(_ suspects: [Suspect]) -> [Finding] {
    func began(_ suspect: Suspect) -> Nanoseconds { trace.operations[suspect.index].started?.time ?? suspect.since }
    guard let longest = suspects.min(by: { began($0) < began($1) }) else { return [] }
    let count = suspects.count
    let name = name(longest.index)
    var finding = Finding(
      .neverFinished, .note, ending: .unknown,
      title: count == 1 ? "\(name) is still running" : "\(count) operations are still running",
      explanation:
        "\(count == 1 ? "It was" : "They were") started and not finished when the trace ended. This alone is "
        + "no error: nothing proves a hang.",
      fix: overdue(trace.operations[longest.index], count == 1 ? "it" : name))
    finding.operations = suspects.map { trace.operations[$0.index].id }
    finding.queues = queues(of: suspects.map { trace.operations[$0.index] })
    finding.evidence.append(
      .init(at: trace.operations[longest.index].started, "\(name) has been running \(since(began(longest)))"))
    if count > 1, let lock = sharedLock(of: suspects) {
      finding.title = "\(count) operations wait for \(lock)"
    }
    for suspect in suspects.prefix(5) {
      guard let (thread, text) = sleep(trace.operations[suspect.index]) else { continue }
      if count == 1 { finding.title += ": it" + text.dropFirst(name.count) }
      finding.evidence.append(.init(at: Stamp(seenThreads.time ?? end, thread), text))
    }
    return [finding]
  }
}
