import CGraphviz
import OpTraceGraph
import OpTraceModel

/// Reads positions and splines out of a graph that Graphviz has laid out.
struct PlacedGraph {
  /// Nil where Graphviz left a node or a lane without a position.
  let layout: GraphLayout?

  init(_ graph: UnsafeMutablePointer<Agraph_t>, of picture: GraphPicture, _ metrics: GraphMetrics) {
    let top = optrace_graph_box(graph).high.y
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(x, top - y) }

    var positions: [String: GraphLayout.Point] = [:]
    var curves = [GraphLayout.Curve?](repeating: nil, count: picture.edges.count)
    var next = agfstnode(graph)
    while let node = next {
      let at = optrace_node_position(node)
      if let name = agnameof(node) { positions[String(cString: name)] = point(at.x, at.y) }
      var nextEdge = agfstout(graph, node)
      while let edge = nextEdge {
        if let name = agnameof(edge), let number = Int(String(cString: name)), curves.indices.contains(number),
          let curve = optrace_edge_curve(edge)?.pointee, curve.size >= 4
        {
          let points = UnsafeBufferPointer(start: curve.list, count: Int(curve.size)).map { point($0.x, $0.y) }
          let tip = curve.eflag != 0 ? point(curve.ep.x, curve.ep.y) : points[points.count - 1]
          curves[number] = GraphLayout.Curve(points: points, tip: tip)
        }
        nextEdge = agnxtout(graph, edge)
      }
      next = agnxtnode(graph, node)
    }

    let nodes = picture.nodes.compactMap { positions[DOTWriter.nodeName($0)] }
    var lanes: [GraphLayout.Box] = []
    var titles: [GraphLayout.Box] = []
    if metrics.hasLanes {
      for number in picture.lanes.indices {
        guard let at = positions[DOTWriter.titleName(number)],
          let cluster = "cluster_\(number)".withCString({ agsubg(graph, UnsafeMutablePointer(mutating: $0), 0) })
        else { continue }
        let box = optrace_graph_box(cluster)
        let low = point(box.low.x, box.high.y)
        let high = point(box.high.x, box.low.y)
        lanes.append(GraphLayout.Box(minX: low.x, minY: low.y, maxX: high.x, maxY: high.y))
        titles.append(GraphLayout.Box(centre: at, width: metrics.titleWidth, height: metrics.titleHeight))
      }
    }
    let isWhole = nodes.count == picture.nodes.count && (!metrics.hasLanes || lanes.count == picture.lanes.count)
    guard isWhole else {
      layout = nil
      return
    }
    var result = GraphLayout(nodes: nodes, edges: curves, lanes: lanes, titles: titles, metrics: metrics)
    result.orderFromTop()
    result.smoothShortEdges(of: picture, widest: picture.columnGap * 1.3)
    result.alignLanes()
    layout = result
  }
}
