import OpTraceAnalysis

/// A plain layered layout for graphs that are too large for Graphviz: columns by the longest path, lanes one below the
/// other, and within a lane an order by the mean place of what the nodes depend on (Sugiyama's method without dummies).
public enum LayeredLayout {
  private static let columnGap = 44.0
  private static let rowGap = 14.0
  private static let laneGap = 16.0
  private static let lanePadding = 12.0
  private static let sweeps = 4

  /// O(sweeps * (n log n + e)).
  public static func layout(_ picture: GraphPicture) -> GraphLayout {
    let metrics = GraphMetrics(of: picture)
    let graph = dependencies(of: picture)
    let ranks = ranks(graph)
    let rows = rows(picture, graph, ranks, metrics)

    let laneCount = metrics.hasLanes ? picture.lanes.count : 1
    func lane(_ node: Int) -> Int { metrics.hasLanes ? picture.nodes[node].lane : 0 }
    var heights = [Int](repeating: 1, count: laneCount)
    for node in picture.nodes.indices { heights[lane(node)] = max(heights[lane(node)], rows.countBeside[node]) }

    let pitch = metrics.nodeHeight + rowGap
    var tops: [Double] = []
    var y = 0.0
    for height in heights {
      tops.append(y)
      y += Double(height) * pitch - rowGap + 2 * lanePadding + laneGap
    }
    let firstColumn = metrics.hasLanes ? metrics.titleWidth + columnGap : 0
    let centres = picture.nodes.indices.map { node in
      let spare = Double(heights[lane(node)] - rows.countBeside[node]) / 2
      return GraphLayout.Point(
        firstColumn + lanePadding + Double(ranks[node]) * (metrics.nodeWidth + columnGap) + metrics.nodeWidth / 2,
        tops[lane(node)] + lanePadding + (Double(rows.row[node]) + spare) * pitch + metrics.nodeHeight / 2)
    }
    let curves = picture.edges.map { edge -> GraphLayout.Curve? in
      curve(from: centres[edge.from], to: centres[edge.to], metrics)
    }
    var lanes: [GraphLayout.Box] = []
    var titles: [GraphLayout.Box] = []
    if metrics.hasLanes {
      for (number, top) in tops.enumerated() {
        let height = Double(heights[number]) * pitch - rowGap + 2 * lanePadding
        lanes.append(GraphLayout.Box(minX: 0, minY: top, maxX: firstColumn, maxY: top + height))
        titles.append(
          GraphLayout.Box(
            minX: lanePadding, minY: top, maxX: lanePadding + metrics.titleWidth, maxY: top + metrics.titleHeight))
      }
    }
    var layout = GraphLayout(nodes: centres, edges: curves, lanes: lanes, titles: titles, metrics: metrics)
    layout.alignLanes()
    return layout
  }

  /// How many columns a picture takes.
  package static func rankCount(_ picture: GraphPicture) -> Int {
    (ranks(dependencies(of: picture)).max() ?? -1) + 1
  }

  private static func dependencies(of picture: GraphPicture) -> DependencyGraph {
    DependencyGraph(
      nodeCount: picture.nodes.count,
      edges: picture.edges.map { DependencyGraph.Edge(waiter: $0.to, dependency: $0.from) })
  }

  /// Every node behind all that it waits for; the nodes of a cycle one behind the other.
  private static func ranks(_ graph: DependencyGraph) -> [Int] {
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

  /// The row of each node within its lane and column, and how many stand in that column of the lane.
  private static func rows(
    _ picture: GraphPicture, _ graph: DependencyGraph, _ ranks: [Int], _ metrics: GraphMetrics
  ) -> (row: [Int], countBeside: [Int]) {
    func lane(_ node: Int) -> Int { metrics.hasLanes ? picture.nodes[node].lane : 0 }
    var columns: [[Int]] = Array(repeating: [], count: (ranks.max() ?? -1) + 1)
    for node in picture.nodes.indices { columns[ranks[node]].append(node) }
    var row = [Int](repeating: 0, count: picture.nodes.count)
    var beside = row
    /// Of all neighbours in one direction; lanes above weigh more than any row.
    func centre(_ node: Int, forward: Bool) -> Double {
      let neighbours = forward ? Array(graph.dependencies(of: node)) : Array(graph.dependents(of: node))
      guard !neighbours.isEmpty else { return Double(row[node]) - Double(beside[node]) / 2 }
      let sum = neighbours.reduce(0.0) {
        $0 + Double(lane($1) - lane(node)) * 1e6 + Double(row[$1]) - Double(beside[$1]) / 2
      }
      return sum / Double(neighbours.count)
    }
    func place(_ column: Int, forward: Bool) {
      let keyed = columns[column].map { (lane: lane($0), centre: centre($0, forward: forward), node: $0) }
        .sorted { ($0.lane, $0.centre, $0.node) < ($1.lane, $1.centre, $1.node) }
      columns[column] = keyed.map(\.node)
      var from = keyed.startIndex
      while from < keyed.endIndex {
        var to = from
        while to < keyed.endIndex, keyed[to].lane == keyed[from].lane { to += 1 }
        for position in from..<to {
          row[keyed[position].node] = position - from
          beside[keyed[position].node] = to - from
        }
        from = to
      }
    }
    for sweep in 0..<sweeps {
      let isForward = sweep.isMultiple(of: 2)
      for column in isForward ? Array(columns.indices) : columns.indices.reversed() {
        place(column, forward: isForward)
      }
    }
    return (row, beside)
  }

  /// From the right side of one node to the left side of the other; around, where that lies behind.
  private static func curve(
    from: GraphLayout.Point, to: GraphLayout.Point, _ metrics: GraphMetrics
  ) -> GraphLayout.Curve {
    let start = GraphLayout.Point(from.x + metrics.nodeWidth / 2, from.y)
    let tip = GraphLayout.Point(to.x - metrics.nodeWidth / 2, to.y)
    if tip.x - 8 > start.x { return GraphLayout.curve(from: start, to: tip) }
    let end = GraphLayout.Point(tip.x - 8, tip.y)
    let lift = metrics.nodeHeight
    return GraphLayout.Curve(
      points: [
        start, GraphLayout.Point(start.x + 60, start.y - lift), GraphLayout.Point(end.x - 60, end.y - lift), end,
      ], tip: tip)
  }
}
