/// A chain of cubic Bézier curves that share their end points: 3k + 1 points.
struct Outline: Sendable {
  private(set) var points: [GraphLayout.Point] = []
  private(set) var isClosed = false

  init(points: [GraphLayout.Point]) { self.points = points }

  /// Makes straight lines from corner to corner, and back to the first.
  init(corners: [GraphLayout.Point]) {
    points = Array(corners.prefix(1))
    for corner in corners.dropFirst() { line(to: corner) }
    close()
  }

  /// Makes a box with quarter circles as corners, clockwise from the end of the upper left corner.
  init(_ box: GraphLayout.Box, radius: Double) {
    let radius = min(radius, box.width / 2, box.height / 2)
    // The distance of a quarter circle's handles from its corner, as a fraction of the radius.
    let near = radius * 0.4477
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(x, y) }
    let (left, right, top, bottom) = (box.minX, box.maxX, box.minY, box.maxY)
    points = [point(left + radius, top)]
    line(to: point(right - radius, top))
    points += [point(right - near, top), point(right, top + near), point(right, top + radius)]
    line(to: point(right, bottom - radius))
    points += [point(right, bottom - near), point(right - near, bottom), point(right - radius, bottom)]
    line(to: point(left + radius, bottom))
    points += [point(left + near, bottom), point(left, bottom - near), point(left, bottom - radius)]
    line(to: point(left, top + radius))
    points += [point(left, top + near), point(left + near, top), point(left + radius, top)]
    isClosed = true
  }

  /// Returns one outline for each connected part of the path.
  static func all(of path: DrawnPath, at origin: GraphLayout.Point) -> [Outline] {
    func placed(_ point: GraphLayout.Point) -> GraphLayout.Point {
      GraphLayout.Point(origin.x + point.x, origin.y + point.y)
    }
    var all: [Outline] = []
    for step in path.steps {
      var outline = Outline(points: [])
      if case .move = step {} else { outline = all.popLast() ?? outline }
      switch step {
      case .move(let point), .line(let point): outline.line(to: placed(point))
      case .curve(let one, let other, let point): outline.points += [one, other, point].map(placed)
      case .close: outline.close()
      }
      all.append(outline)
    }
    return all
  }

  private mutating func line(to end: GraphLayout.Point) {
    guard let start = points.last else { return points = [end] }
    points += [
      GraphLayout.Point(start.x + (end.x - start.x) / 3, start.y + (end.y - start.y) / 3),
      GraphLayout.Point(end.x - (end.x - start.x) / 3, end.y - (end.y - start.y) / 3), end,
    ]
  }

  private mutating func close() {
    if let first = points.first, first != points.last { line(to: first) }
    isClosed = true
  }

  /// The end points of the curves.
  var knots: [GraphLayout.Point] { stride(from: 0, to: points.count, by: 3).map { points[$0] } }

  /// Points dense enough to look like the curve.
  var samples: [GraphLayout.Point] {
    var samples = Array(points.prefix(1))
    for start in stride(from: 0, to: points.count - 3, by: 3) {
      let (a, b, c, d) = (points[start], points[start + 1], points[start + 2], points[start + 3])
      // The polygon through the handles is never shorter than the curve.
      let length = a.distance(to: b) + b.distance(to: c) + c.distance(to: d)
      let count = min(max(1, Int(length / 3)), 1000)
      for number in 1...count {
        let t = Double(number) / Double(count)
        let u = 1 - t
        let (p, q, r, s) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        samples.append(
          GraphLayout.Point(p * a.x + q * b.x + r * c.x + s * d.x, p * a.y + q * b.y + r * c.y + s * d.y))
      }
    }
    return samples
  }
}

extension GraphLayout.Point {
  fileprivate func distance(to other: Self) -> Double {
    ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
  }

  fileprivate func toward(_ other: Self, _ part: Double) -> Self {
    Self(x + (other.x - x) * part, y + (other.y - y) * part)
  }
}

/// The pieces of a line that cannot be drawn in one go.
struct StrokedLine {
  /// The dashes of a broken line.
  private(set) var dashes: [[GraphLayout.Point]] = []
  /// The centres of round ends and round corners, and of dashes that are as short as they are wide.
  private(set) var dots: [GraphLayout.Point] = []

  init(_ outline: Outline, _ ink: GraphInk) {
    guard let dash = ink.dashes.first, let gap = ink.dashes.last, dash + gap > 0.5 else {
      if ink.isRound { dots = outline.knots }
      return
    }
    cut(outline.samples, dash, gap)
    if ink.isRound, dash < ink.width {
      dots = dashes.compactMap(\.first)
      dashes = []
    }
  }

  private mutating func cut(_ points: [GraphLayout.Point], _ dash: Double, _ gap: Double) {
    var isDash = true
    var left = dash
    var current = Array(points.prefix(1))
    for (from, to) in zip(points, points.dropFirst()) {
      let length = from.distance(to: to)
      var done = 0.0
      while length - done > left {
        done += left
        let point = from.toward(to, done / length)
        if isDash { dashes.append(current + [point]) }
        isDash.toggle()
        left = isDash ? dash : gap
        current = [point]
      }
      left -= length - done
      current.append(to)
    }
    if isDash, current.count > 1 { dashes.append(current) }
  }
}
