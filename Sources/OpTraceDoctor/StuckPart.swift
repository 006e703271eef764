package import OpTraceKernel
package import OpTraceModel

/// The part of a trace that cannot go on, in terms of operations alone. Numbers are indexes in `trace.operations`.
package struct StuckPart {
  /// The doctor's findings about it, errors first.
  package let findings: [Finding]
  /// Whether it is proven: some finding is an error.
  package var isProven: Bool { findings.contains { $0.severity == .error } }
  /// The number of the cycle that an operation is in.
  package private(set) var cycles: [Int: Int] = [:]
  /// The operations that nothing else keeps from going on, and that others wait for.
  package private(set) var culprits: Set<Int> = []
  /// The queues that are suspended with work in them, or that have no slots.
  package private(set) var culpritQueues: Set<QueueID> = []
  /// The operations behind a cycle or a culprit that are in neither.
  package private(set) var stalled: Set<Int> = []
  /// Of these, the ones that a culprit holds up directly.
  package private(set) var held: [Int] = []

  package let trace: Trace
  package let blockage: Blockage
  package var graph: WaitForGraph { blockage.graph }

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

  /// The operation that a node of ``graph`` is; nil: it is none.
  package func operationIndex(_ node: Int) -> Int? {
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
    case .slots, .emptiness, .earlier, .thread, .lock, .abandonedLock, .block, .task, .turn, .submissions, .enders,
      .nobody:
      return false
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
}
