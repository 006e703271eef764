import OpTraceModel

extension GraphDrawing {
  /// Draws an entry: a sample that looks as it does in the picture, what it means, and how often it occurs.
  func drawEntry(_ item: LegendItem, _ at: GraphLayout.Point, on canvas: inout some GraphCanvas) {
    canvas.begin(.entry, at: at)
    canvas.begin(.mark(item.mark))
    drawMark(item.mark, on: &canvas)
    canvas.end(.mark(item.mark))
    canvas.text(
      DrawnWords(item.text, .entry), item.count.map { DrawnWords(grouped($0), .count) },
      at: GraphLayout.Point(LegendRows.markWidth(item) + 7, 12.5), .entry)
    canvas.end(.entry)
  }

  private func drawMark(_ mark: LegendItem.Mark, on canvas: inout some GraphCanvas) {
    let box = GraphLayout.Box(minX: 0, minY: 0, maxX: 22, maxY: 17)
    switch mark {
    case .state, .unknown, .culprit, .difference:
      canvas.box(box, radius: 4, .box)
      canvas.path(mark.path, at: GraphLayout.Point(5.5, 3), .sign)
    case .barrier:
      canvas.box(box, radius: 4, .box)
      drawGate(box, inset: 4, on: &canvas)
    case .fold:
      for card in GraphMetrics.cards(behind: box) { canvas.box(card, radius: 4, .card) }
      canvas.box(box, radius: 4, .box)
    case .many: canvas.text(DrawnWords("×n", .count), at: GraphLayout.Point(3, 12.5))
    case .bar: drawBar(GraphPicture.BarPart.legend, GraphLayout.Point(0, 8.5), width: 44, on: &canvas)
    case .line:
      let (from, to) = (GraphLayout.Point(0, 8.5), GraphLayout.Point(20, 8.5))
      canvas.arrow(GraphLayout.Curve(points: [from, from, to, to], tip: GraphLayout.Point(27, 8.5)), halfWidth: 4)
    }
  }
}

/// The positions of the legend's entries: one after another, in as many rows as needed.
struct LegendRows {
  let items: [LegendItem]
  private(set) var origins: [GraphLayout.Point] = []
  private(set) var height = 18.0

  init(_ items: [LegendItem], width: Double) {
    self.items = items
    var at = GraphLayout.Point(0, 0)
    for item in items {
      let length = Self.width(of: item)
      if at.x > 0, at.x + length > width { at = GraphLayout.Point(0, at.y + 26) }
      origins.append(at)
      at.x += length + 22
    }
    height += at.y
  }

  static func width(of item: LegendItem) -> Double {
    let text = item.text + (item.count.map { " \(grouped($0))" } ?? "")
    return markWidth(item) + 7 + TextMetrics.width(of: text, size: DrawnRole.entry.size)
  }

  static func markWidth(_ item: LegendItem) -> Double {
    switch item.mark {
    case .state, .unknown, .culprit, .barrier, .difference: 22
    case .fold: 26
    case .many: 20
    case .line: 27
    case .bar: 44
    }
  }
}
