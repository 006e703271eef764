extension GraphLayout {
  /// Gives every edge between neighbouring columns one plain S-curve, from the middle of one side to the middle of the
  /// other.
  ///
  /// There is nothing between two such columns that the curve could hit. A router that knows only boxes makes bends
  /// where the gap is narrow and the difference in height large.
  /// - Parameter widest: the widest gap between columns that still count as neighbours, in points.
  public mutating func smoothShortEdges(of picture: GraphPicture, widest: Double) {
    let pairs = Set(picture.edges.map { [$0.from, $0.to] })
    for (number, edge) in picture.edges.enumerated() where edge.from != edge.to {
      if pairs.contains([edge.to, edge.from]), partPair(number, edge, widest: widest) { continue }
      let start = Point(nodes[edge.from].x + metrics.nodeWidth / 2, nodes[edge.from].y)
      let tip = Point(nodes[edge.to].x - metrics.nodeWidth / 2, nodes[edge.to].y)
      if nodes[edge.to].x < nodes[edge.from].x { liftEnds(number, edge) }
      let gap = tip.x - start.x
      guard gap > 16, gap <= widest else { continue }
      edges[number] = Self.curve(from: start, to: tip)
    }
  }

  /// Separates the lines of two neighbours that wait for each other: one line runs above the other, or their labels
  /// would collide. Returns false if the two are not neighbours.
  private mutating func partPair(_ number: Int, _ edge: GraphPicture.Edge, widest: Double) -> Bool {
    let half = metrics.nodeWidth / 2
    let isForward = nodes[edge.from].x < nodes[edge.to].x
    let side = isForward ? half : -half
    let shift = isForward ? 11.0 : -11.0
    let start = Point(nodes[edge.from].x + side, nodes[edge.from].y + shift)
    let tip = Point(nodes[edge.to].x - side, nodes[edge.to].y + shift)
    let gap = isForward ? tip.x - start.x : start.x - tip.x
    guard gap > 16, gap <= widest else { return false }
    edges[number] = Self.curve(from: start, to: tip)
    return true
  }

  /// Raises both ends of a cycle's line that runs backwards. It leaves where other lines arrive, and arrives where
  /// others leave; a few points higher, its arrowhead stays visible.
  private mutating func liftEnds(_ number: Int, _ edge: GraphPicture.Edge) {
    guard var curve = edges[number], curve.points.count >= 4 else { return }
    let lift = 10.0
    let last = curve.points.count - 1
    if abs(curve.points[0].y - nodes[edge.from].y) < 3 {
      for point in 0...1 { curve.points[point].y -= lift }
    }
    if abs(curve.tip.y - nodes[edge.to].y) < 3 {
      for point in (last - 1)...last { curve.points[point].y -= lift }
      curve.tip.y -= lift
    }
    edges[number] = curve
  }

  /// Returns an S-curve that leaves and arrives horizontally, with room for the arrowhead.
  static func curve(from start: Point, to tip: Point) -> Curve {
    let direction = tip.x < start.x ? -1.0 : 1
    let head = 8.0 * direction
    let end = Point(tip.x - head, tip.y)
    let bend = min(max(abs(end.x - start.x) * 0.55, 12), 140) * direction
    return Curve(points: [start, Point(start.x + bend, start.y), Point(end.x - bend, end.y), end], tip: tip)
  }
}
