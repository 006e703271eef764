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

  /// Around the texts of all edges: in the middle of each line, or as near to it as no box of an operation and no other
  /// text stands. Nil for edges without words. O(edges * pieces), more where it is crowded.
  public static func boxes(_ picture: GraphPicture, _ layout: GraphLayout) -> [GraphLayout.Box?] {
    var crowd = BoxCrowd()
    guard picture.edges.contains(where: { $0.label != nil }) else { return picture.edges.map { _ in nil } }
    for (node, centre) in zip(picture.nodes, layout.nodes) {
      var box = GraphLayout.Box(
        centre: centre, width: layout.metrics.nodeWidth, height: layout.metrics.height(of: node))
      if node.fold != nil, let card = GraphMetrics.cards(behind: box).first { box.include(card) }
      crowd.add(box)
    }
    for title in layout.titles { crowd.add(title) }
    return zip(picture.edges, layout.edges).map { edge, curve in
      guard let label = edge.label, let curve else { return nil }
      let places = curve.placesFromTheMiddle.map {
        GraphLayout.Box(centre: $0, width: width(of: label), height: height)
      }
      let free = places.first { crowd.count(meeting: $0) == 0 }
      guard let box = free ?? places.min(by: { crowd.count(meeting: $0) < crowd.count(meeting: $1) }) else {
        return nil
      }
      crowd.add(box)
      return box
    }
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
    return Self.point(points[(3 * piece)...(3 * piece + 3)], at: t)
  }
}

extension GraphLayout.Curve {
  /// Points of the line, the one in the middle of its length first, then outwards in turn.
  fileprivate var placesFromTheMiddle: [GraphLayout.Point] {
    var samples: [(point: GraphLayout.Point, way: Double)] = []
    var way = 0.0
    for piece in 0..<max(0, (points.count - 1) / 3) {
      // Half a text's height apart, so that no free place is missed.
      let ends = (points[3 * piece], points[3 * piece + 3])
      let steps = min(400, max(16, (abs(ends.0.x - ends.1.x) + abs(ends.0.y - ends.1.y)) / 7).rounded(.up))
      for step in 0...Int(steps) {
        let point = Self.point(points[(3 * piece)...(3 * piece + 3)], at: Double(step) / steps)
        if let last = samples.last?.point {
          way += ((point.x - last.x) * (point.x - last.x) + (point.y - last.y) * (point.y - last.y)).squareRoot()
        }
        samples.append((point, way))
      }
    }
    return [middle] + samples.sorted { abs($0.way - way / 2) < abs($1.way - way / 2) }.map(\.point)
  }

  private static func point(_ p: ArraySlice<GraphLayout.Point>, at t: Double) -> GraphLayout.Point {
    let u = 1 - t
    var result = GraphLayout.Point(0, 0)
    for (weight, point) in zip([u * u * u, 3 * t * u * u, 3 * t * t * u, t * t * t], p) {
      result.x += weight * point.x
      result.y += weight * point.y
    }
    return result
  }
}

/// Boxes, to be asked what meets them.
private struct BoxCrowd {
  private var boxes: [GraphLayout.Box] = []
  /// By square of the plane.
  private var squares: [[Int]: [Int]] = [:]
  private static let side = 256.0

  mutating func add(_ box: GraphLayout.Box) {
    for square in Self.squares(of: box) { squares[square, default: []].append(boxes.count) }
    boxes.append(box)
  }

  func count(meeting box: GraphLayout.Box) -> Int {
    let near = Set(Self.squares(of: box).flatMap { squares[$0] ?? [] })
    return near.count { number in
      let other = boxes[number]
      return box.minX < other.maxX && other.minX < box.maxX && box.minY < other.maxY && other.minY < box.maxY
    }
  }

  private static func squares(of box: GraphLayout.Box) -> [[Int]] {
    func number(_ value: Double) -> Int { Int((min(max(value, -1e9), 1e9) / side).rounded(.down)) }
    return (number(box.minX)...number(box.maxX)).flatMap { x in
      (number(box.minY)...number(box.maxY)).map { [x, $0] }
    }
  }
}

extension GraphPicture {
  /// Between two columns, in points: room for the lines, and for the words on them.
  public var columnGap: Double {
    edges.reduce(52) { max($0, $1.label.map { EdgeLabel.width(of: $0) + 44 } ?? 0) }
  }
}
