import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// Dispatch queues. A recorder does not hear of their suspensions; who looks at a process from outside sees them.
extension DoctorContext {
  /// Finds blocks that have not begun, in queues of the program in which nothing runs, while nothing else will happen.
  /// Such a queue would get a thread, so it is suspended or was never activated; or it runs work that is not recorded,
  /// such as the handler of a dispatch source.
  func stoppedDispatchQueues() -> [Finding] {
    let seen = suspendedDispatchQueues()
    guard seen.isEmpty, isStalled, isClosedWorld else { return seen }
    let waiting = trace.blocks.filter { block in
      (block.isHandedOn || block.way == .sync) && block.began == nil && block.over == nil && block.isOutcomeKnown
    }
    let busy = Set(trace.blocks.lazy.filter { $0.began != nil && $0.over == nil }.compactMap(\.queue))
    let groups = Dictionary(grouping: waiting) { $0.queue }
    let stopped = groups.compactMap { id, blocks -> (queue: DispatchQueueRecord, blocks: [BlockRecord])? in
      guard let id, !busy.contains(id), let queue = trace.dispatchQueue(id), !queue.isMain, !queue.isGlobal,
        queue.target.flatMap(trace.dispatchQueue).map(\.isGlobal) ?? true
      else { return nil }
      return (queue, blocks)
    }
    .sorted { $0.queue.id < $1.queue.id }
    return stopped.isEmpty ? [] : [finding(of: stopped)]
  }

  /// Queues that were seen suspended, or not activated, with blocks in them.
  private func suspendedDispatchQueues() -> [Finding] {
    let stopped = trace.dispatchQueues.filter { $0.stop != nil }
    guard !stopped.isEmpty else { return [] }
    let open = Dictionary(
      grouping: trace.blocks.filter { $0.began == nil && $0.over == nil && $0.isOutcomeKnown }, by: \.queue)
    return stopped.compactMap { queue in
      let blocks = open[queue.id] ?? []
      guard let first = blocks.first, let since = blocks.compactMap({ $0.submitted?.time }).max() else { return nil }
      let name = name(queue)
      let waiter = first.way == .sync ? first.submitted?.thread : nil
      let place = trace.stacks.codeLocation(first.code) ?? waiter.flatMap { location(of: $0) }
      let isSuspended = queue.stop == .suspended
      var finding = Finding(
        .queueSuspended, .error, ending: .onlyBy(isSuspended ? "resume()" : "activate()"),
        title: "\(name) \(isSuspended ? "is suspended" : "was never activated"), with "
          + "\(Self.count(blocks.count, "block")) in it\(Self.phrase(place))",
        explanation: isSuspended
          ? "\(name.uppercasedFirst) was suspended more often than resumed, so it begins nothing."
          : "\(name.uppercasedFirst) was made with .initiallyInactive, and begins nothing before activate().",
        fix: isSuspended
          ? "Call resume() once for each suspend() on every path, also where an error is thrown or a value is missing."
          : "Call activate() on every path.")
      finding.location = place
      for block in blocks.prefix(Self.mostEvidence) {
        guard let submitted = block.submitted else { continue }
        finding.evidence.append(.init(at: submitted, "\(self.name(block.id)) waits in \(name)"))
      }
      for waiter in waiting.prefix(2) { finding.evidence.append(.init(waiter.text)) }
      return undoable(finding, since: since)
    }
  }

  /// Makes one finding of all stopped queues, because one mistake may stop many.
  private func finding(of stopped: [(queue: DispatchQueueRecord, blocks: [BlockRecord])]) -> Finding {
    let titles = QueueTitles(trace)
    let names = stopped.prefix(3).map { titles.phrase(of: $0.queue) }
    let rest = stopped.count - names.count
    let queues = Self.list(names + (rest > 0 ? ["\(rest) more"] : []))
    let blocks = stopped.flatMap(\.blocks)
    let them = stopped.count == 1 ? "it is suspended, or was" : "they are suspended, or were"
    var finding = Finding(
      .queueSuspended, .warning, ending: .onlyBy("resume() or activate()"),
      title: (blocks.count == 1 ? "\(name(blocks[0].id)) has" : "\(Self.count(blocks.count, "block")) have")
        + " not begun in \(queues), where nothing runs: \(them) never activated",
      explanation:
        "Nothing that was recorded runs in \(queues), and each queue would get a thread. What runs unrecorded, as the handler "
        + "of a source, may hold it as well.",
      fix:
        "Call resume() once for each suspend() on every path, also where an error is thrown; activate() a queue that was made inactive."
    )
    finding.location = location(ofSubmitting: blocks[0])
    finding.isProven = false
    for block in blocks.prefix(Self.mostEvidence) {
      guard let submitted = block.submitted else { continue }
      finding.evidence.append(
        .init(at: submitted, "\(name(block.id)) was submitted\(Self.phrase(location(ofSubmitting: block)))"))
    }
    return finding
  }
}
