extension GraphLayout {
  /// Makes lanes as wide as the picture, and puts their titles to their upper left.
  ///
  /// The column of the titles holds nothing else, so a title may go anywhere in it without meeting a line.
  public mutating func alignLanes() {
    guard !lanes.isEmpty else { return }
    clampEdges()
    let inner = bounds
    for number in lanes.indices {
      lanes[number].minX = inner.minX
      lanes[number].maxX = inner.maxX
      let top = lanes[number].minY + 8
      let height = titles[number].height
      // In a lane of one row the middle looks better than the top.
      let isLow = lanes[number].height < height + 44
      let minY = isLow ? (lanes[number].minY + lanes[number].maxY - height) / 2 : top
      titles[number].minY = minY
      titles[number].maxY = minY + height
    }
  }

  /// A router may lead a line around outside all lanes. A Bézier curve stays within its points, so moving these is
  /// enough to keep it inside.
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
