import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let queueSuspended = Trouble("queue-suspended", .stuck, culprit: .queues)
}

extension DoctorRule {
  static let queueSuspended = DoctorRule(
    .queueSuspended, .error,
    Guide(
      """
      A queue holds operations that are ready but starts none of them: it is suspended and was not resumed, or its \
      limit is 0. Often a path that returns early forgets to set `isSuspended` back. A dispatch queue in which nothing \
      runs while blocks wait in it (`record --dispatch`) is a warning.
      """,
      wrong: """
        queue.isSuspended = true
        guard let user = session.user else { return }   // the queue stays suspended
        prepare(user)
        queue.isSuspended = false
        """,
      right: """
        queue.isSuspended = true
        defer { queue.isSuspended = false }
        guard let user = session.user else { return }
        prepare(user)
        """)
  ) { context in
    context.blockage.roots.compactMap { root in
      switch context.blockage.graph.nodes[root.node] {
      case .suspension(let queue), .noSlots(let queue): context.suspended(queue, root)
      default: nil
      }
    } + context.stoppedDispatchQueues()
  }
}

extension Finding.Form {
  fileprivate static let suspended = Self("suspended")
  fileprivate static let withoutSlots = Self("without slots")
}

extension DoctorContext {
  fileprivate func suspended(_ index: Int, _ root: Blockage.Root) -> Finding? {
    let queue = trace.queues[index]
    let held = root.held.compactMap { node -> OperationRecord? in
      guard case .operation(let operation) = blockage.graph.nodes[node] else { return nil }
      return trace.operations[operation]
    }.filter { $0.ready != nil || $0.cancelRequested != nil }
    let stop = queue.changes.last { queue.isSuspended ? $0.kind == .suspended : $0.kind == .limit(0) }
    let since = max(stop?.time ?? queue.created, held.compactMap { $0.enqueued?.time }.min() ?? .min)
    guard !held.isEmpty else { return nil }
    let what = queue.isSuspended ? "is suspended" : "has the limit 0"
    let name = name(queue.id)
    var finding = Finding(
      .queueSuspended, .error, ending: .onlyBy(queue.isSuspended ? "isSuspended = false" : "another limit"),
      title: "\(name) \(what), with \(Self.count(held.count, "operation")) ready to run",
      explanation: queue.isSuspended
        ? "\(name.uppercasedFirst) was suspended and not resumed since, so it starts nothing. Nothing else blocks "
          + "\(list(held.map(\.id)))."
        : "\(name.uppercasedFirst) has the limit 0, so it starts nothing. Nothing else blocks "
          + "\(list(held.map(\.id))).",
      fix: queue.isSuspended
        ? "Set isSuspended back to false on every path, including early returns and thrown errors (use defer)."
        : "Set maxConcurrentOperationCount to 1 or more; to pause a queue, suspend it.")
    finding.form = queue.isSuspended ? .suspended : .withoutSlots
    finding.subject = Finding.Subject(
      name: name.hasPrefix("queue '") ? String(name.dropFirst("queue ".count)) : name,
      together: queue.isSuspended ? "queues are suspended" : "queues have the limit 0", state: "ready to run")
    finding.operations = held.map(\.id)
    finding.queues = [queue.id]
    finding.behind = root.behind
    let (verb, undone) = queue.isSuspended ? ("suspended", "resumed") : ("given the limit 0", "given another one")
    if let stop {
      finding.evidence.append(
        .init(
          at: Stamp(stop.time, stop.thread),
          "\(name) was \(verb), and not \(undone) for \(DurationText.text(max(0, end - stop.time)))"))
    } else {
      finding.evidence.append(
        .init(time: queue.created, "\(name) was already \(verb) when it was first seen, and never \(undone)"))
    }
    for operation in held.prefix(5) {
      guard let ready = operation.ready ?? operation.cancelRequested else { continue }
      finding.evidence.append(
        .init(at: ready, "\(self.name(operation.id)) was \(operation.ready == nil ? "cancelled" : "ready")"))
    }
    addWaitingThreads(root.waitingThreads, to: &finding)
    finding = undoable(finding, since: since)
    // A throttle suspends its queue on purpose. In a closed trace nobody resumed it.
    guard let stop, let longest = queue.longestStop(before: stop), !hasEnded,
      end - stop.time <= longest
    else {
      return finding
    }
    return unproven(
      finding, because: "it was \(verb) for as long before (\(DurationText.text(longest))), and then \(undone)")
  }
}

extension QueueRecord {
  /// How long it was stopped in the same way before and then resumed, at most; nil: it never was.
  fileprivate func longestStop(before stop: Change) -> Nanoseconds? {
    var longest: Nanoseconds?
    var since: Nanoseconds?
    for change in changes where change.time < stop.time {
      switch (change.kind, stop.kind) {
      case (.suspended, .suspended), (.limit(0), .limit): since = since ?? change.time
      case (.resumed, .suspended), (.limit, .limit):
        if let begin = since { longest = max(longest ?? 0, change.time - begin) }
        since = nil
      default: break
      }
    }
    return longest
  }
}
