@testable import OpTraceGraph

/// Records what is drawn on a canvas, and passes it on.
struct RecordingCanvas<Base: GraphCanvas>: GraphCanvas {
  enum Call: Hashable {
    case begin(DrawnPart, GraphLayout.Point)
    case end(DrawnPart)
    case box(GraphLayout.Box, radius: Double, DrawnRole)
    case path(DrawnPath, GraphLayout.Point, DrawnRole)
    case arrow(GraphLayout.Curve, halfWidth: Double)
    case text([DrawnWords], GraphLayout.Point, DrawnRole)
  }

  private(set) var base: Base
  private(set) var calls: [Call] = []

  init(_ base: Base) { self.base = base }

  mutating func begin(_ part: DrawnPart, at origin: GraphLayout.Point) {
    calls.append(.begin(part, origin))
    base.begin(part, at: origin)
  }

  mutating func end(_ part: DrawnPart) {
    calls.append(.end(part))
    base.end(part)
  }

  mutating func box(_ box: GraphLayout.Box, radius: Double, _ role: DrawnRole) {
    calls.append(.box(box, radius: radius, role))
    base.box(box, radius: radius, role)
  }

  mutating func path(_ path: DrawnPath, at origin: GraphLayout.Point, _ role: DrawnRole) {
    calls.append(.path(path, origin, role))
    base.path(path, at: origin, role)
  }

  mutating func arrow(_ curve: GraphLayout.Curve, halfWidth: Double) {
    calls.append(.arrow(curve, halfWidth: halfWidth))
    base.arrow(curve, halfWidth: halfWidth)
  }

  mutating func text(_ words: DrawnWords, _ more: DrawnWords?, at: GraphLayout.Point, _ role: DrawnRole) {
    calls.append(.text([words, more].compactMap(\.self), at, role))
    base.text(words, more, at: at, role)
  }

  mutating func handOn() throws(Base.Failure) { try base.handOn() }
}

/// A shape or a text as it was drawn on a canvas, with its position.
struct DrawnThing {
  enum Form {
    case box(GraphLayout.Box)
    case path(DrawnPath)
    case line
    case tip
    case words(DrawnWords, isFirst: Bool)
  }

  var form: Form
  var role: DrawnRole
  var part: DrawnPart
  /// The position in the whole picture.
  var origin: GraphLayout.Point

  /// In the order of drawing. A line and its head are two entries, and each word of a text is one.
  static func all<Canvas>(_ calls: [RecordingCanvas<Canvas>.Call]) -> [DrawnThing] {
    var all: [DrawnThing] = []
    var open: [(part: DrawnPart, origin: GraphLayout.Point)] = []
    func add(_ form: Form, _ role: DrawnRole, _ at: GraphLayout.Point) {
      guard let last = open.last else { return }
      all.append(DrawnThing(form: form, role: role, part: last.part, origin: last.origin.moved(by: at)))
    }
    let zero = GraphLayout.Point(0, 0)
    for call in calls {
      switch call {
      case .begin(let part, let origin): open.append((part, (open.last?.origin ?? zero).moved(by: origin)))
      case .end: open.removeLast()
      case .box(let box, _, let role): add(.box(box), role, zero)
      case .path(let path, let at, let role): add(.path(path), role, at)
      case .arrow(let curve, let halfWidth):
        add(.line, .line, zero)
        if curve.head(halfWidth: halfWidth) != nil { add(.tip, .tip, zero) }
      case .text(let words, let at, let role):
        // The line first: its look is that of the words that have none.
        add(
          .words(words.first { $0.role == role } ?? DrawnWords("", role), isFirst: words.first?.role == role), role, at)
        for word in words where word.role != role { add(.words(word, isFirst: word == words.first), word.role, at) }
      }
    }
    return all
  }
}

extension GraphLayout.Point {
  func moved(by other: Self) -> Self { Self(x + other.x, y + other.y) }
}
