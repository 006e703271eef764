/// The short label on a line, and where it goes. All sizes are in points.
public enum EdgeLabel {
  static let size = 10.0
  static let padding = 4.0
  /// The distance from the box's lower edge up to the text's baseline.
  static let baseline = 3.5
  private static let height = 14.0

  /// Returns the box around the text, centred on the line.
  public static func box(_ text: String, on curve: GraphLayout.Curve) -> GraphLayout.Box {
    GraphLayout.Box(centre: curve.middle, width: width(of: text), height: height)
  }

  /// Returns the boxes around the labels of all edges: in the middle of each line, or as near to it as possible without
  /// touching an operation's box or another label. Nil for edges without a label, and for those whose line has no free
  /// spot; their tooltip says the same. Labels are placed in this order: those that say why something waits, those on
  /// the critical path, all others; within each group, those with the fewest free spots first. O(edges * pieces), more
  /// where it is crowded.
  public static func boxes(_ picture: GraphPicture, _ layout: GraphLayout) -> [GraphLayout.Box?] {
    var boxes: [GraphLayout.Box?] = picture.edges.map { _ in nil }
    let labelled = picture.edges.indices.filter { picture.edges[$0].label != nil && layout.edges[$0] != nil }
    guard !labelled.isEmpty else { return boxes }
    var crowd = crowd(of: picture, layout)
    let candidates = labelled.map { number -> [GraphLayout.Box] in
      guard let label = picture.edges[number].label, let curve = layout.edges[number] else { return [] }
      let width = width(of: label)
      return curve.pointsFromTheMiddle.lazy.map { GraphLayout.Box(centre: $0, width: width, height: height) }
        .filter { !crowd.isMet(by: $0) }
    }
    let order = labelled.indices.sorted { one, other in
      let (first, second) = (picture.edges[labelled[one]], picture.edges[labelled[other]])
      return (first.rank, candidates[one].count, one) < (second.rank, candidates[other].count, other)
    }
    for number in order {
      guard let box = candidates[number].first(where: { !crowd.isMet(by: $0) }) else { continue }
      crowd.add(box)
      boxes[labelled[number]] = box
    }
    return boxes
  }

  /// Returns all obstacles: boxes with the cards behind them, and the titles of lanes.
  private static func crowd(of picture: GraphPicture, _ layout: GraphLayout) -> BoxCrowd {
    var crowd = BoxCrowd()
    for (node, centre) in zip(picture.nodes, layout.nodes) {
      var box = GraphLayout.Box(
        centre: centre, width: layout.metrics.nodeWidth, height: layout.metrics.height(of: node))
      if node.fold != nil, let card = GraphMetrics.cards(behind: box).first { box.include(card) }
      crowd.add(box)
    }
    for title in layout.titles { crowd.add(title) }
    return crowd
  }

  /// Returns the lane behind a label, from which its background takes its colour. Nil: the page is behind it.
  static func lane(of box: GraphLayout.Box, in picture: GraphPicture, _ layout: GraphLayout) -> Int? {
    let centre = GraphLayout.Point((box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2)
    return layout.lanes.indices.first { layout.lanes[$0].contains(centre) && picture.lanes[$0].isBoxed }
  }

  static func width(of text: String) -> Double {
    TextMetrics.width(of: text, size: size, bold: true) + 2 * padding
  }
}

extension GraphLayout.Curve {
  /// The point halfway along the line, counted in curve pieces.
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
  /// Points of the line: first the one halfway along its length, then others in order of distance from it.
  fileprivate var pointsFromTheMiddle: [GraphLayout.Point] {
    var samples: [(point: GraphLayout.Point, way: Double)] = []
    var way = 0.0
    for piece in 0..<max(0, (points.count - 1) / 3) {
      // The points are half a text's height apart, so that no free spot is missed.
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

/// A set of boxes that can be asked whether another box meets one of them.
private struct BoxCrowd {
  private var boxes: [GraphLayout.Box] = []
  /// The indexes of boxes, by square of the plane.
  private var squares: [[Int]: [Int]] = [:]
  private static let side = 256.0

  mutating func add(_ box: GraphLayout.Box) {
    for square in Self.squares(of: box) { squares[square, default: []].append(boxes.count) }
    boxes.append(box)
  }

  func isMet(by box: GraphLayout.Box) -> Bool {
    Self.squares(of: box).contains { square in
      (squares[square] ?? []).contains { number in
        let other = boxes[number]
        return box.minX < other.maxX && other.minX < box.maxX && box.minY < other.maxY && other.minY < box.maxY
      }
    }
  }

  private static func squares(of box: GraphLayout.Box) -> [[Int]] {
    func number(_ value: Double) -> Int { Int((min(max(value, -1e9), 1e9) / side).rounded(.down)) }
    return (number(box.minX)...number(box.maxX)).flatMap { x in
      (number(box.minY)...number(box.maxY)).map { [x, $0] }
    }
  }
}

extension GraphPicture.Edge {
  /// The priority of the label: first those that say why something waits, then those on the critical path, then all
  /// others.
  fileprivate var rank: Int {
    (kind != .dependency && kind != .submission && kind != .awaited) || isCycle ? 0 : isCritical ? 1 : 2
  }
}

extension GraphPicture {
  /// The gap between two columns, in points. It leaves room for the lines and their labels.
  public var columnGap: Double {
    edges.reduce(52) { max($0, $1.label.map { EdgeLabel.width(of: $0) + 44 } ?? 0) }
  }
}
