import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let orphanDependency = Trouble("orphan-dependency", .stuck)
}

extension DoctorRule {
  static let orphanDependency = DoctorRule(
    .orphanDependency, .error,
    Guide(
      """
      An operation waits for one that was never added to a queue and never started. Creating an operation and \
      depending on it is not enough: something has to enqueue it.
      """,
      wrong: """
        let login = Login()
        load.addDependency(login)
        queue.addOperation(load)        // login was never enqueued: load waits forever
        """,
      right: """
        let login = Login()
        load.addDependency(login)
        queue.addOperations([login, load], waitUntilFinished: false)
        """)
  ) { context in
    context.blockage.roots.compactMap { root in
      guard case .neverEnqueued(let index) = context.blockage.graph.nodes[root.node] else { return nil }
      return context.orphan(index, root)
    }
  }
}

extension DoctorContext {
  fileprivate func orphan(_ index: Int, _ root: Blockage.Root) -> Finding? {
    guard let node = blockage.graph.node(ofOperationAt: index) else { return nil }
    let orphan = trace.operations[index]
    var waiting: [OperationRecord] = []
    var evidence: [Finding.Evidence] = []
    var since = Nanoseconds.max
    for edge in blockage.graph.edges(to: node) {
      if case .operation(let waiter) = blockage.graph.nodes[edge.from], edge.reason == .dependency {
        // A dependent that is in no queue either does not wait yet.
        guard let enqueued = trace.operations[waiter].enqueued else { continue }
        since = min(since, enqueued.time)
        waiting.append(trace.operations[waiter])
        evidence.append(
          .init(
            at: enqueued,
            "\(name(waiter)) was enqueued in \(trace.operations[waiter].queue.map(name) ?? "a queue"), and depends on it"
          ))
      } else if case .wait(let index) = edge.reason {
        let wait = trace.waits[index]
        since = min(since, wait.began)
        if let inside = wait.inside.flatMap(operation) { waiting.append(inside) }
        let who = waiter(wait)
        evidence.append(
          .init(at: Stamp(wait.began, wait.thread), "\(who) has been waiting for it \(self.since(wait.began))"))
      }
    }
    guard !evidence.isEmpty else { return nil }
    if let created = orphan.created {
      evidence.insert(
        .init(time: created, "\(name(orphan.id)) was created; it was never enqueued and never started"), at: 0)
    }
    let dependents = waiting.map(\.id)
    let who = dependents.isEmpty ? "a thread" : list(dependents)
    var finding = Finding(
      .orphanDependency, .error, ending: .onlyBy("adding it to a queue"),
      title: "\(who) \(dependents.count > 1 ? "wait" : "waits") for \(name(orphan.id)), which was never enqueued",
      explanation: "\(name(orphan.id)) was never added to a queue and never started, so it cannot finish, and \(who) "
        + "cannot continue.",
      fix: "Add \(name(orphan.id)) to a queue, in the same call as its dependents (addOperations), or remove the "
        + "dependency.")
    finding.operations = [orphan.id] + dependents
    finding.queues = queues(of: waiting)
    finding.behind = max(0, root.behind - Set(dependents).count)
    finding.evidence = Array(evidence.prefix(Self.mostEvidence))
    addWaitingThreads(root.waitingThreads, to: &finding)
    return undoable(finding, since: since)
  }
}
