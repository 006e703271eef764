extension GraphLayout {
  /// Makes lanes as wide as the picture, and puts their titles in their upper left corners.
  ///
  /// The column of the titles contains nothing else, so a title can go anywhere in it without meeting a line.
  public mutating func alignLanes() {
    guard !lanes.isEmpty else { return }
    clampEdges()
    let inner = bounds
    for number in lanes.indices {
      lanes[number].minX = inner.minX
      lanes[number].maxX = inner.maxX
      let top = lanes[number].minY + 8
      let height = titles[number].height
      // In a lane with a single row, a title in the middle looks better than one at the top.
      let isLow = lanes[number].height < height + 44
      let minY = isLow ? (lanes[number].minY + lanes[number].maxY - height) / 2 : top
      titles[number].minY = minY
      titles[number].maxY = minY + height
    }
  }

  /// Turns the layout upside down if that brings earlier lanes and operations to the top. A layout algorithm leaves the
  /// orientation to chance.
  public mutating func orderFromTop() {
    var score = 0
    for (one, next) in zip(lanes, lanes.dropFirst()) { score += one.minY < next.minY ? 2 : -2 }
    let order = nodes.indices.sorted { (nodes[$0].x, nodes[$0].y) < (nodes[$1].x, nodes[$1].y) }
    for (one, next) in zip(order, order.dropFirst()) where abs(nodes[one].x - nodes[next].x) < 1 {
      score += one < next ? 1 : -1
    }
    guard score < 0 else { return }
    let area = bounds
    let sum = area.minY + area.maxY
    for number in nodes.indices { nodes[number].y = sum - nodes[number].y }
    for number in edges.indices {
      guard var curve = edges[number] else { continue }
      curve.tip.y = sum - curve.tip.y
      for point in curve.points.indices { curve.points[point].y = sum - curve.points[point].y }
      edges[number] = curve
    }
    func mirror(_ box: inout Box) { (box.minY, box.maxY) = (sum - box.maxY, sum - box.minY) }
    for number in lanes.indices { mirror(&lanes[number]) }
    for number in titles.indices { mirror(&titles[number]) }
  }

  /// Moves the points of lines back between the lanes. A router may lead a line around the outside of all lanes. A
  /// Bézier curve stays within the hull of its points, so moving those is enough to keep it inside.
  private mutating func clampEdges() {
    guard let top = lanes.map(\.minY).min(), let bottom = lanes.map(\.maxY).max() else { return }
    let inset = 5.0
    for number in edges.indices {
      guard var curve = edges[number] else { continue }
      for point in curve.points.indices {
        curve.points[point].y = min(max(curve.points[point].y, top + inset), bottom - inset)
      }
      edges[number] = curve
    }
  }
}
