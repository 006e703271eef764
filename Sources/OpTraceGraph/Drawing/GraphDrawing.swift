import OpTraceModel

/// The one drawing of a laid-out picture, for any canvas: head, lanes, edges, operations, legend.
///
/// Above ``GraphPicture/mostDetailed`` boxes, an operation is just a box with a number and a name, because every
/// element costs a browser time.
struct GraphDrawing {
  let picture: GraphPicture
  let layout: GraphLayout
  let frame: PictureFrame
  /// The boxes of the words on edges.
  private let labels: [GraphLayout.Box?]

  init(_ picture: GraphPicture, _ layout: GraphLayout) {
    self.picture = picture
    self.layout = layout
    frame = PictureFrame(picture, layout)
    labels = picture.isLean ? [] : EdgeLabel.boxes(picture, layout)
  }

  /// Draws everything. O(n + e). Throws what the canvas throws.
  func draw<Canvas: GraphCanvas>(on canvas: inout Canvas) throws(Canvas.Failure) {
    canvas.begin(.picture)
    drawHead(on: &canvas)
    canvas.begin(.graph, at: frame.graphOrigin)
    for number in picture.lanes.indices where number < layout.lanes.count { drawLane(number, on: &canvas) }
    canvas.begin(.body)
    try drawBody(on: &canvas)
    canvas.end(.body)
    canvas.end(.graph)
    canvas.begin(.legend, at: GraphLayout.Point(PictureFrame.margin, frame.legendTop))
    for (item, at) in zip(frame.legend.items, frame.legend.origins) { drawEntry(item, at, on: &canvas) }
    canvas.end(.legend)
    canvas.end(.picture)
  }

  private func drawBody<Canvas: GraphCanvas>(on canvas: inout Canvas) throws(Canvas.Failure) {
    let progress = WorkProgress.reporter()
    let all = picture.edges.count + picture.nodes.count
    let edges = picture.edgesFromBelow
    for (done, number) in edges.enumerated() {
      progress.reportSometimes(done, of: all)
      drawEdge(number, on: &canvas)
      try canvas.handOn()
    }
    // Labels are drawn after all lines, so that no line runs through the words.
    if !picture.isLean {
      for number in edges { drawLabel(number, on: &canvas) }
    }
    for number in picture.nodes.indices {
      progress.reportSometimes(edges.count + number, of: all)
      if picture.isLean { drawLeanNode(number, on: &canvas) } else { drawNode(number, on: &canvas) }
      try canvas.handOn()
    }
  }

  private func drawHead(on canvas: inout some GraphCanvas) {
    let x = PictureFrame.margin
    let width = frame.headWidth
    canvas.begin(.head)
    canvas.text(
      DrawnWords(picture.title, .title, within: width), at: GraphLayout.Point(x, PictureFrame.titleBaseline))
    canvas.text(
      DrawnWords(picture.subtitle, .subtitle, within: width), at: GraphLayout.Point(x, PictureFrame.subtitleBaseline))
    for (line, verdict) in picture.verdicts.enumerated() {
      let role = DrawnRole.verdict(verdict.kind)
      let lead = TextMetrics.width(of: verdict.lead + " ", size: DrawnRole.lead.size, bold: DrawnRole.lead.isBold)
      canvas.text(
        DrawnWords(verdict.lead, .lead), DrawnWords(verdict.text, role, within: width - lead),
        at: GraphLayout.Point(x, PictureFrame.verdictBaseline(line)), role)
    }
    canvas.end(.head)
  }

  private func drawLane(_ index: Int, on canvas: inout some GraphCanvas) {
    let lane = picture.lanes[index]
    let title = layout.titles[index]
    let x = layout.lanes[index].minX + 14
    canvas.begin(.lane(index))
    if lane.isBoxed { canvas.box(layout.lanes[index], radius: 10, .laneBox) }
    canvas.text(
      DrawnWords(lane.title, .laneTitle, within: title.width - 4), at: GraphLayout.Point(x, title.minY + 15))
    canvas.text(
      DrawnWords(lane.caption, .laneCaption, within: title.width - 4), at: GraphLayout.Point(x, title.minY + 30))
    canvas.end(.lane(index))
  }

  private func drawEdge(_ index: Int, on canvas: inout some GraphCanvas) {
    guard let curve = layout.edges[index], !curve.points.isEmpty else { return }
    canvas.begin(.edge(index))
    canvas.arrow(curve, halfWidth: picture.edges[index].headHalfWidth)
    canvas.end(.edge(index))
  }

  private func drawLabel(_ index: Int, on canvas: inout some GraphCanvas) {
    guard let label = picture.edges[index].label, let box = labels[index] else { return }
    let part = DrawnPart.label(index, on: EdgeLabel.lane(of: box, in: picture, layout))
    canvas.begin(part)
    canvas.box(box, radius: 3, .ground)
    canvas.text(
      DrawnWords(label, .label), at: GraphLayout.Point((box.minX + box.maxX) / 2, box.maxY - EdgeLabel.baseline))
    canvas.end(part)
  }

