import CGraphviz
public import OpTraceExport

/// Places and draws pictures through Graphviz, inside this process. Safe to call from any thread; calls wait for each
/// other.
public enum GraphvizRenderer {
  /// Formats that Graphviz draws itself. SVG is not among them: ``SVGWriter`` draws it from a ``GraphLayout``.
  public enum ImageFormat: String, Sendable, CaseIterable { case png, pdf }

  /// Up to this many operations Graphviz places them in seconds; above, ``LayeredLayout`` does.
  public static let mostNodes = 3000
  /// Ranks are 16-bit integers in Graphviz.
  static let mostRanks = 32_767

  /// Where everything lies: by Graphviz' `dot` up to ``mostNodes``, above by ``LayeredLayout``.
  public static func layout(_ picture: GraphPicture) throws(GraphvizError) -> GraphLayout {
    guard picture.nodes.count <= mostNodes else { return LayeredLayout.layout(picture) }
    guard !picture.nodes.isEmpty else { return LayeredLayout.layout(picture) }
    try checkDepth(picture)
    let dot = DOTWriter(picture, for: .placing).text()
    let metrics = GraphMetrics(of: picture)
    let (layout, messages) = try GraphvizSession.run { (context) throws(GraphvizError) in
      try withLayout(of: dot, in: context) { graph throws(GraphvizError) in
        PlacedGraph(graph, of: picture, metrics).layout
      }
    }
    guard let layout else { throw .failed(messages) }
    return layout
  }

  /// - Returns: the file's bytes.
  public static func image(of picture: GraphPicture, as format: ImageFormat) throws(GraphvizError) -> [UInt8] {
    guard picture.nodes.count <= mostNodes else {
      throw .tooLarge(nodes: picture.nodes.count, limit: mostNodes)
    }
    try checkDepth(picture)
    let dot = DOTWriter(picture, for: .drawing).text()
    let (bytes, messages) = try GraphvizSession.run { (context) throws(GraphvizError) in
      try withLayout(of: dot, in: context) { graph throws(GraphvizError) -> [UInt8] in
        widenLanes(of: graph, count: picture.lanes.count)
        var data: UnsafeMutablePointer<CChar>?
        var length = 0
        guard optrace_render(context, graph, format.rawValue, &data, &length) == 0, let data else {
          throw .missingPlugin(format.rawValue)
        }
        defer { gvFreeRenderData(data) }
        return UnsafeRawBufferPointer(start: data, count: length).map(\.self)
      }
    }
    if bytes.isEmpty { throw .failed(messages) }
    return bytes
  }

  /// How many nodes and edges Graphviz itself reads out of a DOT text.
  public static func count(inDOT text: String) throws(GraphvizError) -> (nodes: Int, edges: Int) {
    let (result, messages) = try GraphvizSession.run { (_) throws(GraphvizError) -> [Int] in
      guard let graph = agmemread(text) else { throw .failed([]) }
      defer { agclose(graph) }
      return [Int(agnnodes(graph)), Int(agnedges(graph))]
    }
    if messages.contains(where: { $0.hasPrefix("Error") }) { throw .failed(messages) }
    return (result[0], result[1])
  }

  private static func withLayout<Result>(
    of dot: String, in context: OpaquePointer,
    _ body: (UnsafeMutablePointer<Agraph_t>) throws(GraphvizError) -> Result
  ) throws(GraphvizError) -> Result {
    guard let graph = agmemread(dot) else { throw .failed(["the graph's text was not understood"]) }
    defer { agclose(graph) }
    guard gvLayout(context, graph, "dot") == 0 else { throw .missingPlugin("dot") }
    defer { gvFreeLayout(context, graph) }
    return try body(graph)
  }

  /// Lanes begin and end together, as in the SVG.
  private static func widenLanes(of graph: UnsafeMutablePointer<Agraph_t>, count: Int) {
    let clusters = (0..<count).compactMap { number in
      // In the drawing, lanes lie in the cluster that holds the title.
      "cluster_all".withCString { agsubg(graph, UnsafeMutablePointer(mutating: $0), 0) }
        .flatMap { all in "cluster_\(number)".withCString { agsubg(all, UnsafeMutablePointer(mutating: $0), 0) } }
    }
    let boxes = clusters.map { optrace_graph_box($0) }
    guard let low = boxes.map(\.low.x).min(), let high = boxes.map(\.high.x).max() else { return }
    for cluster in clusters { optrace_widen(cluster, low, high) }
  }

  private static func checkDepth(_ picture: GraphPicture) throws(GraphvizError) {
    guard picture.nodes.count > mostRanks else { return }
    let ranks = LayeredLayout.rankCount(picture)
    if ranks > mostRanks { throw .tooDeep(ranks: ranks) }
  }
}
