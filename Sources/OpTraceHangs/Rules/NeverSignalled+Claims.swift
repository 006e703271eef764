import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// Something that waits for what a waiting thread has. Where nothing else can go on, one of these has to end the thread's wait, or nothing
/// does.
struct Claim {
  /// The queue of a block that nobody waits for in `sync`: often the callback that should end the wait.
  var callbackQueue: String?
  /// The waiter's name.
  var who: String
  /// What it waits for, as the end of a sentence.
  var what: String
  var location: CodeLocation?
  /// When it began to wait.
  var since: Stamp?

  var sentence: String { "\(who) \(what)\(DoctorContext.phrase(location))" }
}

extension BlockRecord {
  /// Nobody waits for it in `sync`, nor does it wait for a time or a group.
  var isHandedOn: Bool { way == .async || way == .barrier }
}

extension DoctorContext {
  /// What waits for a queue, an actor or a lock that the thread of this wait has, or for the main thread, if it is that one.
  /// O(blocks + tasks + threads).
  func claims(on wait: WaitRecord) -> [Claim] {
    let holder = waiter(wait)
    let queues = blocks(behind: wait.thread).map { block, queue in
      let thread = block.way == .sync ? block.submitted?.thread : nil
      return Claim(
        callbackQueue: thread == nil ? name(queue) : nil, who: thread.map { name($0) } ?? name(block.id),
        what: "waits for \(name(queue)), which \(holder) has",
        location: thread.flatMap { location(of: $0) } ?? trace.stacks.codeLocation(block.submittedAt),
        since: block.submitted)
    }
    let locks = seenThreads.all.filter { $0.heldBy == wait.thread && $0.thread != wait.thread }.map { seen in
      Claim(
        who: name(seen.thread),
        what: "waits for \(seen.phrase), which \(holder) \(seen.reason == .once ? "runs" : "has")",
        location: location(of: seen.thread), since: nil)
    }
    let isMain = thread(wait.thread)?.isMain == true
    let behind = tasks(behindTheActorOf: wait.thread)
    let tasks = trace.tasks.compactMap { task in
      if task.waitsForMain, isMain { return claim(of: task) }
      guard let open = task.openActorWait, behind.contains(task.id) else { return nil }
      return Claim(
        who: name(task.id), what: "waits for \(open.actor.title), in which \(holder) is",
        location: location(of: task), since: open.queued)
    }
    return queues.filter { $0.callbackQueue == nil } + locks + tasks + queues.filter { $0.callbackQueue != nil }
  }

  /// Why nothing ends a wait in a dead world, up to the full stop.
  var nobodyGoesOn: String {
    let isPending =
      trace.blocks.contains { $0.began == nil && $0.over == nil } || trace.tasks.contains(where: \.waitsForMain)
    return "Every thread of the process waits for another one, and "
      + (isPending ? "nothing that is pending can begin" : "no block, task or timer is pending")
  }

  /// Says in a finding of a wait what could end it, and waits itself for the one that waits.
  func tell(_ claims: [Claim], _ first: Claim, of what: String, _ who: String, in finding: inout Finding) {
    for claim in claims.prefix(Self.mostEvidence) { finding.evidence.append(.init(at: claim.since, claim.sentence)) }
    finding.title += "; \(first.sentence)"
    finding.explanation =
      "\(nobodyGoesOn). What should end the wait for \(what) may be what waits for \(who)."
    let change =
      first.callbackQueue.map { queue in
        "Do not wait for \(what) in \(queue), which has to run \(first.who) first: give that another queue, or go on in it instead of waiting. "
      }
      ?? "Do not wait for \(what) where other work needs what \(who) has: leave it before the wait, or wait without blocking. "
    finding.fix = change + finding.fix
  }

  private func claim(of task: TaskRecord) -> Claim {
    Claim(
      who: name(task.id), what: "needs the main thread", location: location(of: task),
      since: task.suspensions.last?.enqueued ?? task.enqueued)
  }

  /// Blocks, of other threads where in `sync`, that wait for their turns behind what this thread runs.
  private func blocks(behind thread: ThreadID) -> [(block: BlockRecord, queue: DispatchQueueRecord)] {
    let graph = blockage.graph
    func runs(_ node: Int) -> Bool {
      guard case .block(let index) = graph.nodes[node], let began = trace.blocks[index].began else { return false }
      return began.thread == thread
    }
    return graph.nodes.indices.compactMap { node in
      guard case .block(let index) = graph.nodes[node] else { return nil }
      let block = trace.blocks[index]
      let isOfOther = block.isHandedOn || block.way == .sync && block.submitted?.thread != thread
      guard isOfOther, block.began == nil, let queue = block.queue.flatMap(trace.dispatchQueue) else { return nil }
      let isBehind = graph.edges(from: node).contains { edge in
        edge.reason == .turn && (runs(edge.to) || graph.edges(from: edge.to).contains { runs($0.to) })
      }
      return isBehind ? (block, queue) : nil
    }
  }

  /// Tasks that wait for an actor in which only the task that runs on this thread can be. O(edges).
  private func tasks(behindTheActorOf thread: ThreadID) -> Set<WorkID> {
    let graph = blockage.graph
    return Set(
      graph.edges.compactMap { edge in
        guard edge.reason == .actor, case .task(let waiter) = graph.nodes[edge.from],
          case .task(let holder) = graph.nodes[edge.to], let run = trace.tasks[holder].runs.last, run.ended == nil,
          run.thread == thread
        else { return nil }
        return trace.tasks[waiter].id
      })
  }
}
