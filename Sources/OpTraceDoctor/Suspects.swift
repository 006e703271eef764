package import OpTraceKernel
package import OpTraceModel

/// Operations that do not move although nothing visible blocks them.
///
/// A trace may prove that one is stuck (``isProven``), or only show that it is silent. Silence counts if nothing at all
/// has moved for a long time (``DoctorOptions/stallAfter``).
package struct Suspect: Sendable {
  package enum Kind: Sendable {
    /// Started and not finished: its code has returned, or blocks on something that no operation holds.
    case neverFinished
    /// Its code runs, as far as the trace shows.
    case running
    case cancelled
    /// Nothing blocks it, and it never became ready.
    case notReady
    /// Never became ready, after a dependency was removed.
    case removedDependency
    /// Ready, with a free slot, but not started.
    case notStarted
    /// The call that adds it to its queue does not return.
    case beingAdded

    /// Whether it is the cause if nothing moves.
    var isDead: Bool {
      switch self {
      case .neverFinished, .cancelled, .notReady, .removedDependency: true
      // For these the cause is the thread pool, or the holder of the queue's lock.
      case .notStarted, .beingAdded, .running: false
      }
    }
  }

  package var node: Int
  package var index: Int
  package var kind: Kind
  package var isProven: Bool
  /// Since when nothing has blocked it, or since when it has been silent.
  package var since: Nanoseconds
}

extension Suspect {
  /// All suspects of a trace, in its order. O(open operations + waits + their dependencies).
  package static func all(in context: DoctorContext, _ graph: WaitForGraph, isBlocked: [Bool]) -> [Suspect] {
    guard !graph.nodes.isEmpty else { return [] }
    var waits: [OperationID: [Int]] = [:]
    for index in context.trace.waits.indices where context.trace.waits[index].ended == nil {
      if let inside = context.trace.waits[index].inside { waits[inside, default: []].append(index) }
    }
    let changes = QueueMoments(context.trace)
    // A queue cannot be used while a call that adds to it holds its lock.
    let locked = Set(context.trace.operations.lazy.filter { $0.addingSince != nil }.compactMap(\.queue))
    return graph.nodes.indices.compactMap { node in
      guard case .operation(let index) = graph.nodes[node] else { return nil }
      let operation = context.trace.operations[index]
      if let adding = operation.addingSince {
        return Suspect(node: node, index: index, kind: .beingAdded, isProven: false, since: adding.time)
      }
      guard !isBlocked[node], operation.coverage == .full, operation.queue.map({ !locked.contains($0) }) ?? true else {
        return nil
      }
      let kindAndSince =
        operation.isStarted
        ? started(operation, waits[operation.id] ?? [], context)
        : graph.edges(from: node).isEmpty ? startable(operation, context, changes) : nil
      guard let (kind, isProven, since) = kindAndSince else { return nil }
      return Suspect(node: node, index: index, kind: kind, isProven: isProven, since: since)
    }
  }

  private typealias Judgement = (kind: Kind, isProven: Bool, since: Nanoseconds)

  private static func started(_ operation: OperationRecord, _ waits: [Int], _ context: DoctorContext) -> Judgement? {
    let open = waits.map { context.trace.waits[$0] }
    if let wait = open.first {
      // If it waits for an operation, that one is the cause instead.
      guard case .object = wait.target else { return nil }
      if context.trace.endsByItself(wait) { return (.running, false, wait.began) }
      return (.neverFinished, context.isUnreferenced(wait), wait.began)
    }
    guard let returned = operation.startReturned else {
      // It sleeps, and so does every thread that could wake it.
      if context.isDeadEnd, let time = context.seenThreads.time, context.seenThread(of: operation) != nil {
        return (.neverFinished, false, operation.lastSign ?? time)
      }
      return (.running, false, operation.lastSign ?? operation.started?.time ?? context.lastSign)
    }
    if let seen = operation.finishSeen, context.isSettledOnBusyMachine(since: seen.time) {
      return (.neverFinished, true, seen.time)
    }
    guard let cancelled = operation.cancelRequested else {
      // Everything that could have finished it is over, and nothing else is left that could.
      let submitted = context.submittedWork[operation.id]
      let isLeft = context.isClosedWorld && submitted.map(\.open.isEmpty) ?? false
      return (.neverFinished, isLeft, max(returned.time, submitted?.last?.over ?? returned.time))
    }
    let isProven = operation.executionBegan == nil && context.isSettled(since: max(returned.time, cancelled.time))
    return (.cancelled, isProven, max(returned.time, cancelled.time))
  }

  /// Whether it could start: its queue has a free slot and is not suspended, and all its dependencies are finished.
  private static func startable(
    _ operation: OperationRecord, _ context: DoctorContext, _ changes: QueueMoments
  ) -> Judgement? {
    guard let queue = operation.queue, let enqueued = operation.enqueued else { return nil }
    var since = max(enqueued.time, changes.last(of: queue))
    var hasRemoved = false
    for dependency in operation.dependencies {
      guard let other = context.operation(dependency.on) else { return nil }
      if let removed = dependency.removed {
        since = max(since, removed)
        if (other.finished?.time ?? .max) > removed { hasRemoved = true }
      } else if let finished = other.finished {
        since = max(since, finished.time)
      } else if operation.cancelRequested == nil {
        // The trace does not show its end.
        return nil
      }
    }
    if let cancelled = operation.cancelRequested { return (.cancelled, false, max(since, cancelled.time)) }
    let isSettled = context.isSettled(since: since)
    // Foundation makes a barrier's class. On an idle queue the barrier becomes no operation that could report that it
    // is ready.
    if operation.ready != nil || operation.isBarrier {
      return (.notStarted, false, max(since, operation.ready?.time ?? since))
    }
    if hasRemoved { return (.removedDependency, isSettled, since) }
    // In a healthy program `isReady` may wait for something else, and change a moment later.
    let isOver = context.trace.header.isClosed || context.silence >= DoctorContext.second
    return (.notReady, isSettled && isOver, since)
  }
}

extension Finding.Ending {
  /// For operations that only their own code can get out of their state.
  package static let operationItself = Self.sentence("Only the operation itself can end it.")
}

/// When the slots or the state of each queue last changed.
private struct QueueMoments {
  private var times: [QueueID: Nanoseconds] = [:]

  init(_ trace: Trace) {
    for queue in trace.queues { times[queue.id] = queue.changes.last?.time ?? .min }
    for operation in trace.operations {
      guard let queue = operation.queue, let finished = operation.finished?.time else { continue }
      if finished > times[queue] ?? .min { times[queue] = finished }
    }
  }

  func last(of queue: QueueID) -> Nanoseconds { times[queue] ?? .min }
}
