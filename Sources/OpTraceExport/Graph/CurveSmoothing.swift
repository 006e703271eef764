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
      let gap = tip.x - start.x
      guard gap > 16, gap <= widest else { continue }
      edges[number] = Self.curve(from: start, to: tip)
    }
  }

  /// An S that leaves and arrives level, with room for the arrow's head.
  static func curve(from start: Point, to tip: Point) -> Curve {
    let head = 8.0
    let end = Point(tip.x - head, tip.y)
    let bend = min(max((end.x - start.x) * 0.55, 12), 140)
    return Curve(points: [start, Point(start.x + bend, start.y), Point(end.x - bend, end.y), end], tip: tip)
  }
}
