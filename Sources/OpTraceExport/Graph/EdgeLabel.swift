/// The few words on a line: where they stand, in points.
public enum EdgeLabel {
  static let size = 10.0
  static let padding = 4.0
  /// From the box's lower edge up to the text's.
  static let baseline = 3.5
  private static let height = 14.0

  /// Around the text, in the middle of the line.
  public static func box(_ text: String, on curve: GraphLayout.Curve) -> GraphLayout.Box {
    GraphLayout.Box(centre: curve.middle, width: width(of: text), height: height)
  }

  /// What it stands on, which its own ground has to look like: a lane, or the page between them.
  static func lane(of box: GraphLayout.Box, in picture: GraphPicture, _ layout: GraphLayout) -> Int? {
    let centre = GraphLayout.Point((box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2)
    return layout.lanes.indices.first { layout.lanes[$0].contains(centre) && picture.lanes[$0].isBoxed }
  }

  static func width(of text: String) -> Double {
    TextMetrics.width(of: text, size: size, bold: true) + 2 * padding
  }
}

extension GraphLayout.Curve {
  /// The point of the line at which half of its pieces lie behind it.
  public var middle: GraphLayout.Point {
    let pieces = (points.count - 1) / 3
    guard pieces > 0 else { return points.first ?? tip }
    let half = Double(pieces) / 2
    let piece = min(Int(half), pieces - 1)
    let t = half - Double(piece)
    let p = points[(3 * piece)...(3 * piece + 3)].map(\.self)
    let weights = [(1 - t) * (1 - t) * (1 - t), 3 * t * (1 - t) * (1 - t), 3 * t * t * (1 - t), t * t * t]
    var result = GraphLayout.Point(0, 0)
    for (weight, point) in zip(weights, p) {
      result.x += weight * point.x
      result.y += weight * point.y
    }
    return result
  }
}

extension GraphPicture {
  /// Between two columns, in points: room for the lines, and for the words on them.
  public var columnGap: Double {
    edges.reduce(52) { max($0, $1.label.map { EdgeLabel.width(of: $0) + 44 } ?? 0) }
  }
}
