/// The positions of the parts of a whole picture: head, graph, legend. Coordinates are in points, y downwards, with the
/// picture's upper left corner at zero. Every writer takes its positions from here.
struct PictureFrame {
  static let margin = 28.0

  let width: Double
  let height: Double
  /// Where the graph's own origin is placed.
  let graphOrigin: GraphLayout.Point
  let legendTop: Double
  let legend: LegendRows

  init(_ picture: GraphPicture, _ layout: GraphLayout) {
    let bounds = layout.bounds
    let entries = picture.legend
    let textWidth = max(
      TextMetrics.width(of: picture.title, size: 19, bold: true), TextMetrics.width(of: picture.subtitle, size: 12),
      // A note ends with what to do, so it is worth the room.
      picture.verdicts.lazy.filter { $0.kind == .note }.map(\.drawnWidth).max() ?? 0,
      entries.lazy.map(LegendRows.width).max() ?? 0)
    width = (max(bounds.width, min(textWidth, 1100), 560) + 2 * Self.margin).rounded(.up)
    legend = LegendRows(entries, width: width - 2 * Self.margin)
    let graphTop = Self.margin + 42 + Double(picture.verdicts.count) * 17 + 18
    graphOrigin = GraphLayout.Point(Self.margin - bounds.minX, graphTop - bounds.minY)
    legendTop = graphTop + bounds.height + 24
    height = (legendTop + legend.height + Self.margin - 8).rounded(.up)
  }

  /// The width between the margins.
  var innerWidth: Double { width - 2 * Self.margin }
  /// The greatest width of a line of the head.
  var headWidth: Double { max(innerWidth, 300) }
  static let titleBaseline = margin + 15
  static let subtitleBaseline = margin + 36
  static func verdictBaseline(_ line: Int) -> Double { margin + 54 + Double(line) * 17 }
}

extension GraphPicture.Verdict {
  /// The width of the verdict as drawn, in points.
  fileprivate var drawnWidth: Double {
    TextMetrics.width(of: lead + " ", size: DrawnRole.lead.size, bold: DrawnRole.lead.isBold)
      + TextMetrics.width(of: text, size: DrawnRole.verdict(kind).size)
  }
}

extension GraphPicture {
  /// The edges in drawing order: plain edges first, so that the critical path and the cycles lie on top.
  var edgesFromBelow: [Int] {
    edges.indices.filter { !edges[$0].isCritical && !edges[$0].isCycle }
      + edges.indices.filter { edges[$0].isCritical && !edges[$0].isCycle }
      + edges.indices.filter { edges[$0].isCycle }
  }
}

extension GraphLayout.Curve {
  /// Returns the arrow's head, from the line's end to the tip. Nil if there is no room for one.
  func head(halfWidth: Double) -> [GraphLayout.Point]? {
    guard let last = points.last else { return nil }
    let length = ((tip.x - last.x) * (tip.x - last.x) + (tip.y - last.y) * (tip.y - last.y)).squareRoot()
    guard length > 0.5 else { return nil }
    let along = GraphLayout.Point((tip.x - last.x) / length, (tip.y - last.y) / length)
    return [
      tip, GraphLayout.Point(last.x - along.y * halfWidth, last.y + along.x * halfWidth),
      GraphLayout.Point(last.x + along.y * halfWidth, last.y - along.x * halfWidth),
    ]
  }
}

extension GraphMetrics {
  /// Returns the cards that show behind a box of several operations, the farther one first.
  static func cards(behind box: GraphLayout.Box) -> [GraphLayout.Box] {
    let step = box.height > 30 ? 3.0 : 2
    return [2 * step, step].map {
      GraphLayout.Box(minX: box.minX + $0, minY: box.minY + $0, maxX: box.maxX + $0, maxY: box.maxY + $0)
    }
  }
}

extension GraphPicture.Edge {
  /// Half the width of the arrow's head, in points.
  var headHalfWidth: Double { isCritical || isCycle ? 4.4 : 3.2 }
}

extension GraphPicture.Node {
  /// Whether the operation has not begun.
  var isDashed: Bool { [.pending, .stalled].contains(state) && !isCulprit }
}

extension GraphPicture.BarPart {
  /// The height of the part. The three times differ in height too: a thin line, a low bar, a full bar.
  var height: Double {
    switch kind {
    case .blocked: 1.5
    case .queued: 3
    case .ran: 4.5
    }
  }

  /// Returns the part's position within a bar of this width. Anything that happened is at least one point wide, so that
  /// it is visible.
  func span(in width: Double) -> (from: Double, length: Double) {
    let length = max(1, (to - from) * width)
    return (min(from * width, width - length), length)
  }

  /// The sample that the legend shows.
  static let legend = [
    Self(kind: .blocked, from: 0, to: 0.3), Self(kind: .queued, from: 0.3, to: 0.5),
    Self(kind: .ran, from: 0.5, to: 0.85),
  ]
}
