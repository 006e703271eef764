import OpTraceKernel

/// The graph of a picture, split into connected parts. Each part has columns by the longest path, and each column has
/// an order with few crossings. Nothing here depends on the size of a page.
struct LayeredParts {
  /// A connected part.
  struct Part {
    /// The nodes: by column, then by lane, then from top to bottom.
    var columns: [[Int]]
    var count: Int { columns.reduce(0) { $0 + $1.count } }
  }

  /// The parts: those with edges first, then single nodes, each group ordered by first node.
  private(set) var parts: [Part] = []
  /// The lane of each node.
  let lane: [Int]
  let graph: DependencyGraph
  private static let sweeps = 6

  init(_ picture: GraphPicture, hasLanes: Bool) {
    lane = picture.nodes.map { hasLanes ? $0.lane : 0 }
    graph = Self.dependencies(of: picture)
    var ranks = Self.ranks(graph)
    Self.pullBeginnings(&ranks, graph)
    // Parts are not sorted in place: `sort` gets a copy of `self`, so each call would copy all parts.
    var found: [Part] = []
    for members in Self.connected(graph) {
      var part = Part(columns: [])
      let first = members.map { ranks[$0] }.min() ?? 0
      let last = members.map { ranks[$0] }.max() ?? 0
      part.columns = Array(repeating: [], count: last - first + 1)
      for node in members { part.columns[ranks[node] - first].append(node) }
      part.columns.removeAll(where: \.isEmpty)
      found.append(part)
    }
    var position = [Double](repeating: 0, count: graph.nodeCount)
    for number in found.indices { sort(&found[number], &position) }
    parts = found.filter { $0.count > 1 } + found.filter { $0.count == 1 }
  }

  static func dependencies(of picture: GraphPicture) -> DependencyGraph {
    DependencyGraph(
      nodeCount: picture.nodes.count,
      edges: picture.edges.map { DependencyGraph.Edge(waiter: $0.to, dependency: $0.from) })
  }

  /// Returns ranks that put every node after everything that it waits for, and the nodes of a cycle one after another.
  static func ranks(_ graph: DependencyGraph) -> [Int] {
    var ranks = [Int](repeating: 0, count: graph.nodeCount)
    for component in graph.stronglyConnectedComponents() {
      let members = Set(component.count > 1 ? component : [])
      var first = 0
      for node in component {
        for before in graph.dependencies(of: node) where before != node && !members.contains(before) {
          first = max(first, ranks[before] + 1)
        }
      }
      for (number, node) in component.enumerated() { ranks[node] = first + number }
    }
    return ranks
  }

  /// Moves each node that waits for nothing to the column just before the first node that waits for it, rather than
  /// leaving it far to the left.
  private static func pullBeginnings(_ ranks: inout [Int], _ graph: DependencyGraph) {
    for node in 0..<graph.nodeCount where graph.dependencies(of: node).isEmpty {
      var next = Int.max
      for other in graph.dependents(of: node) { next = min(next, ranks[other]) }
      if next < Int.max { ranks[node] = max(ranks[node], next - 1) }
    }
  }

  /// Returns the connected components, each in ascending order, sorted by their first nodes.
  private static func connected(_ graph: DependencyGraph) -> [[Int]] {
    var set = [Int](repeating: -1, count: graph.nodeCount)
    var sets: [[Int]] = []
    for first in 0..<graph.nodeCount where set[first] < 0 {
      var members = [first]
      set[first] = sets.count
      var next = 0
      while next < members.count {
        for neighbours in [Array(graph.dependencies(of: members[next])), Array(graph.dependents(of: members[next]))] {
          for other in neighbours where set[other] < 0 {
            set[other] = sets.count
            members.append(other)
          }
        }
        next += 1
      }
      sets.append(members.sorted())
    }
    return sets
  }

  /// Sorts the columns by Sugiyama's sweeps: by the mean position of the neighbours in one direction, then in the
  /// other.
  private func sort(_ part: inout Part, _ position: inout [Double]) {
    func settle(_ column: Int) {
      let middle = Double(part.columns[column].count - 1) / 2
      for (number, node) in part.columns[column].enumerated() { position[node] = Double(number) - middle }
    }
    for column in part.columns.indices {
      part.columns[column].sort { (lane[$0], $0) < (lane[$1], $1) }
      settle(column)
    }
    guard part.columns.contains(where: { $0.count > 1 }) else { return }
    for sweep in 0..<Self.sweeps {
      let isForward = sweep.isMultiple(of: 2)
      for column in isForward ? Array(part.columns.indices) : part.columns.indices.reversed() {
        part.columns[column] = part.columns[column].map { node in
          let neighbours = isForward ? Array(graph.dependencies(of: node)) : Array(graph.dependents(of: node))
          let sum = neighbours.reduce(0.0) { $0 + position[$1] }
          return (
            lane: lane[node], mean: neighbours.isEmpty ? position[node] : sum / Double(neighbours.count), node: node
          )
        }.sorted { ($0.lane, $0.mean, $0.node) < ($1.lane, $1.mean, $1.node) }.map(\.node)
        settle(column)
      }
    }
  }
}
