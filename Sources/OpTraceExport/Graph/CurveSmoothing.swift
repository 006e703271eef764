extension GraphLayout {
  /// Gives every edge between neighbouring columns one plain S from the middle of a side to the middle of a side.
  ///
  /// Nothing stands between two columns, so nothing is met; a router that knows only boxes winds where the gap is
  /// narrow and the way is high.
  /// - Parameter widest: the widest gap that counts as one between neighbours, in points.
  public mutating func smoothShortEdges(of picture: GraphPicture, widest: Double) {
    for (number, edge) in picture.edges.enumerated() where edge.from != edge.to {
      let start = Point(nodes[edge.from].x + metrics.nodeWidth / 2, nodes[edge.from].y)
      let tip = Point(nodes[edge.to].x - metrics.nodeWidth / 2, nodes[edge.to].y)
      if nodes[edge.to].x < nodes[edge.from].x { liftEnds(number, edge) }
      let gap = tip.x - start.x
      guard gap > 16, gap <= widest else { continue }
      edges[number] = Self.curve(from: start, to: tip)
    }
  }

  /// A line of a cycle that runs back leaves where others arrive, and arrives where others leave. Some points higher it
  /// keeps an arrow's head of its own.
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

  /// An S that leaves and arrives level, with room for the arrow's head.
  static func curve(from start: Point, to tip: Point) -> Curve {
    let head = 8.0
    let end = Point(tip.x - head, tip.y)
    let bend = min(max((end.x - start.x) * 0.55, 12), 140)
    return Curve(points: [start, Point(start.x + bend, start.y), Point(end.x - bend, end.y), end], tip: tip)
  }
}
