public import OpTraceText

/// A picture as SVG. It is one file that needs nothing from outside: it contains its style (light, dark, print) and a
/// small script that shows, on hover, focus or click, what an operation waits for and what waits for it.
///
/// Operations are `<g id="op-5" class="op finished critical q-network">`, edges `<g id="e-1-5" class="dep critical"
/// data-from="op-1" data-to="op-5">`, queues `<g id="queue-network" class="queue">`.
///
/// Above ``GraphPicture/mostDetailed`` boxes the file is kept lean, so that browsers can open it: operations and edges
/// become such elements only when the reader zooms in.
public enum SVGWriter {
  /// Returns the SVG text. O(n + e).
  public static func text(_ picture: GraphPicture, _ layout: GraphLayout) -> String {
    drawn(GraphDrawing(picture, layout)).out
  }

  /// Writes the same bytes as ``text(_:_:)``, and hands them on as they are made. Throws what `sink` throws.
  public static func write(_ picture: GraphPicture, _ layout: GraphLayout, to sink: ByteSink) throws {
    try withoutActuallyEscaping(sink) { sink in
      let drawing = GraphDrawing(picture, layout)
      var canvas = SVGCanvas(drawing, sink: sink)
      try drawing.draw(on: &canvas)
      try canvas.flush()
    }
  }

  package static func embedded(_ picture: GraphPicture, _ layout: GraphLayout) -> (svg: String, style: String) {
    let canvas = drawn(GraphDrawing(picture, layout), isEmbedded: true)
    return (canvas.out, canvas.style)
  }

  private static func drawn(_ drawing: GraphDrawing, isEmbedded: Bool = false) -> SVGCanvas {
    var canvas = SVGCanvas(drawing, isEmbedded: isEmbedded)
    // Nothing throws without a sink.
    try? drawing.draw(on: &canvas)
    return canvas
  }
}

/// Writes a ``GraphDrawing`` as SVG. A part is a group with a class, an id and a tooltip; a shape is an element with
/// the class of its role. ``SVGStyle`` defines how they look.
struct SVGCanvas: GraphCanvas {
  let picture: GraphPicture
  let drawing: GraphDrawing
  private let isEmbedded: Bool
  /// The destination. Nil: everything is kept in `out`.
  private let sink: ByteSink?
  var out = ""
  /// The tiles drawn so far, inside the body of a picture with very many boxes (`SVGCanvas+Lean.swift`).
  var tiles: LeanTiles?
  /// The edge or operation that is open in that body.
  private(set) var leanPart: DrawnPart?
  /// The origin of that edge or operation.
  private(set) var leanOrigin = (x: 0, y: 0)
  /// The tint classes, by lane.
  var leanTints: [String] = []
  private var isLean: Bool { tiles != nil }

  private static let font = "Helvetica, Arial, DejaVu Sans, sans-serif"

  /// - Parameter isEmbedded: whether the SVG is part of a page, which has a script and a style of its own.
  init(_ drawing: GraphDrawing, isEmbedded: Bool = false, sink: ByteSink? = nil) {
    self.drawing = drawing
    self.isEmbedded = isEmbedded
    self.sink = sink
    picture = drawing.picture
  }

  var style: String {
    let hasLanes = drawing.layout.metrics.hasLanes
    return SVGStyle.css(picture, hasLanes: hasLanes)
      + (picture.isLean ? SVGStyle.lean(picture, hasLanes: hasLanes) : "")
  }

  mutating func handOn() throws { try flush(above: 1 << 16) }

  mutating func flush(above limit: Int = 0) throws {
    guard let sink, out.utf8.count > limit else { return }
    try out.withUTF8 { try sink(UnsafeRawBufferPointer($0)) }
    out.removeAll(keepingCapacity: true)
  }

  // MARK: Parts

  mutating func begin(_ part: DrawnPart, at origin: GraphLayout.Point) {
    if isLean {
      // Inside a tile, a part is no element of its own.
      (leanPart, leanOrigin) = (part, (Int(origin.x), Int(origin.y)))
      return
    }
    switch part {
    case .picture: beginPicture()
    case .head: out += "<g class=\"head\">\n"
    case .graph: out += "<g\(translation(origin))>\n"
    case .body: if picture.isLean { beginLean() }
    case .lane(let number): beginLane(number)
    case .edge(let number): beginEdge(number)
    case .label(let number, let lane): beginLabel(number, lane)
    case .node(let number): beginNode(number, origin)
    case .legend: out += "<g class=\"legend\"\(translation(origin))>\n"
    case .entry: out += "<g\(translation(origin))>"
    case .mark(let mark): out += "<g class=\"\(picture.cssClass(of: mark))\">"
    }
  }

