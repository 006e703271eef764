import OpTraceText

/// Draws the body of a picture with more boxes than ``GraphPicture/mostDetailed``: whole numbers, and ``LeanTiles``
/// instead of an element for every operation and edge, each of which costs a browser some fifty microseconds. When
/// names are legible, the script makes the elements, with the ids and classes of the full form. A viewer without
/// scripts shows all boxes and lines, but no names.
extension SVGCanvas {
  mutating func beginLean() {
    let (metrics, bounds) = (drawing.layout.metrics, drawing.layout.bounds)
    tiles = LeanTiles()
    leanTints = tints
    out += "<g class=\"lean\" data-side=\"\(LeanTiles.side)\""
    let origin = GraphDrawing.leanOrigin
    out += " data-box=\"\(-Int(origin.x)) \(-Int(origin.y)) \(Int(metrics.nodeWidth)) \(Int(metrics.nodeHeight))\""
    out += " data-bounds=\"\(whole(GraphLayout.Point(bounds.minX, bounds.minY)))"
    out += " \(whole(GraphLayout.Point(bounds.width, bounds.height)))\">\n"
  }

  mutating func endLean() {
    tiles?.write(to: &out)
    tiles = nil
    out += "</g>\n"
  }

  mutating func leanBox(_ box: GraphLayout.Box) {
    guard case .node(let index)? = leanPart else { return }
    let (x, y) = (leanOrigin.x + Int(box.minX), leanOrigin.y + Int(box.minY))
    let width = Int(box.width)
    let path = "M\(pair(x, y))h\(width)v\(Int(box.height))h-\(width)z"
    let look = boxLook(of: picture.nodes[index])
    tiles?.add(box: path, look: look, at: leanOrigin)
  }

  mutating func leanLine(_ curve: GraphLayout.Curve, halfWidth: Double) {
    guard case .edge(let index)? = leanPart, let first = curve.points.first else { return }
    let start = (x: Int(first.x.rounded()), y: Int(first.y.rounded()))
    var path = "M\(pair(start.x, start.y))"
    // Points are relative to the last end point, which takes fewer digits.
    var last = first
    for (number, point) in curve.points.dropFirst().enumerated() {
      path += (number % 3 == 0 ? "c" : " ") + whole(point, from: last)
      if number % 3 == 2 { last = point }
    }
    var head = ""
    if let points = curve.head(halfWidth: halfWidth) {
      head = "M" + points.map { whole($0) }.joined(separator: "L") + "z"
    }
    let edge = picture.edges[index]
    let (id, look) = (picture.id(of: edge), picture.cssClass(of: edge))
    let layer = edge.isCycle ? 2 : edge.isCritical ? 1 : 0
    tiles?.add(line: path, head: head, id: id, look: look, layer: layer, from: start)
  }

  mutating func leanText(_ words: DrawnWords) {
    guard case .node(let index)? = leanPart else { return }
    let node = picture.nodes[index]
    let (look, lane) = (picture.cssClass(of: node), picture.lanes[node.lane].title)
    let whole = words.text.contains(node.name) ? nil : node.leanName(nil)
    tiles?.add(operation: node.id, look: look, lane: lane, shown: words.text, name: whole, at: leanOrigin)
  }

  /// Returns the classes that boxes of one look share. Of the queue, they include only what is visible, so that a tile
  /// has few paths however many queues there are.
  private func boxLook(of node: GraphPicture.Node) -> String {
    var look = "boxes \(node.look)"
    if node.isCritical { look += " critical" }
    if node.isUnknown { look += " unknown" }
    if node.isCulprit { look += " culprit" }
    let tint = leanTints[node.lane]
    return tint.isEmpty ? look : "\(look) \(tint)"
  }

  /// For each lane, the class of the first lane with the same tint; empty if boxes are not tinted.
  private var tints: [String] {
    var first: [LaneStyle: String] = [:]
    return picture.lanes.map { lane in
      guard !drawing.layout.metrics.hasLanes, lane.isBoxed, !lane.nodeClass.isEmpty else { return "" }
      if let known = first[lane.style] { return known }
      first[lane.style] = lane.nodeClass
      return lane.nodeClass
    }
  }

  /// Writes two numbers. A minus sign separates them as well as a blank does.
  private func pair(_ x: Int, _ y: Int) -> String { "\(x)\(y < 0 ? "" : " ")\(y)" }

  private func whole(_ point: GraphLayout.Point, from start: GraphLayout.Point = GraphLayout.Point(0, 0)) -> String {
    pair(Int(point.x.rounded()) - Int(start.x.rounded()), Int(point.y.rounded()) - Int(start.y.rounded()))
  }
}
