extension DependencyGraph {
  /// The direction along the edges.
  public enum Direction: Sendable {
    /// From a node to what it waits for.
    case dependencies
    /// From a node to those that wait for it.
    case dependents
    /// Both.
    case both
  }

  /// All nodes that the node waits for, directly or not; the node itself only if it is on a cycle. Ascending. O(n + e).
  public func ancestors(of node: Int) -> [Int] { reach(from: node, .dependencies) }

  /// All nodes that wait for the node, directly or not; the node itself only if it is on a cycle. Ascending. O(n + e).
  public func descendants(of node: Int) -> [Int] { reach(from: node, .dependents) }

  private func reach(from start: Int, _ direction: Direction) -> [Int] {
    var seen = [Bool](repeating: false, count: nodeCount)
    var stack = neighbours(of: start, direction)
    while let node = stack.popLast() {
      if seen[node] { continue }
      seen[node] = true
      stack.append(contentsOf: neighbours(of: node, direction).filter { !seen[$0] })
    }
    return seen.indices.filter { seen[$0] }
  }

  /// The nodes at most `hops` edges away from one of `centres`, these included. Ascending. O(n + e).
  public func neighbourhood(of centres: [Int], hops: Int, _ direction: Direction = .both) -> [Int] {
    var seen = [Bool](repeating: false, count: nodeCount)
    var ring: [Int] = []
    for centre in centres where !seen[centre] {
      seen[centre] = true
      ring.append(centre)
    }
    var left = hops
    while left > 0, !ring.isEmpty {
      left -= 1
      var next: [Int] = []
      for node in ring {
        for other in neighbours(of: node, direction) where !seen[other] {
          seen[other] = true
          next.append(other)
        }
      }
      ring = next
    }
    return seen.indices.filter { seen[$0] }
  }

  private func neighbours(of node: Int, _ direction: Direction) -> [Int] {
    switch direction {
    case .dependencies: Array(dependencies(of: node))
    case .dependents: Array(dependents(of: node))
    case .both: Array(dependencies(of: node)) + Array(dependents(of: node))
    }
  }

  /// All nodes, dependencies first. Nodes on a cycle, and those that wait for one, are left out. O(n + e).
  public func topologicalOrder() -> [Int] {
    var open = (0..<nodeCount).map(dependencyCount)
    var order = (0..<nodeCount).filter { open[$0] == 0 }
    var head = 0
    while head < order.count {
      for waiter in dependents(of: order[head]) {
        open[waiter] -= 1
        if open[waiter] == 0 { order.append(waiter) }
      }
      head += 1
    }
    return order
  }
}
