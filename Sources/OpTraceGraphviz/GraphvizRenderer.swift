import CGraphviz
public import OpTraceGraph

/// Lays out and draws pictures through Graphviz, inside this process. Safe to call from any thread; calls wait for each
/// other.
public enum GraphvizRenderer {
  /// Formats that Graphviz draws itself. SVG is not among them: `SVGWriter` draws it from a `GraphLayout`.
  public enum ImageFormat: String, Sendable, CaseIterable {
    /// Pixels, as large as the page and not transparent.
    case png
    /// One page with text that can be selected.
    case pdf
  }

  /// More boxes make no image.
  public static let mostNodes = 3000
  /// With more lines Graphviz takes minutes, and what it makes is no clearer.
  static func mostEdges(_ nodes: Int) -> Int { 3 * nodes + 40 }

  /// Where everything lies: by Graphviz' `dot` where there are few enough boxes to be read and what it makes of them fits
  /// a page, else by `LayeredLayout`.
  public static func layout(_ picture: GraphPicture) throws(GraphvizError) -> GraphLayout {
    guard (1...GraphOptions.readable).contains(picture.nodes.count),
      picture.edges.count <= mostEdges(picture.nodes.count)
    else {
      return LayeredLayout.layout(picture)
    }
    let placed = try dotLayout(picture)
    return placed.isComfortable ? placed : LayeredLayout.layout(picture)
  }

  private static func dotLayout(_ picture: GraphPicture) throws(GraphvizError) -> GraphLayout {
    let dot = DOTWriter(picture, for: .placing).text()
    let metrics = GraphMetrics(of: picture)
    let (layout, messages) = try GraphvizSession.run { (context) throws(GraphvizError) in
      try withLayout(of: dot, in: context) { graph throws(GraphvizError) in
        PlacedGraph(graph, of: picture, metrics).layout
      }
    }
    guard let layout else { throw GraphvizError(.failed(messages)) }
    return layout
  }

  /// The picture as the SVG shows it, in the same layout.
  /// - Returns: the file's bytes.
  public static func image(of picture: GraphPicture, as format: ImageFormat) throws(GraphvizError) -> [UInt8] {
    try scaledImage(of: picture, as: format).bytes
  }

  /// The same, and how large it is drawn: 1, or less where it would have more pixels than an image can.
  package static func scaledImage(
    of picture: GraphPicture, as format: ImageFormat
  ) throws(GraphvizError) -> (bytes: [UInt8], scale: Double) {
    guard picture.nodes.count <= mostNodes else {
      throw GraphvizError(.tooLarge(nodes: picture.nodes.count, limit: mostNodes))
    }
    return try scaledImage(of: picture, placed: try layout(picture), as: format)
  }

  /// The picture as `SVGWriter` draws it from the same `layout`. Graphviz decides nothing here: it gets a drawing of
  /// ours as the background of a graph that shows nothing else.
  public static func image(
    of picture: GraphPicture, placed layout: GraphLayout, as format: ImageFormat
  ) throws(GraphvizError) -> [UInt8] {
    try scaledImage(of: picture, placed: layout, as: format).bytes
  }

  static func scaledImage(
    of picture: GraphPicture, placed layout: GraphLayout, as format: ImageFormat
  ) throws(GraphvizError) -> (bytes: [UInt8], scale: Double) {
    let drawing = XDotWriter(picture, layout)
    let scale = scale(of: drawing, format)
    // The one node is as large as the picture. `nop2` takes its position as given.
    let dot = """
      digraph picture {
        graph [pad=0, margin=0, bgcolor="\(Palette.page.light.hex)", charset="UTF-8"];
        graph [dpi="\(scale < 1 ? String(scale * usualResolution) : "")"];
        all [shape=box, style=invis, label="", fixedsize=true, width=\(drawing.width / 72), height=\(drawing.height / 72),
          pos="\(drawing.width / 2),\(drawing.height / 2)"];
      }
      """
    let (bytes, messages) = try GraphvizSession.run { (context) throws(GraphvizError) in
      try withLayout(of: dot, by: "nop2", background: drawing.background, in: context) {
        graph throws(GraphvizError) -> [UInt8] in
        var data: UnsafeMutablePointer<CChar>?
        var length = 0
        guard optrace_render(context, graph, format.rawValue, &data, &length) == 0, let data else {
          throw GraphvizError(.missingPlugin(format.rawValue))
        }
        defer { gvFreeRenderData(data) }
        return UnsafeRawBufferPointer(start: data, count: length).map(\.self)
      }
    }
    // A background that it does not understand is left out, with a message.
    if bytes.isEmpty || messages.contains(where: { $0.contains("xdot") }) { throw GraphvizError(.failed(messages)) }
    return (bytes, scale)
  }

  /// Pixels per inch that Graphviz draws by default, and the most pixels that it draws either way.
  private static let usualResolution = 96.0
  private static let mostPixels = 32_767.0

  /// 1, or less for a picture that would have more pixels. Graphviz would do the same, and say so on standard error as a
  /// program without a name.
  private static func scale(of drawing: XDotWriter, _ format: ImageFormat) -> Double {
    let pixels = max(drawing.width, drawing.height) / 72 * usualResolution
    return format == .png && pixels > mostPixels - 1 ? (mostPixels - 1) / pixels : 1
  }

  /// How many nodes and edges Graphviz itself reads out of a DOT text.
  public static func count(inDOT text: String) throws(GraphvizError) -> (nodes: Int, edges: Int) {
    let (result, messages) = try GraphvizSession.run { (_) throws(GraphvizError) -> [Int] in
      guard let graph = agmemread(text) else { throw GraphvizError(.failed([])) }
      defer { agclose(graph) }
      return [Int(agnnodes(graph)), Int(agnedges(graph))]
    }
    if messages.contains(where: { $0.hasPrefix("Error") }) { throw GraphvizError(.failed(messages)) }
    return (result[0], result[1])
  }

  private static func withLayout<Result>(
    of dot: String, by engine: String = "dot", background: String? = nil, in context: OpaquePointer,
    _ body: (UnsafeMutablePointer<Agraph_t>) throws(GraphvizError) -> Result
  ) throws(GraphvizError) -> Result {
    guard let graph = agmemread(dot) else { throw GraphvizError(.failed(["the graph's text was not understood"])) }
    defer { agclose(graph) }
    if let background { optrace_set_background(graph, background) }
    guard gvLayout(context, graph, engine) == 0 else { throw GraphvizError(.missingPlugin(engine)) }
    defer { gvFreeLayout(context, graph) }
    return try body(graph)
  }
}
