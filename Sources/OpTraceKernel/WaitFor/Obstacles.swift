import OpTraceModel

/// For each blocked node, what blocks it right now out of all that it needs: an operation with unfinished dependencies
/// does not wait for a slot yet.
struct Obstacles {
  private let graph: WaitForGraph
  private let isBlocked: [Bool]
  private let edges: [WaitForGraph.Edge]
  private let starts: [Int]
  private let waiters: DependencyGraph

  init(_ graph: WaitForGraph, _ isBlocked: [Bool]) {
    self.graph = graph
    self.isBlocked = isBlocked
    var edges: [WaitForGraph.Edge] = []
    var starts = [0]
    for node in graph.nodes.indices {
      if isBlocked[node] {
        let blocked = graph.edges(from: node).filter { isBlocked[$0.to] && $0.reason != .mayEnd }
        let first = blocked.reduce(Int.max) { min($0, $1.reason.rank) }
        edges += blocked.filter { $0.reason.rank == first }
      }
      starts.append(edges.count)
    }
    self.edges = edges
    self.starts = starts
    waiters = DependencyGraph(
      nodeCount: graph.nodes.count, edges: edges.map { .init(waiter: $0.from, dependency: $0.to) })
  }

  struct Cycle {
    var nodes: [Int]
    var cycle: [WaitForGraph.Edge]
    var edges: [WaitForGraph.Edge]
    /// Whether it holds even if everything outside of it continues.
    var isFirmlyHeld: Bool
  }

  /// All cycles. Those of dependencies alone come first: others that involve one of their nodes are behind them.
  func cycles() -> [Cycle] {
    let dependencies = DependencyGraph(
      nodeCount: graph.nodes.count,
      edges: edges.filter { $0.reason == .dependency }.map { .init(waiter: $0.from, dependency: $0.to) })
    let first = dependencies.cyclicComponents()
    let taken = Set(first.joined())
    return first.map { cycle($0, in: dependencies) }
      + waiters.cyclicComponents().filter { taken.isDisjoint(with: $0) }.map { cycle($0, in: waiters) }
  }

  private func cycle(_ nodes: [Int], in waiting: DependencyGraph) -> Cycle {
    let members = Set(nodes)
    let inside = nodes.flatMap { edges[starts[$0]..<starts[$0 + 1]].filter { members.contains($0.to) } }
    // If there is a lock, show a cycle through it that begins with its waiter.
    let lock = nodes.first { if case .lock = graph.nodes[$0] { true } else { false } }
    var path = waiting.cycle(in: (lock.map { [$0] } ?? []) + nodes)
    if lock != nil, let waiter = path.popLast() { path.insert(waiter, at: 0) }
    let steps = path.indices.compactMap { edge(path[$0], path[($0 + 1) % path.count]) }
    return Cycle(nodes: nodes, cycle: steps, edges: inside, isFirmlyHeld: holds(nodes, inside))
  }

  /// Whether part of the cycle remains even if the slots that others hold become free. A cycle through the slots of a
  /// queue whose other holders wait for something else does not hold by itself.
  private func holds(_ nodes: [Int], _ inside: [WaitForGraph.Edge]) -> Bool {
    let members = Set(nodes)
    var needs: [Int: Int] = [:]
    var waiting: [Int: [Int]] = [:]
    for edge in inside {
      needs[edge.from, default: 0] += 1
      waiting[edge.to, default: []].append(edge.from)
    }
    for node in nodes {
      if graph.hasAlternatives(node) {
        // Whether a thread would end it is not known.
        let others = graph.edges(from: node).count { !members.contains($0.to) && $0.reason != .mayEnd }
        needs[node] = graph.needed(of: node) - others
      }
    }
    var next = nodes.filter { needs[$0, default: 1] <= 0 }
    var isFree = Set(next)
    while let node = next.popLast() {
      for waiter in waiting[node] ?? [] where !isFree.contains(waiter) {
        needs[waiter, default: 1] -= 1
        guard needs[waiter, default: 0] <= 0 else { continue }
        isFree.insert(waiter)
        next.append(waiter)
      }
    }
    return isFree.count < nodes.count
  }

  func waiters(of node: Int) -> some RandomAccessCollection<Int> { waiters.dependents(of: node) }

  private func edge(_ from: Int, _ to: Int) -> WaitForGraph.Edge? {
    edges[starts[from]..<starts[from + 1]].first { $0.to == to }
  }

  /// Counts the operations that wait for these nodes, directly or not, and were not counted before; also collects
  /// waiting threads.
  func behind(_ nodes: [Int], _ isSeen: inout [Bool]) -> (operations: Int, threads: [ThreadID]) {
    var operations = 0
    var threads: [ThreadID] = []
    var next = nodes
    while let node = next.popLast() {
      for waiter in waiters.dependents(of: node) where !isSeen[waiter] {
        isSeen[waiter] = true
        next.append(waiter)
        switch graph.nodes[waiter] {
        case .operation: operations += 1
        case .thread(let thread): threads.append(thread)
        default: break
        }
      }
    }
    return (operations, threads.sorted())
  }
}

extension WaitForGraph.Reason {
  /// The order in which reasons have to be satisfied: those with the lowest rank first.
  fileprivate var rank: Int {
    switch self {
    case .dependency, .wait, .barrier, .member, .lock, .holder, .join, .turn, .sync, .task, .actor: 0
    case .root, .submission, .ender, .mayEnd: 1
    case .slot, .mainThread: 2
    }
  }
}