  mutating func end(_ part: DrawnPart) {
    if isLean, part != .body { return }
    switch part {
    case .picture:
      let script = picture.isLean ? SVGScript.lean : SVGScript.full
      if !isEmbedded { out += "<script><![CDATA[\n\(script)]]></script>\n" }
      out += "</svg>\n"
    case .body: if picture.isLean { endLean() }
    case .mark: out += "</g>"
    default: out += "</g>\n"
    }
  }

  private mutating func beginPicture() {
    let (width, height) = (number(drawing.frame.width), number(drawing.frame.height))
    if !isEmbedded { out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" }
    out += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"optrace-graph\" role=\"img\" width=\"\(width)\" "
    out += "height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\" font-family=\"\(Self.font)\""
    if !isEmbedded {
      // The picture shrinks to fit the window, but not so far that it becomes illegible.
      let least = number(drawing.frame.width * 0.55)
      out += " style=\"width:100%;min-width:\(least)px;max-width:\(width)px;height:auto\""
    }
    out += ">\n<title>\(xml(picture.title)): operations and their dependencies</title>\n"
    let lines = [picture.subtitle] + picture.verdicts.map { "\($0.lead) \($0.text)" }
    out += "<desc>\(xml(lines.joined(separator: "\n")))</desc>\n"
    if !isEmbedded { out += "<style><![CDATA[\n\(style)]]></style>\n" }
    out += "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
  }

  private mutating func beginLane(_ index: Int) {
    let lane = picture.lanes[index]
    out += "<g id=\"\(lane.id)\" class=\"\(lane.isBoxed ? "queue" : "outside") lane-\(index)"
    out += "\(lane.isCulprit ? " culprit" : "")\"><title>\(xml(lane.tooltip))</title>"
  }

  private mutating func beginEdge(_ index: Int) {
    let edge = picture.edges[index]
    out += "<g id=\"\(picture.id(of: edge))\" class=\"\(picture.cssClass(of: edge))\""
    let (from, to) = (picture.nodes[edge.from], picture.nodes[edge.to])
    let link =
      switch edge.kind {
      case .slot: "waited for the slot of"
      case .submission: "was submitted by"
      case .awaited: "waits for"
      default: "waits for"
      }
    out += " data-from=\"\(from.id)\" data-to=\"\(to.id)\">"
    out += "<title>\(xml(to.reference)) \(link) \(xml(from.reference))"
    if let label = edge.label { out += ": " + xml(label) }
    out += "</title>"
  }

  private mutating func beginLabel(_ index: Int, _ lane: Int?) {
    let edge = picture.edges[index]
    let ground = lane.map { " on-\($0)" } ?? ""
    out += "<g class=\"dep words\(picture.cssClass(of: edge).dropFirst("dep".count))\(ground)\" "
    out += "data-from=\"\(picture.nodes[edge.from].id)\" data-to=\"\(picture.nodes[edge.to].id)\">"
  }

  private mutating func beginNode(_ index: Int, _ origin: GraphLayout.Point) {
    let node = picture.nodes[index]
    out += "<g id=\"\(node.id)\" class=\"\(picture.cssClass(of: node))\""
    out += " tabindex=\"0\"\(translation(origin))"
    if let fold = node.fold { out += " data-count=\"\(fold.count)\"" }
    out += "><title>\(xml(node.tooltip))</title>"
  }

  // MARK: Shapes

  mutating func box(_ box: GraphLayout.Box, radius: Double, _ role: DrawnRole) {
    if isLean { return leanBox(box) }
    out += "<rect class=\"\(role.cssClass)\" x=\"\(number(box.minX))\" y=\"\(number(box.minY))\" "
    out += "width=\"\(number(box.width))\" height=\"\(number(box.height))\""
    if radius > 0 { out += " rx=\"\(number(radius))\"" }
    out += "/>"
  }

  mutating func path(_ path: DrawnPath, at origin: GraphLayout.Point, _ role: DrawnRole) {
    out += "<path class=\"\(role.cssClass)\"\(translation(origin)) d=\""
    for step in path.steps {
      switch step {
      case .move(let point): out += "M\(pair(point))"
      case .line(let point): out += "L\(pair(point))"
      case .curve(let one, let other, let point): out += "C\(pair(one)) \(pair(other)) \(pair(point))"
      case .close: out += "Z"
      }
    }
    out += "\"/>"
  }

  mutating func arrow(_ curve: GraphLayout.Curve, halfWidth: Double) {
    if isLean { return leanLine(curve, halfWidth: halfWidth) }
    guard let first = curve.points.first else { return }
    out += "<path class=\"line\" d=\"M\(pair(first))"
    for (number, point) in curve.points.dropFirst().enumerated() {
      out += (number % 3 == 0 ? "C" : " ") + pair(point)
    }
    out += "\"/>"
    if let head = curve.head(halfWidth: halfWidth) {
      out += "<path class=\"tip\" d=\"M\(head.map(pair).joined(separator: "L"))Z\"/>"
    }
  }

  mutating func text(_ words: DrawnWords, _ more: DrawnWords?, at: GraphLayout.Point, _ role: DrawnRole) {
    if isLean { return leanText(words) }
    out += "<text"
    let name = role.cssClass
    if !name.isEmpty { out += " class=\"\(name)\"" }
    // Zero is the default for x and y.
    if at.x != 0 { out += " x=\"\(number(at.x))\"" }
    if at.y != 0 { out += " y=\"\(number(at.y))\"" }
    out += ">"
    write(words, in: role)
    if let more {
      out += " "
      write(more, in: role)
    }
    out += "</text>"
    switch role {
    case .title, .subtitle, .verdict: out += "\n"
    default: break
    }
  }

  private mutating func write(_ words: DrawnWords, in role: DrawnRole) {
    let text = xml(words.text)
    out += words.role == role ? text : "<tspan class=\"\(words.role.cssClass)\">\(text)</tspan>"
  }

  // MARK: Pieces

  /// Returns the transform attribute; empty if it would move nothing.
  private func translation(_ point: GraphLayout.Point) -> String {
    point == GraphLayout.Point(0, 0) ? "" : " transform=\"translate(\(pair(point)))\""
  }

  private func pair(_ point: GraphLayout.Point) -> String { "\(number(point.x)) \(number(point.y))" }

  /// Formats a number with one decimal, which is a tenth of a pixel.
  private func number(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let rest = tenths.magnitude % 10
    let whole = "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10)"
    return rest == 0 ? (tenths == 0 ? "0" : whole) : "\(whole).\(rest)"
  }

  private func xml(_ text: String) -> String { TextEscaping.xml(text) }
}

extension DrawnRole {
  /// The class in the SVG. Empty: none.
  var cssClass: String {
    switch self {
    case .title: "title"
    case .subtitle: "subtitle"
    case .verdict(let kind): "verdict \(kind.rawValue)"
    case .lead: "lead"
    case .laneBox: "lane-box"
    case .laneTitle: "lane-title"
    case .laneCaption: "lane-caption"
    case .line: "line"
    case .tip: "tip"
    case .ground: "ground"
    case .label: "label"
    case .box: "box"
    case .card: "card"
    case .gate: "gate"
    case .sign: "sign"
    case .name: "name"
    case .caption: "caption"
    case .track: "track"
    case .bar(let kind): kind.rawValue
    case .count: "count"
    case .leanName, .entry: ""
    }
  }
}

extension GraphPicture {
  /// Returns the classes of what a sample explains.
  fileprivate func cssClass(of mark: LegendItem.Mark) -> String {
    switch mark {
    case .state(let state): "op \(state.rawValue)"
    case .difference(let difference): "op \(difference.rawValue)"
    case .unknown: "op \(mark.shownState.rawValue) unknown"
    case .culprit: "op \(mark.shownState.rawValue) culprit"
    case .line(let line): cssClass(of: line.sample)
    case .barrier: "op \(mark.shownState.rawValue) barrier"
    case .fold, .many, .bar: "op \(mark.shownState.rawValue)"
    }
  }
}

extension GraphPicture.Node {
  /// How a sentence refers to the node.
  fileprivate var reference: String { fold == nil ? "\(operation)" : name }
}
