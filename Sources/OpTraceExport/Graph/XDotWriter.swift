import OpTraceModel

/// The placed picture that ``SVGWriter`` draws, in light colours and without what only a browser can do (tooltips, dark
/// mode), for Graphviz to turn into PNG and PDF. Every place comes from the same ``GraphLayout``.
public struct XDotWriter: Sendable {
  /// In points.
  public let width: Double
  public let height: Double
  /// The picture as a value for a graph's attribute `_background`, for a graph of this size at zero.
  public private(set) var background = ""

  private let picture: GraphPicture
  private let layout: GraphLayout
  private let origin: GraphLayout.Point
  private var canvas: XDotCanvas

  /// O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    self.picture = picture
    self.layout = layout
    let frame = PictureFrame(picture, layout)
    width = frame.width
    height = frame.height
    origin = frame.graphOrigin
    canvas = XDotCanvas(height: frame.height)

    canvas.block(GraphLayout.Box(minX: 0, minY: 0, maxX: width, maxY: height), Palette.page.light)
    writeHead(frame)
    for (number, lane) in picture.lanes.enumerated() where number < layout.lanes.count { writeLane(number, lane) }
    for number in picture.edgesFromBelow { writeEdge(number) }
    for number in picture.edgesFromBelow { writeLabel(number) }
    for (number, node) in picture.nodes.enumerated() { writeNode(node, placed(layout.nodes[number])) }
    for (item, at) in zip(picture.legend, frame.legend.places) {
      writeLegend(item, GraphLayout.Point(PictureFrame.margin + at.x, frame.legendTop + at.y))
    }
    background = canvas.text
  }

  private func placed(_ point: GraphLayout.Point) -> GraphLayout.Point {
    GraphLayout.Point(point.x + origin.x, point.y + origin.y)
  }

  private func placed(_ box: GraphLayout.Box) -> GraphLayout.Box {
    GraphLayout.Box(
      minX: box.minX + origin.x, minY: box.minY + origin.y, maxX: box.maxX + origin.x, maxY: box.maxY + origin.y)
  }

  private mutating func writeHead(_ frame: PictureFrame) {
    let x = PictureFrame.margin
    let space = frame.headWidth
    canvas.write(
      TextMetrics.fitting(picture.title, into: space, size: 19, bold: true),
      at: GraphLayout.Point(x, PictureFrame.titleBaseline), size: 19, Palette.text.light, bold: true)
    canvas.write(
      TextMetrics.fitting(picture.subtitle, into: space, size: 12),
      at: GraphLayout.Point(x, PictureFrame.subtitleBaseline), size: 12, Palette.muted.light)
    for (line, verdict) in picture.verdicts.enumerated() {
      let y = PictureFrame.verdictBaseline(line)
      let lead = TextMetrics.width(of: verdict.lead + " ", size: 12, bold: true)
      let color = verdict.kind.color.light
      canvas.write(verdict.lead, at: GraphLayout.Point(x, y), size: 12, color, bold: true)
      canvas.write(
        TextMetrics.fitting(verdict.text, into: space - lead, size: 12), at: GraphLayout.Point(x + lead, y), size: 12,
        color)
    }
  }

  private mutating func writeLane(_ index: Int, _ lane: GraphPicture.Lane) {
    let box = placed(layout.lanes[index])
    let title = placed(layout.titles[index])
    if lane.isBoxed {
      canvas.fill(lane.style.fill.light)
      canvas.pen((lane.isCulprit ? Palette.cycle : lane.style.border).light, width: lane.isCulprit ? 2.4 : 1)
      canvas.roundedBox(box, radius: 10)
    }
    let color = lane.isBoxed ? lane.style.text.light : Palette.muted.light
    let x = box.minX + 14
    canvas.write(
      TextMetrics.fitting(lane.title, into: title.width - 4, size: GraphMetrics.laneTitleSize, bold: true),
      at: GraphLayout.Point(x, title.minY + 15), size: GraphMetrics.laneTitleSize, color, bold: true)
    canvas.write(
      TextMetrics.fitting(lane.caption, into: title.width - 4, size: GraphMetrics.captionSize),
      at: GraphLayout.Point(x, title.minY + 30), size: GraphMetrics.captionSize,
      lane.isCulprit ? Palette.cycle.light : color, bold: lane.isCulprit)
  }

  private mutating func writeEdge(_ index: Int) {
    guard let curve = layout.edges[index] else { return }
    let edge = picture.edges[index]
    let color = edge.color.light
    canvas.pen(color, width: edge.width, edge.stroke.line)
    canvas.curve(curve.points.map(placed))
    if let head = curve.head(halfWidth: edge.headHalfWidth) { writeHead(head.map(placed), color) }
  }

  private mutating func writeLabel(_ index: Int) {
    guard let label = picture.edges[index].label, let curve = layout.edges[index] else { return }
    let box = EdgeLabel.box(label, on: curve)
    let ground = EdgeLabel.lane(of: box, in: picture, layout).map { picture.lanes[$0].style.fill } ?? Palette.page
    let at = placed(box)
    canvas.block(at, ground.light)
    canvas.write(
      label, at: GraphLayout.Point(at.minX + EdgeLabel.padding, at.maxY - EdgeLabel.baseline), size: EdgeLabel.size,
      picture.edges[index].labelColor.light, bold: true)
  }

  private mutating func writeHead(_ points: [GraphLayout.Point], _ color: Color) {
    canvas.fill(color)
    canvas.pen(color, width: 0.01)
    canvas.polygon(points)
  }

  private mutating func writeNode(_ node: GraphPicture.Node, _ centre: GraphLayout.Point) {
    let metrics = layout.metrics
    let box = GraphLayout.Box(centre: centre, width: metrics.nodeWidth, height: metrics.height(of: node))
    let style = node.state.style
    if node.fold != nil {
      for card in GraphMetrics.cards(behind: box) { writeBox(card, radius: 8, node) }
    }
    writeBox(box, radius: 8, node)
    if node.isBarrier { writeGate(box, inset: 9, style.accent.light) }
    let pad = GraphMetrics.padding
    writeSign(node.state, GraphLayout.Point(box.minX + pad - 1, box.minY + 7.5))
    let nameWidth = metrics.nodeWidth - 2 * pad - GraphMetrics.signWidth
    canvas.write(
      TextMetrics.fitting(node.name, into: nameWidth, size: GraphMetrics.nameSize, bold: true),
      at: GraphLayout.Point(box.minX + pad + GraphMetrics.signWidth, box.minY + 18), size: GraphMetrics.nameSize,
      style.text.light, bold: true, struck: node.state == .cancelled)
    canvas.write(
      TextMetrics.fitting(node.caption, into: metrics.nodeWidth - 2 * pad, size: GraphMetrics.captionSize),
      at: GraphLayout.Point(box.minX + pad, box.minY + 32), size: GraphMetrics.captionSize,
      (node.state == .deadlocked ? style.text : Palette.muted).light)
    if let fold = node.fold {
      canvas.write(
        TextMetrics.fitting(fold.timesText, into: metrics.nodeWidth - 2 * pad, size: GraphMetrics.captionSize),
        at: GraphLayout.Point(box.minX + pad, box.minY + 45), size: GraphMetrics.captionSize, Palette.muted.light)
    }
    writeBar(
      node.bar, GraphLayout.Point(box.minX + pad, box.maxY - 7), width: metrics.nodeWidth - 2 * pad, style.accent.light
    )
  }

  private mutating func writeBox(_ box: GraphLayout.Box, radius: Double, _ node: GraphPicture.Node) {
    let isHeavy = [.executing, .deadlocked].contains(node.state)
    let border =
      node.isCulprit
      ? Palette.cycle : node.isCritical && node.state != .deadlocked ? Palette.critical : node.state.style.border
    canvas.fill(picture.fill(of: node, hasLanes: layout.metrics.hasLanes).light)
    canvas.pen(
      border.light, width: node.isCritical || node.isCulprit ? 2.8 : isHeavy ? 1.8 : 1.2,
      node.isUnknown ? .dotted : node.isDashed ? .dashed : .solid)
    canvas.roundedBox(box, radius: radius)
  }

  private mutating func writeGate(_ box: GraphLayout.Box, inset: Double, _ color: Color) {
    canvas.pen(color, width: 1.6)
    for x in [box.minX + 4, box.maxX - 4] {
      canvas.polyline([GraphLayout.Point(x, box.minY + inset), GraphLayout.Point(x, box.maxY - inset)])
    }
  }

  private mutating func writeBar(
    _ parts: [GraphPicture.BarPart], _ at: GraphLayout.Point, width: Double, _ ran: Color
  ) {
    func box(_ from: Double, _ length: Double, _ height: Double) -> GraphLayout.Box {
      GraphLayout.Box(minX: at.x + from, minY: at.y - height / 2, maxX: at.x + from + length, maxY: at.y + height / 2)
    }
    canvas.block(box(0, width, 4.5), Palette.track.light)
    for part in parts {
      let span = part.span(in: width)
      let color =
        switch part.kind {
        case .blocked: Palette.waitsForDependencies.light
        case .queued: Palette.waitsForSlot.light
        case .ran: ran
        }
      canvas.block(box(span.from, span.length, part.height), color)
    }
  }

  /// 11 points square, as the SVG's paths.
  private mutating func writeSign(_ state: ShownState, _ at: GraphLayout.Point) {
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(at.x + x, at.y + y) }
    let color = state.style.accent.light
    canvas.pen(color, width: 1.7)
    switch state {
    case .finished: canvas.polyline([point(1.5, 6), point(4.5, 9), point(9.5, 2.5)])
    case .executing, .ready:
      canvas.fill(state == .executing ? color : state.style.fill.light)
      canvas.polygon([point(2.5, 1.5), point(9.5, 5.5), point(2.5, 9.5)])
    case .pending: canvas.ellipse(point(5.5, 5.5), radius: 4)
    case .stalled:
      canvas.ellipse(point(5.5, 5.5), radius: 4)
      canvas.polyline([point(2.7, 8.3), point(8.3, 2.7)])
    case .cancelled:
      canvas.polyline([point(2, 2), point(9, 9)])
      canvas.polyline([point(9, 2), point(2, 9)])
    case .failed:
      canvas.polyline([point(5.5, 1), point(5.5, 6.5)])
      canvas.polyline([point(5.5, 8.6), point(5.5, 10)])
    case .deadlocked:
      // The ring of the SVG's arc, open at the upper right, and its arrow.
      canvas.curve([
        point(9.3, 3.2), point(7.6, 0.9), point(4.2, 0.5), point(2.2, 2.6), point(0.3, 4.7), point(0.8, 8.1),
        point(3.2, 9.5), point(5.9, 11.0), point(9.3, 9.6), point(10, 6.6),
      ])
      canvas.polyline([point(9.8, 0.6), point(9.8, 3.6), point(6.8, 3.6)])
    }
  }

  private mutating func writeLegend(_ item: LegendItem, _ at: GraphLayout.Point) {
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(at.x + x, at.y + y) }
    var box = GraphLayout.Box(minX: at.x, minY: at.y, maxX: at.x + 22, maxY: at.y + 17)
    func sample(_ state: ShownState, isUnknown: Bool = false, isCulprit: Bool = false) {
      canvas.fill(state.style.fill.light)
      canvas.pen(
        (isCulprit ? Palette.cycle : state.style.border).light,
        width: isCulprit ? 2.8 : [.executing, .deadlocked].contains(state) ? 1.8 : 1.2,
        isUnknown ? .dotted : [.pending, .stalled].contains(state) && !isCulprit ? .dashed : .solid)
      canvas.roundedBox(box, radius: 4)
    }
    switch item.mark {
    case .state(let state):
      sample(state)
      writeSign(state, point(5.5, 3))
    case .unknown:
      sample(.pending, isUnknown: true)
      writeSign(.pending, point(5.5, 3))
    case .culprit: sample(.stalled, isCulprit: true)
    case .fold:
      let front = box
      for card in GraphMetrics.cards(behind: front) {
        box = card
        sample(.finished)
      }
      box = front
      sample(.finished)
    case .line(let line):
      let color = line.color.light
      canvas.pen(color, width: line.width, line.stroke.line)
      canvas.polyline([point(0, 8.5), point(20, 8.5)])
      writeHead([point(27, 8.5), point(20, 4.5), point(20, 12.5)], color)
    case .barrier:
      sample(.finished)
      writeGate(box, inset: 4, ShownState.finished.style.accent.light)
    case .bar:
      writeBar(GraphPicture.BarPart.legend, point(0, 8.5), width: 44, ShownState.finished.style.accent.light)
    }
    let x = LegendRows.markWidth(item) + 7
    canvas.write(item.text, at: point(x, 12.5), size: 11.5, Palette.text.light)
    if let count = item.count {
      let after = TextMetrics.width(of: item.text + " ", size: 11.5)
      canvas.write(grouped(count), at: point(x + after, 12.5), size: 11.5, Palette.muted.light)
    }
  }
}

extension GraphPicture.Edge.Stroke {
  /// Graphviz knows one dash.
  fileprivate var line: XDotCanvas.Line {
    switch self {
    case .solid: .solid
    case .dashed, .longDashed: .dashed
    case .dotted: .dotted
    }
  }
}
