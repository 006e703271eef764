import OpTraceModel

/// A picture as SVG: one file that brings its style (light, dark, print) and a small script (on hover, focus or click, what an operation
/// waits for and what waits for it), and needs nothing from outside.
///
/// Operations are `<g id="op-5" class="op finished critical q-network">`, edges `<g id="e-1-5" class="dep critical"
/// data-from="op-1" data-to="op-5">`, queues `<g id="queue-network" class="queue">`.
///
/// Above ``GraphPicture/mostDetailed`` boxes the file is kept lean, so that a browser opens it (`SVGWriter+Lean.swift`).
public struct SVGWriter {
  let picture: GraphPicture
  let layout: GraphLayout
  var out = ""
  /// A part of a page, which brings the script and where style stands elsewhere.
  private var isEmbedded = false
  /// Nil: everything is kept in `out`.
  private var sink: ByteSink?

  private static let font = "Helvetica, Arial, DejaVu Sans, sans-serif"

  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    self.picture = picture
    self.layout = layout
  }

  /// O(n + e).
  public static func text(_ picture: GraphPicture, _ layout: GraphLayout) -> String {
    var writer = SVGWriter(picture, layout)
    // Without a sink nothing throws.
    try? writer.write()
    return writer.out
  }

  /// The same bytes as ``text(_:_:)``, handed on while they are made. Throws what `sink` throws.
  public static func write(_ picture: GraphPicture, _ layout: GraphLayout, to sink: @escaping ByteSink) throws {
    var writer = SVGWriter(picture, layout)
    writer.sink = sink
    try writer.write()
    try writer.flush(above: 0)
  }

  static func embedded(_ picture: GraphPicture, _ layout: GraphLayout) -> (svg: String, style: String) {
    var writer = SVGWriter(picture, layout)
    writer.isEmbedded = true
    // Without a sink nothing throws.
    try? writer.write()
    return (writer.out, writer.style)
  }

  private mutating func flush(above limit: Int = 1 << 16) throws {
    guard let sink, out.utf8.count > limit else { return }
    try out.withUTF8 { try sink(UnsafeRawBufferPointer($0)) }
    out.removeAll(keepingCapacity: true)
  }

  private mutating func write() throws {
    let frame = PictureFrame(picture, layout)
    let (width, height) = (frame.width, frame.height)
    if !isEmbedded { out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" }
    out += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"optrace-graph\" role=\"img\" width=\"\(number(width))\" "
    out +=
      "height=\"\(number(height))\" viewBox=\"0 0 \(number(width)) \(number(height))\" font-family=\"\(Self.font)\""
    // Shrinks into a window, but not until nobody can read it.
    let size =
      isEmbedded
      ? "" : " style=\"width:100%;min-width:\(number(width * 0.55))px;max-width:\(number(width))px;height:auto\""
    out += size + ">\n"
    out += "<title>\(xml(picture.title)): operations and their dependencies</title>\n"
    out +=
      "<desc>\(xml(([picture.subtitle] + picture.verdicts.map { "\($0.lead) \($0.text)" }).joined(separator: "\n")))</desc>\n"
    if !isEmbedded { out += "<style><![CDATA[\n\(style)]]></style>\n" }
    out += "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
    writeHead(frame)
    out += "<g transform=\"translate(\(number(frame.graphOrigin.x)) \(number(frame.graphOrigin.y)))\">\n"
    for (number, lane) in picture.lanes.enumerated() where number < layout.lanes.count { writeLane(number, lane) }
    let progress = WorkProgress.teller()
    let all = picture.edges.count + picture.nodes.count
    if picture.isLean {
      beginLean()
      for (done, number) in picture.edgesFromBelow.enumerated() {
        progress.tellSometimes(done, of: all)
        writeLeanEdge(number)
        try flush()
      }
      for number in picture.nodes.indices {
        progress.tellSometimes(picture.edges.count + number, of: all)
        writeLeanNode(number)
        try flush()
      }
      out += "</g>\n"
    } else {
      for number in picture.edgesFromBelow {
        writeEdge(number, picture.edges[number])
        try flush()
      }
      for number in picture.edgesFromBelow { writeLabel(number, picture.edges[number]) }
      for (number, node) in picture.nodes.enumerated() {
        writeNode(node, layout.nodes[number])
        try flush()
      }
    }
    out += "</g>\n"
    out += "<g class=\"legend\" transform=\"translate(\(number(PictureFrame.margin)) \(number(frame.legendTop)))\">\n"
    for (item, at) in zip(picture.legend, frame.legend.places) { writeLegend(item, at) }
    out += "</g>\n"
    if !picture.isLean, !isEmbedded { out += "<script><![CDATA[\n\(SVGStyle.script)]]></script>\n" }
    out += "</svg>\n"
  }

  private var style: String {
    let hasLanes = layout.metrics.hasLanes
    return SVGStyle.css(picture, hasLanes: hasLanes)
      + (picture.isLean ? SVGStyle.lean(picture, hasLanes: hasLanes) : "")
  }

  private mutating func writeHead(_ frame: PictureFrame) {
    let x = number(PictureFrame.margin)
    let width = frame.headWidth
    func fitting(_ text: String, _ size: Double, bold: Bool = false) -> String {
      xml(TextMetrics.fitting(text, into: width, size: size, bold: bold))
    }
    out += "<g class=\"head\">\n"
    out +=
      "<text class=\"title\" x=\"\(x)\" y=\"\(number(PictureFrame.titleBaseline))\">\(fitting(picture.title, 19, bold: true))</text>\n"
    out +=
      "<text class=\"subtitle\" x=\"\(x)\" y=\"\(number(PictureFrame.subtitleBaseline))\">\(fitting(picture.subtitle, 12))</text>\n"
    for (line, verdict) in picture.verdicts.enumerated() {
      let space = width - TextMetrics.width(of: verdict.lead + " ", size: 12, bold: true)
      let text = TextMetrics.fitting(verdict.text, into: space, size: 12)
      out +=
        "<text class=\"verdict \(verdict.kind.rawValue)\" x=\"\(x)\" y=\"\(number(PictureFrame.verdictBaseline(line)))\">"
      out += "<tspan class=\"lead\">\(xml(verdict.lead))</tspan> \(xml(text))</text>\n"
    }
    out += "</g>\n"
  }

  private mutating func writeLane(_ index: Int, _ lane: GraphPicture.Lane) {
    let box = layout.lanes[index]
    let title = layout.titles[index]
    out +=
      "<g id=\"\(lane.id)\" class=\"\(lane.isBoxed ? "queue" : "outside") lane-\(index)\(lane.isCulprit ? " culprit" : "")\">"
    out += "<title>\(xml(lane.tooltip))</title>"
    if lane.isBoxed { out += rect(box, radius: 10, "lane-box") }
    let x = number(box.minX + 14)
    let shown = TextMetrics.fitting(lane.title, into: title.width - 4, size: GraphMetrics.laneTitleSize, bold: true)
    let caption = TextMetrics.fitting(lane.caption, into: title.width - 4, size: GraphMetrics.captionSize)
    out += "<text class=\"lane-title\" x=\"\(x)\" y=\"\(number(title.minY + 15))\">\(xml(shown))</text>"
    out += "<text class=\"lane-caption\" x=\"\(x)\" y=\"\(number(title.minY + 30))\">\(xml(caption))</text></g>\n"
  }

  private mutating func writeEdge(_ index: Int, _ edge: GraphPicture.Edge) {
    guard let curve = layout.edges[index], let first = curve.points.first else { return }
    let from = picture.nodes[edge.from]
    let to = picture.nodes[edge.to]
    let link = edge.kind == .slot ? "waited for the slot of" : "waits for"
    var what = "\(xml(to.reference)) \(link) \(xml(from.reference))"
    if let label = edge.label { what += ": " + xml(label) }
    out +=
      "<g id=\"\(picture.id(of: edge))\" class=\"\(picture.cssClass(of: edge))\" data-from=\"\(from.id)\" data-to=\"\(to.id)\">"
    out += "<title>\(what)</title><path class=\"line\" d=\"M\(pair(first))"
    for (number, point) in curve.points.dropFirst().enumerated() {
      out += (number % 3 == 0 ? "C" : " ") + pair(point)
    }
    out += "\"/>"
    if let head = curve.head(halfWidth: edge.headHalfWidth) {
      out += "<path class=\"tip\" d=\"M\(head.map(pair).joined(separator: "L"))Z\"/>"
    }
    out += "</g>\n"
  }

  /// Above all lines, so that none runs through the words.
  private mutating func writeLabel(_ index: Int, _ edge: GraphPicture.Edge) {
    guard let label = edge.label, let curve = layout.edges[index] else { return }
    let box = EdgeLabel.box(label, on: curve)
    let ground = EdgeLabel.lane(of: box, in: picture, layout).map { " on-\($0)" } ?? ""
    let classes = picture.cssClass(of: edge).dropFirst("dep".count)
    out += "<g class=\"dep words\(classes)\(ground)\" data-from=\"\(picture.nodes[edge.from].id)\" "
    out += "data-to=\"\(picture.nodes[edge.to].id)\">" + rect(box, radius: 3, "ground")
    out += "<text class=\"label\" x=\"\(number((box.minX + box.maxX) / 2))\" "
    out += "y=\"\(number(box.maxY - EdgeLabel.baseline))\">\(xml(label))</text></g>\n"
  }

  private mutating func writeNode(_ node: GraphPicture.Node, _ centre: GraphLayout.Point) {
    let metrics = layout.metrics
    let box = GraphLayout.Box(
      minX: 0, minY: 0, maxX: metrics.nodeWidth, maxY: metrics.height(of: node))
    let x = centre.x - metrics.nodeWidth / 2
    let y = centre.y - box.maxY / 2
    let pad = GraphMetrics.padding
    let nameWidth = metrics.nodeWidth - 2 * pad - GraphMetrics.signWidth
    let name = TextMetrics.fitting(node.name, into: nameWidth, size: GraphMetrics.nameSize, bold: true)
    let caption = TextMetrics.fitting(node.caption, into: metrics.nodeWidth - 2 * pad, size: GraphMetrics.captionSize)
    out +=
      "<g id=\"\(node.id)\" class=\"\(picture.cssClass(of: node))\" tabindex=\"0\" transform=\"translate(\(number(x)) \(number(y)))\""
    if let fold = node.fold { out += " data-count=\"\(fold.count)\"" }
    out += "><title>\(xml(node.tooltip))</title>"
    if node.fold != nil {
      for card in GraphMetrics.cards(behind: box) { out += rect(card, radius: 8, "card") }
    }
    out += rect(box, radius: 8, "box")
    if node.isBarrier {
      out +=
        "<path class=\"gate\" d=\"M4 9V\(number(box.maxY - 9))M\(number(box.maxX - 4)) 9V\(number(box.maxY - 9))\"/>"
    }
    out += sign(node.state, x: pad - 1, y: 7.5)
    out += "<text class=\"name\" x=\"\(number(pad + GraphMetrics.signWidth))\" y=\"18\">\(xml(name))</text>"
    out += "<text class=\"caption\" x=\"\(number(pad))\" y=\"32\">\(xml(caption))</text>"
    if let fold = node.fold {
      let times = TextMetrics.fitting(
        fold.timesText, into: metrics.nodeWidth - 2 * pad, size: GraphMetrics.captionSize)
      out += "<text class=\"caption\" x=\"\(number(pad))\" y=\"45\">\(xml(times))</text>"
    }
    out += bar(node.bar, x: pad, y: box.maxY - 7, width: metrics.nodeWidth - 2 * pad) + "</g>\n"
  }

  /// The three times differ in height too: a thin line, a low one, a full one.
  private func bar(_ parts: [GraphPicture.BarPart], x: Double, y: Double, width: Double) -> String {
    var out =
      "<rect class=\"track\" x=\"\(number(x))\" y=\"\(number(y - 2.25))\" width=\"\(number(width))\" height=\"4.5\" rx=\"1\"/>"
    for part in parts {
      let span = part.span(in: width)
      out +=
        "<rect class=\"\(part.kind.rawValue)\" x=\"\(number(x + span.from))\" y=\"\(number(y - part.height / 2))\" "
      out += "width=\"\(number(span.length))\" height=\"\(number(part.height))\"/>"
    }
    return out
  }

  /// Signs are drawn, not set: fonts lack some of them. 11 points square.
  private func sign(_ state: ShownState, x: Double, y: Double) -> String {
    let path =
      switch state {
      case .finished: "M1.5 6 4.5 9 9.5 2.5"
      case .executing, .ready: "M2.5 1.5 9.5 5.5 2.5 9.5Z"
      case .pending: "M9.5 5.5a4 4 0 1 1-8 0a4 4 0 1 1 8 0"
      case .cancelled: "M2 2 9 9M9 2 2 9"
      case .failed: "M5.5 1V6.5M5.5 9V9.6"
      case .deadlocked: "M9.3 3.2A4.4 4.4 0 1 0 10 6.6M9.8 0.6V3.6H6.8"
      case .stalled: "M9.5 5.5a4 4 0 1 1-8 0a4 4 0 1 1 8 0M2.7 8.3 8.3 2.7"
      }
    return "<path class=\"sign\" transform=\"translate(\(number(x)) \(number(y)))\" d=\"\(path)\"/>"
  }

  private mutating func writeLegend(_ item: LegendItem, _ at: GraphLayout.Point) {
    var mark: String
    switch item.mark {
    case .state(let state):
      let box = GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17)
      mark = "<g class=\"op \(state.rawValue)\">" + rect(box, radius: 4, "box") + sign(state, x: 5.5, y: 3) + "</g>"
    case .unknown:
      let box = GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17)
      mark = "<g class=\"op pending unknown\">" + rect(box, radius: 4, "box") + sign(.pending, x: 5.5, y: 3) + "</g>"
    case .culprit:
      let box = GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17)
      mark = "<g class=\"op stalled culprit\">" + rect(box, radius: 4, "box") + sign(.stalled, x: 5.5, y: 3) + "</g>"
    case .line(let line):
      let classes =
        switch line {
        case .slot: "dep slot critical"
        case .heldSlot, .wait: "dep cycle \(line.rawValue)"
        case .critical, .cycle, .open, .mixed: "dep \(line.rawValue)"
        }
      mark =
        "<g class=\"\(classes)\"><path class=\"line\" d=\"M0 8.5H20\"/><path class=\"tip\" d=\"M27 8.5L20 4.5V12.5Z\"/></g>"
    case .barrier:
      mark =
        "<g class=\"op finished barrier\">"
        + rect(GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17), radius: 4, "box")
      mark += "<path class=\"gate\" d=\"M4 4V13M18 4V13\"/></g>"
    case .fold:
      let box = GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17)
      mark = "<g class=\"op finished\">"
      for card in GraphMetrics.cards(behind: box) { mark += rect(card, radius: 4, "card") }
      mark += rect(box, radius: 4, "box") + "</g>"
    case .bar:
      mark = "<g class=\"op finished\">" + bar(GraphPicture.BarPart.legend, x: 0, y: 8.5, width: 44) + "</g>"
    }
    out += "<g transform=\"translate(\(number(at.x)) \(number(at.y)))\">\(mark)"
    out += "<text x=\"\(number(LegendRows.markWidth(item) + 7))\" y=\"12.5\">\(xml(item.text))"
    if let count = item.count { out += " <tspan class=\"count\">\(grouped(count))</tspan>" }
    out += "</text></g>\n"
  }

  private func rect(_ box: GraphLayout.Box, radius: Double, _ cssClass: String) -> String {
    "<rect class=\"\(cssClass)\" x=\"\(number(box.minX))\" y=\"\(number(box.minY))\" width=\"\(number(box.width))\" "
      + "height=\"\(number(box.height))\" rx=\"\(number(radius))\"/>"
  }

  private func pair(_ point: GraphLayout.Point) -> String { "\(number(point.x)) \(number(point.y))" }

  /// One decimal is a tenth of a pixel.
  private func number(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let rest = tenths.magnitude % 10
    let whole = "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10)"
    return rest == 0 ? (tenths == 0 ? "0" : whole) : "\(whole).\(rest)"
  }

  func xml(_ text: String) -> String { TextEscaping.xml(text) }
}

extension GraphPicture.Node {
  /// How a sentence names it.
  var reference: String { fold == nil ? "\(operation)" : name }
}

/// Where the legend's entries stand: one after the other, in as many rows as it takes.
struct LegendRows {
  private(set) var places: [GraphLayout.Point] = []
  private(set) var height = 18.0

  init(_ items: [LegendItem], width: Double) {
    var at = GraphLayout.Point(0, 0)
    for item in items {
      let text = item.text + (item.count.map { " \(grouped($0))" } ?? "")
      let length = Self.markWidth(item) + 7 + TextMetrics.width(of: text, size: 11.5)
      if at.x > 0, at.x + length > width { at = GraphLayout.Point(0, at.y + 26) }
      places.append(at)
      at.x += length + 22
    }
    height += at.y
  }

  static func markWidth(_ item: LegendItem) -> Double {
    switch item.mark {
    case .state, .unknown, .culprit, .barrier: 22
    case .fold: 26
    case .line: 27
    case .bar: 44
    }
  }
}
