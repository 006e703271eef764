import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let neverFinished = Trouble("never-finished", .stuck, reason: .missingEnd, culprit: .awaited)
}

extension DoctorRule {
  static let neverFinished = DoctorRule(
    .neverFinished, .error,
    Guide(
      """
      An operation was started and never finishes: an asynchronous one does not call `finish()` on some path, a class \
      sets `isFinished` to true without a notification (`didChangeValue(forKey: "isFinished")`), or the operation \
      blocks on a semaphore, group or condition that nobody signals. Without proof, silence counts: it is an error \
      when others are blocked behind it and nothing at all has moved for longer than `--stall-after`. Otherwise it is \
      a note: still running.
      """,
      wrong: """
        override func execute() {
          client.get(url) { data, error in
            guard let data else { return }    // never finished when the request fails
            self.result = data
            self.finish()
          }
        }
        """,
      right: """
        override func execute() {
          client.get(url) { data, error in
            self.result = data
            self.finish(with: error)          // on every path, exactly once
          }
        }
        """)
  ) { context in
    let suspects = context.suspects.filter { $0.kind == .neverFinished }
    let (errors, notes) = context.judged(suspects)
    // An operation that executes may be busy, but a long silence is worth a note.
    let running = context.isStalled ? context.suspects.filter { $0.kind == .running } : []
    // Operations that wait for their own process are told by `never-signalled`.
    let told = Set(context.waitsForItself().flatMap(\.operations))
    let open = (notes + running).filter { !told.contains(context.trace.operations[$0.index].id) }
    func isBusy(_ suspect: Suspect) -> Bool { context.computes(context.trace.operations[suspect.index]) }
    return errors.map { context.neverFinished($0.suspect, $0.root) } + context.abandonedLocks() + context.seenInPart()
      + context.computing(open.filter(isBusy)) + context.stillRunning(open.filter { !isBusy($0) })
  }
}

extension DoctorContext {
  typealias Judged = (suspect: Suspect, root: Blockage.Root)

  /// Splits suspects: those that are proven, or have others behind them while nothing moves; and the rest.
  func judged(_ suspects: [Suspect]) -> (errors: [Judged], notes: [Suspect]) {
    let roots = Dictionary(blockage.roots.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    var errors: [Judged] = []
    var notes: [Suspect] = []
    for suspect in suspects {
      if let root = roots[suspect.node], suspect.isProven || root.isWaitedFor || isDeadWorld {
        errors.append((suspect, root))
      } else {
        notes.append(suspect)
      }
    }
    return (errors, notes)
  }

  /// Names the operations that a root holds up, and counts the rest.
  func addHeld(_ root: Blockage.Root, to finding: inout Finding) {
    finding.behind = root.held.count + root.behind
    for node in root.held.prefix(3) {
      guard case .operation(let index) = blockage.graph.nodes[node] else { continue }
      finding.evidence.append(.init(at: trace.operations[index].enqueued, "\(name(index)) waits for it"))
    }
    addWaitingThreads(root.waitingThreads, to: &finding)
  }

  /// The finding about an operation that does not finish.
  fileprivate func neverFinished(_ suspect: Suspect, _ root: Blockage.Root) -> Finding {
    let operation = trace.operations[suspect.index]
    let reason = reason(of: operation)
    var finding = finding(about: operation, reason)
    let name = name(operation.id)
    if let returned = operation.startReturned {
      finding.evidence.append(.init(at: returned, "start() of \(name) returned"))
    }
    for id in submittedWork[operation.id]?.open.prefix(3) ?? [] {
      finding.evidence.append(.init("\(name) submitted \(self.name(id))\(statePhrase(of: id))"))
    }
    finding.operations = [operation.id]
    finding.queues = queues(of: [operation])
    addHeld(root, to: &finding)
    // Its class may announce the end later.
    if case .unannounced = reason { return undoable(finding, since: suspect.since) }
    if case .waits(let waiting) = reason, isUnreferenced(waiting.wait) {
      finding.evidence.append(.init(Self.noReference(to: target(of: waiting.wait))))
      return proven(finding)
    }
    return silent(finding)
  }

  /// Looks for the reason that a trace shows best, in this order.
  private func reason(of operation: OperationRecord) -> UnfinishedReason {
    if let seen = operation.finishSeen { return .unannounced(seen) }
    let wait = trace.waits.last { $0.inside == operation.id && $0.ended == nil && !trace.endsByItself($0) }
    if let wait {
      return .waits(
        .init(
          wait: wait, isForGroup: isGroup(wait), missed: missedSignal(of: wait), instead: wokenInstead(of: wait.target))
      )
    }
    if operation.startReturned == nil, let seen = seenThread(of: operation) { return .asleep(seen) }
    if let submitted = submittedWork[operation.id], submitted.open.isEmpty, let last = submitted.last {
      return .workOver(count: submitted.count, last: last.id, over: last.over)
    }
    return .silent
  }

  /// How long before a wait for a condition its last signal came; nil: there is none, or the wait is for something that
  /// remembers signals.
  private func missedSignal(of wait: WaitRecord) -> Nanoseconds? {
    guard case .object(let id) = wait.target, trace.object(id)?.kind == .condition, let signal = wait.lastSignal else {
      return nil
    }
    return max(0, wait.began - signal.time)
  }
}

/// Why an operation that was started does not finish.
enum UnfinishedReason: Sendable {
  /// `isFinished` was seen to be true, and nobody announced that.
  case unannounced(Stamp)
  /// Its code waits for an object that no operation holds.
  case waits(Waiting)
  /// Its thread sleeps, and so does every other one.
  case asleep(SeenThread)
  /// All blocks and tasks that it submitted are over.
  case workOver(count: Int, last: WorkID, over: Nanoseconds)
  /// Nothing is known but that its `start()` has returned.
  case silent

  /// A wait in the operation's code.
  struct Waiting: Sendable {
    var wait: WaitRecord
    /// A group needs `leave()`, everything else a signal.
    var isForGroup: Bool
    /// How long before the wait the last signal of a condition came, which keeps none; nil: none is known to have been
    /// missed.
    var missed: Nanoseconds?
    /// The last signal woke another thread.
    var instead: WokenInstead?
  }
}
