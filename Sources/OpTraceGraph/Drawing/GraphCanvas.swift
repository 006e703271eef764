import Foundation

/// What a ``GraphDrawing`` draws on: shapes and texts, each with a role. The canvas decides how a role looks: the SVG
/// canvas writes classes and has a style sheet; the image canvas asks ``GraphInk``.
///
/// Coordinates are in points, y downwards, from the origin of the part that is open.
protocol GraphCanvas {
  associatedtype Failure: Error

  mutating func begin(_ part: DrawnPart, at origin: GraphLayout.Point)
  mutating func end(_ part: DrawnPart)
  /// Draws a box, filled and outlined.
  mutating func box(_ box: GraphLayout.Box, radius: Double, _ role: DrawnRole)
  mutating func path(_ path: DrawnPath, at origin: GraphLayout.Point, _ role: DrawnRole)
  /// Draws a line with the role `line` and its head with the role `tip`.
  mutating func arrow(_ curve: GraphLayout.Curve, halfWidth: Double)
  /// Draws words on the baseline, from `at` to the right; a label is centred on `at`. `more` follows `words`, with a
  /// blank between them.
  /// - Parameter role: the role of the whole line; some of its words may have another.
  mutating func text(_ words: DrawnWords, _ more: DrawnWords?, at: GraphLayout.Point, _ role: DrawnRole)
  /// Hands on what was drawn so far. Called from time to time.
  mutating func handOn() throws(Failure)
}

extension GraphCanvas {
  mutating func begin(_ part: DrawnPart) { begin(part, at: GraphLayout.Point(0, 0)) }

  mutating func text(_ words: DrawnWords, at: GraphLayout.Point) { text(words, nil, at: at, words.role) }
}

/// A part of the drawing that shapes belong to. Parts are nested.
enum DrawnPart: Hashable, Sendable {
  /// Everything; opened first.
  case picture
  case head
  /// What the layout has placed: lanes, edges and nodes.
  case graph
  case lane(Int)
  /// Edges and operations, in this order.
  case body
  case edge(Int)
  /// The words of an edge, and the lane that they lie on.
  case label(Int, on: Int?)
  case node(Int)
  case legend
  case entry
  case mark(LegendItem.Mark)
}

/// The role of a shape or a text.
enum DrawnRole: Hashable, Sendable {
  case title, subtitle, verdict(GraphPicture.Verdict.Kind), lead
  case laneBox, laneTitle, laneCaption
  case line, tip, ground, label
  case box, card, gate, sign, name, caption
  /// The number and the name, where there is no room for more.
  case leanName
  case track, bar(GraphPicture.BarPart.Kind)
  case entry, count

  /// The size of a text with this role, in points.
  var size: Double {
    switch self {
    case .title: 19
    case .subtitle, .verdict, .lead: 12
    case .laneTitle: GraphMetrics.laneTitleSize
    case .name, .leanName: GraphMetrics.nameSize
    case .laneCaption, .caption: GraphMetrics.captionSize
    case .label: EdgeLabel.size
    default: 11.5
    }
  }

  var isBold: Bool {
    switch self {
    case .title, .lead, .laneTitle, .name, .leanName, .label: true
    default: false
    }
  }
}

/// Words that share one look.
struct DrawnWords: Hashable, Sendable {
  var text: String
  var role: DrawnRole

  init(_ text: String, _ role: DrawnRole) {
    self.text = text
    self.role = role
  }

  /// Cuts the text so that it fits into `width`.
  init(_ text: String, _ role: DrawnRole, within width: Double) {
    self.init(TextMetrics.fitting(text, into: width, size: role.size, bold: role.isBold), role)
  }
}

/// A path of straight and curved segments.
struct DrawnPath: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case move(GraphLayout.Point)
    case line(GraphLayout.Point)
    case curve(GraphLayout.Point, GraphLayout.Point, GraphLayout.Point)
    case close
  }

  private(set) var steps: [Step] = []

  /// Connects the points with straight lines.
  init(_ points: [(Double, Double)], isClosed: Bool = false) { line(points, isClosed: isClosed) }

  /// Makes an arc of a circle. Angles are in degrees, clockwise from the right.
  init(arc centre: (Double, Double), radius: Double, from start: Double, to end: Double) {
    let count = max(1, Int(((end - start).magnitude / 90).rounded(.up)))
    let step = (end - start) / Double(count) * .pi / 180
    // The distance of the handles of such a segment from its ends.
    let handle = radius * 4 / 3 * tan(step / 4)
    func point(_ angle: Double, _ along: Double) -> GraphLayout.Point {
      let (x, y) = (cos(angle), sin(angle))
      return GraphLayout.Point(centre.0 + radius * x - along * y, centre.1 + radius * y + along * x)
    }
    var angle = start * .pi / 180
    steps.append(.move(point(angle, 0)))
    for _ in 0..<count {
      steps.append(.curve(point(angle, handle), point(angle + step, -handle), point(angle + step, 0)))
      angle += step
    }
    if (end - start).magnitude >= 360 { steps.append(.close) }
  }

  mutating func line(_ points: [(Double, Double)], isClosed: Bool = false) {
    for (number, point) in points.enumerated() {
      let point = GraphLayout.Point(point.0, point.1)
      steps.append(number == 0 ? .move(point) : .line(point))
    }
    if isClosed { steps.append(.close) }
  }

  /// Returns the path with further segments.
  func with(_ points: [(Double, Double)]) -> DrawnPath {
    var path = self
    path.line(points)
    return path
  }
}

extension ShownState {
  /// The sign of the state as a path, 11 points square. It is drawn rather than typeset, because fonts lack some of the
  /// characters.
  var path: DrawnPath {
    switch self {
    case .finished: Self.check
    case .executing, .ready: Self.triangle
    case .pending: Self.ring
    case .cancelled: Self.cross
    case .failed: Self.exclamation
    case .deadlocked: Self.turn
    case .stalled: Self.noEntry
    }
  }

  private static let check = DrawnPath([(1.5, 6), (4.5, 9), (9.5, 2.5)])
  private static let triangle = DrawnPath([(2.5, 1.5), (9.5, 5.5), (2.5, 9.5)], isClosed: true)
  private static let ring = DrawnPath(arc: (5.5, 5.5), radius: 4, from: 0, to: 360)
  private static let cross = DrawnPath([(2, 2), (9, 9)]).with([(9, 2), (2, 9)])
  private static let exclamation = DrawnPath([(5.5, 1), (5.5, 6.5)]).with([(5.5, 9), (5.5, 9.6)])
  /// A counterclockwise circle with an arrow at its start.
  private static let turn = DrawnPath(arc: (5.7, 5.7), radius: 4.4, from: -35, to: -348).with([
    (9.8, 0.6), (9.8, 3.6), (6.8, 3.6),
  ])
  private static let noEntry = ring.with([(2.7, 8.3), (8.3, 2.7)])
}
