public import OpTraceModel

/// What is stuck at the end of a trace, and why.
///
/// Take away from the unfinished work everything that can still run, then everything that waits only for what was taken
/// away, and so on until nothing changes. What is left is stuck. Its causes are deadlocks, which hold themselves, and
/// roots, which nothing visible undoes. Everything else is behind these.
public struct Blockage: Sendable {
  /// An edge of the graph, as a part of a cycle.
  public typealias Step = WaitForGraph.Edge

  /// Nodes that block each other, even if all others continued.
  public struct Deadlock: Sendable {
    /// Their indexes in ``graph``, ascending.
    public var nodes: [Int]
    /// The shortest cycle through the first of them: each edge begins where the one before it ends.
    public var cycle: [Step]
    /// All edges between them that matter.
    public var edges: [Step]
    /// Operations behind it, besides its own.
    public var behind: Int
    /// Threads outside of operations that wait for it.
    public var waitingThreads: [ThreadID]
  }

  /// Something that does not happen, such as resuming a queue or enqueueing an operation.
  public struct Root: Sendable {
    /// The node in ``graph`` that nothing will satisfy.
    public var node: Int
    /// Operations that wait directly for it: ready ones of a suspended queue, or those that depend on an operation. One
    /// that waits for several roots counts for the first.
    public var held: [Int]
    /// Operations behind these.
    public var behind: Int
    /// Whether anything waits for it at all, even if that counts for another root.
    public var isWaitedFor: Bool
    /// Threads outside of operations that wait for it.
    public var waitingThreads: [ThreadID]
  }

  /// Who waits for whom.
  public let graph: WaitForGraph
  /// For each node of ``graph``, whether it cannot be satisfied any more.
  public let isBlocked: [Bool]
  /// The deadlocks. None is behind another.
  public private(set) var deadlocks: [Deadlock] = []
  /// What is waited for and does not happen.
  public private(set) var roots: [Root] = []

  /// What is blocked at the end of a trace. O(operations + dependencies + waits), plus sorting.
  public init(of trace: Trace) { self.init(WaitForGraph(of: trace)) }

  /// - Parameter dead: nodes that are known to be stuck; they become roots. O(nodes + edges), plus sorting.
  public init(_ graph: WaitForGraph, dead: Set<Int> = []) {
    self.graph = graph
    isBlocked = graph.blocked(dead: dead)
    guard isBlocked.contains(true) else { return }
    let obstacles = Obstacles(graph, isBlocked)
    var isSeen = [Bool](repeating: false, count: graph.nodes.count)
    let cycles = obstacles.cycles().filter { $0.isFirmlyHeld }
    let ends = graph.nodes.indices.filter { isBlocked[$0] && (graph.isRoot($0) || dead.contains($0)) }
    // A cause does not count as being behind another one.
    for cycle in cycles { for node in cycle.nodes { isSeen[node] = true } }
    for end in ends { isSeen[end] = true }
    for cycle in cycles {
      let (operations, threads) = obstacles.behind(cycle.nodes, &isSeen)
      deadlocks.append(
        Deadlock(
          nodes: cycle.nodes, cycle: cycle.cycle, edges: cycle.edges, behind: operations, waitingThreads: threads))
    }
    for end in ends {
      let held = obstacles.waiters(of: end).filter { !isSeen[$0] }
      guard !held.isEmpty || dead.contains(end) else { continue }
      let (operations, threads) = obstacles.behind([end], &isSeen)
      let direct = held.filter { if case .operation = graph.nodes[$0] { true } else { false } }
      roots.append(
        Root(
          node: end, held: direct, behind: operations - direct.count, isWaitedFor: !obstacles.waiters(of: end).isEmpty,
          waitingThreads: threads))
    }
  }

  /// Indexes in the trace of all operations that are stuck, ascending. An operation that nobody enqueued and nobody
  /// waits for does not count.
  public var operations: [Int] {
    graph.nodes.indices.compactMap { node in
      guard isBlocked[node], case .operation(let index) = graph.nodes[node] else { return nil }
      let isAlone = graph.edges(to: node).isEmpty && graph.edges(from: node).contains { isNeverEnqueued($0.to) }
      return isAlone ? nil : index
    }
  }

  private func isNeverEnqueued(_ node: Int) -> Bool {
    if case .neverEnqueued = graph.nodes[node] { return true }
    return false
  }
}
