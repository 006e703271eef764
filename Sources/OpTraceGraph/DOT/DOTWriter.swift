import OpTraceModel
public import OpTraceText

/// Writes a picture in Graphviz's language.
///
/// Names from the traced program occur in labels and tooltips only. Ids are numbers of our own, so that no message of
/// the library ever contains a name.
public struct DOTWriter: Sendable {
  /// What the text is for.
  public enum Purpose: Sendable {
    /// For people and other programs: lanes are labelled clusters, and every node is an operation.
    case document
    /// For a layout whose boxes are drawn elsewhere: sizes, but no texts. A lane's title is a node of its own in the
    /// first column (`t0`, `t1`, …, held there by `root`). So no line crosses a title, and all lanes begin at the same
    /// column, which keeps them apart vertically.
    case placing
  }

  let picture: GraphPicture
  let metrics: GraphMetrics
  let purpose: Purpose
  /// The number of nodes that will be written.
  private let count: Int

  /// Writes this picture. O(1): the work is done in ``text()`` and ``write(to:)``.
  public init(_ picture: GraphPicture, for purpose: Purpose = .document) {
    self.init(picture, for: purpose, count: picture.nodes.count)
  }

  /// - Parameter count: the number of nodes, if others than the picture's own are written.
  init(_ picture: GraphPicture, for purpose: Purpose, count: Int) {
    self.picture = picture
    self.purpose = purpose
    self.count = count
    metrics = GraphMetrics(of: picture)
  }

