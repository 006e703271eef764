package import OpTraceDoctor
import OpTraceKernel
import OpTraceFormat
package import OpTraceModel
import OpTraceText

/// The part of a trace that cannot go on, in terms of operations alone: slots, queues and threads between two
/// operations become links. Numbers are indexes in `trace.operations`.
package struct StuckPart {
  /// A link: `waiter` goes on only after `target`.
  package struct Link: Hashable {
    package var waiter: Int
    package var target: Int
    package var kind: GraphPicture.Edge.Kind
    /// What is waited for, in a few words. Empty for a dependency.
    package var label: String
  }

  /// The doctor's findings about it, errors first.
  package let findings: [Finding]
  /// Whether it is proven: some finding is an error.
  package var isProven: Bool { findings.contains { $0.severity == .error } }
  /// The number of the cycle that an operation is in.
  package private(set) var cycles: [Int: Int] = [:]
  /// The links inside cycles.
  private(set) var cycleLinks: [Link] = []
  /// The operations that nothing else keeps from going on, and that others wait for.
  package private(set) var culprits: Set<Int> = []
  /// The queues that are suspended with work in them, or that have no slots.
  private(set) var culpritQueues: Set<QueueID> = []
  /// The operations behind a cycle or a culprit that are in neither.
  package private(set) var stalled: Set<Int> = []
  /// Of these, the ones that a culprit holds up directly.
  private(set) var held: [Int] = []

  package let trace: Trace
  private let blockage: Blockage
  private var graph: WaitForGraph { blockage.graph }

  package init(of trace: Trace, _ diagnosis: Diagnosis) {
    self.trace = trace
    blockage = diagnosis.blockage
    findings = diagnosis.findings.filter { $0.severity != .note && $0.isStuck }
    let isStuck = { (finding: Finding) in finding.isOfStuck(in: trace) }
    guard findings.contains(where: isStuck) else { return }
    var told: [Int] = []
    for (number, deadlock) in blockage.deadlocks.enumerated() {
      told += deadlock.nodes
      for index in deadlock.nodes.compactMap(operationIndex) { cycles[index] = number }
      addLinks(of: deadlock)
    }
    for root in blockage.roots where isReported(root) {
      told.append(root.node)
      held += root.held.compactMap(operationIndex)
    }
    addStalled(behind: told)
    for finding in diagnosis.single.filter(isStuck) {
      let indexes = finding.operations.compactMap(trace.index)
      guard indexes.allSatisfy({ cycles[$0] == nil && !culprits.contains($0) && !stalled.contains($0) }),
        let first = indexes.first, trace.operations[first].finished == nil
      else { continue }
      culprits.insert(first)
    }
  }

  private func operationIndex(_ node: Int) -> Int? {
    if case .operation(let index) = graph.nodes[node] { return index }
    return nil
  }

  /// Whether a finding reports this root. A momentary state is not marked. Remembers the culprit.
  private mutating func isReported(_ root: Blockage.Root) -> Bool {
    switch graph.nodes[root.node] {
    case .operation(let index), .neverEnqueued(let index):
      let id = trace.operations[index].id
      guard findings.contains(where: { $0.operations.contains(id) }) else { return false }
      culprits.insert(index)
    case .suspension(let queue), .noSlots(let queue):
      let id = trace.queues[queue].id
      guard findings.contains(where: { $0.trouble.culprit == .queues && $0.queues.contains(id) }) else { return false }
      culpritQueues.insert(id)
    case .slots, .emptiness, .earlier, .thread, .lock, .abandonedLock, .block, .task, .turn, .submissions: return false
    }
    return true
  }

  private mutating func addStalled(behind nodes: [Int]) {
    var isSeen = Set(nodes)
    var next = nodes
    while let node = next.popLast() {
      for edge in graph.edges(to: node) where blockage.isBlocked[edge.from] && isSeen.insert(edge.from).inserted {
        next.append(edge.from)
        if let index = operationIndex(edge.from), cycles[index] == nil, !culprits.contains(index) {
          stalled.insert(index)
        }
      }
    }
  }

  // MARK: Links

  private mutating func addLinks(of deadlock: Blockage.Deadlock) {
    let steps = Dictionary(grouping: deadlock.edges, by: \.from)
    for node in deadlock.nodes where operationIndex(node) != nil {
      cycleLinks += links(from: node) { steps[$0] ?? [] }
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
    case (.slot, .slots(let index)): return (.heldSlot, "slot of '\(queue(index))'")
    case (.barrier, _): return (.barrier, "barrier")
    case (.mainThread, _): return (.mainThread, "main thread")
    default: return (.dependency, "")
    }
  }
}
