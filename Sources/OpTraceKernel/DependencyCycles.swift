extension DependencyGraph {
  /// Sets of nodes that all reach each other, dependencies before the sets that wait for them; each sorted ascending.
  ///
  /// Tarjan's algorithm (1972), with its stack on the heap. O(n + e).
  public func stronglyConnectedComponents() -> [[Int]] {
    let unseen = -1
    var order = [Int](repeating: unseen, count: nodeCount)
    var low = [Int](repeating: 0, count: nodeCount)
    var isOpen = [Bool](repeating: false, count: nodeCount)
    var open: [Int] = []
    var calls: [(node: Int, nextEdge: Int)] = []
    var components: [[Int]] = []
    var counter = 0

    for root in 0..<nodeCount where order[root] == unseen {
      calls.append((root, 0))
      while let (node, nextEdge) = calls.last {
        if nextEdge == 0 {
          order[node] = counter
          low[node] = counter
          counter += 1
          open.append(node)
          isOpen[node] = true
        }
        if nextEdge < dependencyCount(of: node) {
          calls[calls.count - 1].nextEdge += 1
          let target = dependency(nextEdge, of: node)
          if order[target] == unseen {
            calls.append((target, 0))
          } else if isOpen[target] {
            low[node] = min(low[node], order[target])
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last?.node { low[caller] = min(low[caller], low[node]) }
        guard low[node] == order[node] else { continue }
        var component: [Int] = []
        while let member = open.popLast() {
          isOpen[member] = false
          component.append(member)
          if member == node { break }
        }
        components.append(component.sorted())
      }
    }
    return components
  }

  /// The components that hold a cycle: more than one node, or a node that waits for itself. Sorted by first node.
  public func cyclicComponents() -> [[Int]] {
    stronglyConnectedComponents()
      .filter { $0.count > 1 || hasEdge(from: $0[0], to: $0[0]) }
      .sorted { $0[0] < $1[0] }
  }

  /// One shortest cycle through the first node of a component, in the order of waiting: each waits for the next, the
  /// last for the first. Empty if the component has no cycle. O(nodes + edges of the component).
  public func cycle(in component: [Int]) -> [Int] {
    guard let first = component.first else { return [] }
    let members = Set(component)
    var cameFrom: [Int: Int] = [:]
    var queue = [first]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for target in dependencies(of: node) where members.contains(target) {
        if target == first {
          var path = [node]
          while let last = path.last, last != first, let before = cameFrom[last] { path.append(before) }
          return path.reversed()
        }
        if cameFrom[target] == nil {
          cameFrom[target] = node
          queue.append(target)
        }
      }
    }
    return []
  }

  /// O(log of the waiter's dependencies).
  public func hasEdge(from waiter: Int, to dependency: Int) -> Bool {
    var low = 0
    var high = dependencyCount(of: waiter)
    while low < high {
      let middle = (low + high) / 2
      if self.dependency(middle, of: waiter) < dependency { low = middle + 1 } else { high = middle }
    }
    return low < dependencyCount(of: waiter) && self.dependency(low, of: waiter) == dependency
  }
}