  /// Returns the whole text. O(n + e).
  public func text() -> String {
    var bytes: [UInt8] = []
    // This sink throws nothing.
    try? write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the same bytes as ``text()``, and hands them on as they are made. Throws what `sink` throws.
  public func write(to sink: ByteSink) throws {
    try ByteWriter.write(to: sink) { writer in
      writer.string(head())
      let members = Dictionary(grouping: picture.nodes.indices) { picture.nodes[$0].lane }
      for number in picture.lanes.indices {
        beginLane(number, writer)
        for node in members[number] ?? [] { writer.string("    \(nodeLine(picture.nodes[node]))\n") }
        endLane(number, writer)
      }
      for (number, edge) in picture.edges.enumerated() { writer.string("  \(edgeLine(number, edge))\n") }
      if isScaffolded, metrics.hasLanes { writer.string(scaffold()) }
      writer.string(foot)
    }
  }

  /// Returns everything that precedes the first lane.
  func head() -> String {
    var out = "digraph optrace {\n"
    out += "  graph [\(graphAttributes())];\n"
    out += "  node [shape=box, fontname=\"Helvetica\", fontsize=12, width=\(inches(metrics.nodeWidth))"
    out += ", height=\(inches(metrics.nodeHeight)), margin=\"0.05,0.03\""
    out += purpose == .placing ? ", fixedsize=true, label=\"\"];\n" : "];\n"
    out += "  edge [color=\"\(Palette.edge.light.hex)\", penwidth=1.2, arrowsize=0.75, arrowhead=vee];\n"
    if purpose != .placing {
      out +=
        "  subgraph cluster_all { id=\"title\"; peripheries=0; labelloc=t; labeljust=l; margin=8; label=<\(titleTable())>;\n"
    }
    if isScaffolded, metrics.hasLanes {
      out += "  root [shape=point, width=0.01, height=0.01, fixedsize=true, style=invis, label=\"\"];\n"
    }
    return out
  }

  var foot: String { purpose == .placing ? "}\n" : "  }\n}\n" }

  func isCluster(_ lane: Int) -> Bool { metrics.hasLanes && (picture.lanes[lane].isBoxed || isScaffolded) }

  func beginLane(_ number: Int, _ writer: ByteWriter) {
    guard isCluster(number) else { return }
    writer.string("  subgraph cluster_\(number) { \(clusterAttributes(picture.lanes[number]))\n")
    if isScaffolded { writer.string("    \(titleNode(number))\n") }
  }

  func endLane(_ number: Int, _ writer: ByteWriter) {
    if isCluster(number) { writer.text("  }\n") }
  }

  private var isScaffolded: Bool { purpose != .document }

  /// Returns the name of a node, for code that reads a layout back.
  package static func nodeName(_ node: GraphPicture.Node) -> String {
    node.fold.map { "fold\($0.number)" } ?? "op\(node.operation.rawValue)"
  }
  package static func titleName(_ lane: Int) -> String { "t\(lane)" }

  private func inches(_ points: Double) -> String { "\((points / 72 * 1000).rounded() / 1000)" }

  private func graphAttributes() -> String {
    // `newrank` is always set: the old ranker is quadratic and, with clusters, draws many edges backwards.
    var attributes = [
      "rankdir=LR", "newrank=true", "nodesep=\(picture.edges.contains { $0.label != nil } ? "0.36" : "0.19")",
      "ranksep=\(inches(picture.columnGap))", "outputorder=edgesfirst",
      "pad=0.3",
      "fontname=\"Helvetica\"", "fontsize=12", "bgcolor=\"\(Palette.page.light.hex)\"", "charset=\"UTF-8\"",
    ]
    // Limits on the simplex and on the crossing sweeps decide how long a large layout takes.
    if count <= 150 { attributes.append("mclimit=8") }
    if count > 300 { attributes += ["nslimit=0", "mclimit=0.5"] }
    if count > 1000 { attributes += ["mclimit=0.1", "splines=line"] } else { attributes.append("splines=true") }
    if purpose != .placing, !picture.nodes.isEmpty || count == 0 {
      attributes += ["labelloc=b", "labeljust=l", "label=<\(legendTable())>"]
    }
    return attributes.joined(separator: ", ")
  }

  private func clusterAttributes(_ lane: GraphPicture.Lane) -> String {
    if purpose == .placing { return "margin=14;" }
    var attributes = [
      "id=\"\(lane.id)\"", "class=\"\(lane.isBoxed ? "queue" : "outside")\"", "margin=14", "labelloc=t", "labeljust=l",
      "label=<\(laneTitle(lane))>",
    ]
    if lane.isBoxed {
      attributes += [
        "style=\"rounded,filled\"", "fillcolor=\"\(lane.style.fill.light.hex)\"",
        "color=\"\((lane.isCulprit ? Palette.cycle : lane.style.border).light.hex)\"",
        "penwidth=\(lane.isCulprit ? "2.4" : "1")", "fontcolor=\"\(lane.style.text.light.hex)\"",
        "tooltip=\"\(TextEscaping.dot(lane.tooltip))\"",
      ]
    } else {
      attributes.append("peripheries=0")
    }
    return attributes.joined(separator: "; ") + ";"
  }

  private func laneTitle(_ lane: GraphPicture.Lane) -> String {
    let title = TextMetrics.fitting(lane.title, into: 240, size: GraphMetrics.laneTitleSize, bold: true)
    return "<B>\(TextEscaping.htmlLabel(title))</B>&#160;&#160;"
      + "<FONT POINT-SIZE=\"10\">\(TextEscaping.htmlLabel(lane.caption))</FONT>"
  }

  private func titleNode(_ number: Int) -> String {
    let attributes = [
      "shape=box", "width=\(inches(metrics.titleWidth))", "height=\(inches(metrics.titleHeight))",
      "class=\"lane-title\"", "penwidth=0",
    ]
    return "\(Self.titleName(number)) [\(attributes.joined(separator: ", "))];"
  }

  /// Returns the invisible edges. The root holds the titles in the first column, and each title holds the first nodes
  /// of its lane behind it.
  private func scaffold() -> String {
    var hasDependency = [Bool](repeating: false, count: picture.nodes.count)
    var isAlone = [Bool](repeating: true, count: picture.nodes.count)
    for edge in picture.edges where edge.from != edge.to {
      if !edge.isCycle, !edge.isMixed { hasDependency[edge.to] = true }
      isAlone[edge.from] = false
      isAlone[edge.to] = false
    }
    var out = "  edge [style=invis, weight=0];\n"
    for lane in picture.lanes.indices { out += "  root -> \(Self.titleName(lane)) [weight=100];\n" }
    for (number, node) in picture.nodes.enumerated() where !hasDependency[number] {
      // Nodes without an edge of their own would otherwise be scattered over all columns.
      let weight = isAlone[number] ? " [weight=1]" : ""
      out += "  \(Self.titleName(node.lane)) -> \(Self.nodeName(node))\(weight);\n"
    }
    return out
  }

  private func nodeLine(_ node: GraphPicture.Node) -> String {
    guard purpose != .placing else { return "\(Self.nodeName(node));" }
    var attributes = [
      "id=\"\(node.id)\"", "class=\"\(picture.cssClass(of: node))\"", "label=\(label(of: node))", look(of: node),
      "tooltip=\"\(TextEscaping.dot(node.tooltip))\"",
    ]
    if node.isBarrier || node.fold != nil { attributes.append("peripheries=2") }
    return "\(Self.nodeName(node)) [\(attributes.joined(separator: ", "))];"
  }

  /// Returns the attributes for border, fill and text colour.
  func look(of node: GraphPicture.Node) -> String {
    let style = node.state.style
    let line = node.isUnknown ? ",dotted" : node.isDashed ? ",dashed" : ""
    let border = node.isCulprit ? Palette.cycle : node.isCritical ? Palette.critical : style.border
    return [
      "style=\"rounded,filled\(line)\"",
      "fillcolor=\"\(picture.fill(of: node, hasLanes: metrics.hasLanes).light.hex)\"",
      "color=\"\(border.light.hex)\"",
      "fontcolor=\"\(style.text.light.hex)\"",
      "penwidth=\(node.isCritical || node.isCulprit ? "2.6" : node.state == .deadlocked ? "2" : "1.2")",
    ].joined(separator: ", ")
  }

  private func edgeLine(_ number: Int, _ edge: GraphPicture.Edge) -> String {
    var attributes = ["key=\"\(number)\""]
    if edge.isCritical { attributes.append("weight=4") }
    if isScaffolded, !edge.isCycle, !edge.isMixed { attributes.append("tailport=e, headport=w") }
    if purpose != .placing {
      attributes += ["id=\"\(picture.id(of: edge))\"", "class=\"\(picture.cssClass(of: edge))\""]
      attributes += look(of: edge)
    }
    return "\(Self.nodeName(picture.nodes[edge.from])) -> \(Self.nodeName(picture.nodes[edge.to])) "
      + "[\(attributes.joined(separator: ", "))];"
  }

  /// Returns the attributes that distinguish an edge from a plain one.
  func look(of edge: GraphPicture.Edge) -> [String] {
    var attributes: [String] = []
    if edge.isCycle || edge.isCritical || edge.isStuck {
      attributes += ["color=\"\(edge.color.light.hex)\"", "penwidth=\(edge.width)"]
    }
    switch edge.stroke {
    case .solid: break
    case .dashed, .longDashed: attributes.append("style=dashed")
    case .dotted: attributes.append("style=dotted")
    }
    if let label = edge.label {
      attributes += [
        "label=\"\(TextEscaping.dot(label))\"", "fontsize=10", "fontcolor=\"\(edge.labelColor.light.hex)\"",
      ]
    }
    return attributes
  }
}