  private func drawNode(_ index: Int, on canvas: inout some GraphCanvas) {
    let node = picture.nodes[index]
    let centre = layout.nodes[index]
    let (width, height) = (layout.metrics.nodeWidth, layout.metrics.height(of: node))
    let box = GraphLayout.Box(minX: 0, minY: 0, maxX: width, maxY: height)
    let pad = GraphMetrics.padding
    let inner = width - 2 * pad
    canvas.begin(.node(index), at: GraphLayout.Point(centre.x - width / 2, centre.y - height / 2))
    // In a comparison, every box is a pattern, even if it stands for a single operation.
    if node.fold != nil, node.difference == nil {
      for card in GraphMetrics.cards(behind: box) { canvas.box(card, radius: 8, .card) }
    }
    canvas.box(box, radius: 8, .box)
    if node.isBarrier { drawGate(box, inset: 9, on: &canvas) }
    canvas.path(node.signPath, at: GraphLayout.Point(pad - 1, 7.5), .sign)
    canvas.text(
      DrawnWords(node.name, .name, within: inner - GraphMetrics.signWidth),
      at: GraphLayout.Point(pad + GraphMetrics.signWidth, 18))
    canvas.text(DrawnWords(node.caption, .caption, within: inner), at: GraphLayout.Point(pad, 32))
    var line = 32.0
    if let fold = node.fold {
      line += GraphMetrics.lineHeight
      canvas.text(DrawnWords(fold.timesText, .caption, within: inner), at: GraphLayout.Point(pad, line))
    }
    if layout.metrics.namesLanes {
      line += GraphMetrics.lineHeight
      let lane = picture.lanes[node.lane].title
      canvas.text(DrawnWords(lane, .caption, within: inner), at: GraphLayout.Point(pad, line))
    }
    if node.difference == nil { drawBar(node.bar, GraphLayout.Point(pad, height - 7), width: inner, on: &canvas) }
    canvas.end(.node(index))
  }

  /// The start of a lean box's text, relative to the corner of the box.
  static let leanOrigin = GraphLayout.Point(9, 27)

  /// Draws a box with number and name. The text starts at the origin, so it needs no coordinates of its own.
  private func drawLeanNode(_ index: Int, on canvas: inout some GraphCanvas) {
    let centre = layout.nodes[index]
    let (width, height) = (layout.metrics.nodeWidth, layout.metrics.nodeHeight)
    let (left, above) = (Self.leanOrigin.x, Self.leanOrigin.y)
    canvas.begin(
      .node(index),
      at: GraphLayout.Point((centre.x - width / 2).rounded() + left, (centre.y - height / 2).rounded() + above))
    canvas.box(GraphLayout.Box(minX: -left, minY: -above, maxX: width - left, maxY: height - above), radius: 0, .box)
    let node = picture.nodes[index]
    let lane = layout.metrics.namesLanes ? picture.lanes[node.lane].title : nil
    var name = DrawnWords(node.leanName(lane), .leanName, within: width - 2 * left - GraphMetrics.signWidth)
    name.text = "\(node.sign) \(name.text)"
    canvas.text(name, at: GraphLayout.Point(0, 0))
    canvas.end(.node(index))
  }

  func drawGate(_ box: GraphLayout.Box, inset: Double, on canvas: inout some GraphCanvas) {
    let (top, bottom) = (box.minY + inset, box.maxY - inset)
    let (left, right) = (box.minX + 4, box.maxX - 4)
    canvas.path(
      DrawnPath([(left, top), (left, bottom)]).with([(right, top), (right, bottom)]), at: GraphLayout.Point(0, 0), .gate
    )
  }

  /// Draws a time bar. The three times differ in height too: a thin line, a low bar, a full bar.
  func drawBar(
    _ parts: [GraphPicture.BarPart], _ at: GraphLayout.Point, width: Double, on canvas: inout some GraphCanvas
  ) {
    func box(_ from: Double, _ length: Double, _ height: Double) -> GraphLayout.Box {
      GraphLayout.Box(minX: at.x + from, minY: at.y - height / 2, maxX: at.x + from + length, maxY: at.y + height / 2)
    }
    canvas.box(box(0, width, 4.5), radius: 1, .track)
    for part in parts {
      let span = part.span(in: width)
      canvas.box(box(span.from, span.length, part.height), radius: 0, .bar(part.kind))
    }
  }
}

extension GraphPicture.Node {
  /// Returns the text of a lean box. There is no caption, so the number precedes the name, and the queue follows it if
  /// no lane shows the queue.
  func leanName(_ lane: String?) -> String { "\(operation) \(name)" + (lane.map { " · \($0)" } ?? "") }
}
