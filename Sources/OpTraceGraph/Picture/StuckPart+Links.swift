package import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The stuck part of a trace as links between operations: slots, queues and threads between two of them are left out.
extension StuckPart {
  /// A link: `waiter` goes on only after `target`.
  package struct Link: Hashable {
    package var waiter: Int
    package var target: Int
    package var kind: GraphPicture.Edge.Kind
    /// What is waited for, in a few words. Empty for a dependency.
    package var label: String
  }

  /// The links inside cycles.
  var cycleLinks: [Link] {
    cycles.isEmpty
      ? []
      : blockage.deadlocks.flatMap { deadlock in
        let steps = Dictionary(grouping: deadlock.edges, by: \.from)
        return deadlock.nodes.filter { operationIndex($0) != nil }.flatMap { links(from: $0) { steps[$0] ?? [] } }
      }
  }

  /// Returns what an operation waits for at the end, through slots, queues and threads. If it waits for a slot, one
  /// holder represents all.
  package func obstacles(of index: Int) -> [Link] {
    guard let node = graph.node(ofOperationAt: index) else { return [] }
    var isFirstSlot = true
    return links(from: node) { from in
      let blocked = graph.edges(from: from).filter { blockage.isBlocked[$0.to] }
      if case .slots = graph.nodes[from] { return Array(blocked.prefix(1)) }
      // While something else blocks it, it does not wait for a slot yet.
      let other = blocked.filter { $0.reason != .slot && $0.reason != .mainThread }
      return other.isEmpty ? blocked : other
    }.filter { link in
      defer { if link.kind == .heldSlot { isFirstSlot = false } }
      return link.kind != .heldSlot || isFirstSlot
    }
  }

  private func links(from node: Int, _ steps: (Int) -> [Blockage.Step]) -> [Link] {
    guard let waiter = operationIndex(node) else { return [] }
    var links: [Link] = []
    for step in steps(node) {
      let (kind, label) = words(for: step)
      var isSeen = Set([step.to])
      var next = [step.to]
      while let at = next.popLast() {
        if let target = operationIndex(at) {
          let link = Link(waiter: waiter, target: target, kind: kind, label: label)
          if !links.contains(link) { links.append(link) }
          continue
        }
        for step in steps(at) where isSeen.insert(step.to).inserted { next.append(step.to) }
      }
    }
    return links
  }

  private func words(for step: Blockage.Step) -> (GraphPicture.Edge.Kind, String) {
    func queue(_ index: Int) -> String { TextEscaping.oneLine(trace.queues[index].name, limit: 18) }
    switch (step.reason, graph.nodes[step.to]) {
    case (.wait, .emptiness(let index)): return (.wait, "until '\(queue(index))' is empty")
    case (.wait, .thread): return (.wait, "main.sync")
    case (.wait, _): return (.wait, "waitUntilFinished()")
    case (.lock(let thread), _): return (.wait, trace.snapshot?[thread]?.reason.text ?? "a lock")
    case (.join, _): return (.wait, "the end of a thread")
    case (.sync, _): return (.wait, "sync")
    case (.submission, _): return (.wait, "what it submitted")
    case (.ender, _), (.mayEnd, _): return (.wait, "a signal")
    case (.slot, .slots(let index)): return (.heldSlot, "slot of '\(queue(index))'")
    case (.barrier, _): return (.barrier, "barrier")
    case (.mainThread, _): return (.mainThread, "main thread")
    default: return (.dependency, "")
    }
  }
}
