/// The same laid-out picture that ``SVGWriter`` draws, for Graphviz to turn into PNG and PDF. It has light colours
/// only, and lacks what only a browser can do (tooltips, dark mode).
package struct XDotWriter: Sendable {
  /// The width in points.
  package let width: Double
  package let height: Double
  /// The picture as the value of a graph's `_background` attribute. The graph must have this size and begin at zero.
  package let background: String

  /// Draws the picture. O(n + e).
  package init(_ picture: GraphPicture, _ layout: GraphLayout) {
    let drawing = GraphDrawing(picture, layout)
    var canvas = XDotCanvas(drawing)
    drawing.draw(on: &canvas)
    width = drawing.frame.width
    height = drawing.frame.height
    background = canvas.text
  }
}

/// Draws a ``GraphDrawing`` in Graphviz's `xdot` form, which its renderers accept as a graph's `_background`, in light
/// colours.
///
/// The format only has coordinates relative to the whole picture, with y upwards. It has neither dashes of a chosen
/// length nor round ends; these are drawn as shapes that look the same (``StrokedLine``).
struct XDotCanvas: GraphCanvas {
  private let drawing: GraphDrawing
  private var parts: [(part: DrawnPart, origin: GraphLayout.Point)] = []
  private var pencil = XDotPencil()

  init(_ drawing: GraphDrawing) { self.drawing = drawing }

  var text: String { pencil.text }

  mutating func handOn() {}

  mutating func begin(_ part: DrawnPart, at origin: GraphLayout.Point) {
    let around = parts.last?.origin ?? GraphLayout.Point(0, 0)
    parts.append((part, GraphLayout.Point(around.x + origin.x, around.y + origin.y)))
    guard part == .picture else { return }
    pencil.height = drawing.frame.height
    let page = GraphLayout.Box(minX: 0, minY: 0, maxX: drawing.frame.width, maxY: drawing.frame.height)
    fill(Outline(page, radius: 0), Palette.page)
  }

  mutating func end(_ part: DrawnPart) { _ = parts.popLast() }

  mutating func box(_ box: GraphLayout.Box, radius: Double, _ role: DrawnRole) {
    guard box.width > 0, box.height > 0 else { return }
    let from = placed(GraphLayout.Point(box.minX, box.minY))
    let to = placed(GraphLayout.Point(box.maxX, box.maxY))
    draw([Outline(GraphLayout.Box(minX: from.x, minY: from.y, maxX: to.x, maxY: to.y), radius: radius)], ink(of: role))
  }

  mutating func path(_ path: DrawnPath, at origin: GraphLayout.Point, _ role: DrawnRole) {
    let origin = placed(origin)
    draw(Outline.all(of: path, at: origin), ink(of: role))
  }

  mutating func arrow(_ curve: GraphLayout.Curve, halfWidth: Double) {
    draw([Outline(points: curve.points.map(placed))], ink(of: .line))
    guard let head = curve.head(halfWidth: halfWidth) else { return }
    draw([Outline(corners: head.map(placed))], ink(of: .tip))
  }

  mutating func text(_ words: DrawnWords, _ more: DrawnWords?, at: GraphLayout.Point, _ role: DrawnRole) {
    let whole = ink(of: role)
    var at = placed(at)
    for word in [words, more].compactMap(\.self) where !word.text.isEmpty {
      let ink = word.role == role ? whole : ink(of: word.role)
      guard let color = ink.fill ?? whole.fill else { continue }
      pencil.write(
        word.text, at: at, size: word.role.size, color.light, isBold: ink.isBold, isStruck: ink.isStruck,
        isCentred: role == .label)
      at.x += TextMetrics.width(of: word.text + " ", size: word.role.size, bold: ink.isBold)
    }
  }

  // MARK: Pieces

  private func ink(of role: DrawnRole) -> GraphInk {
    guard let part = parts.last?.part else { return GraphInk() }
    return drawing.picture.ink(of: role, in: part, hasLanes: drawing.layout.metrics.hasLanes)
  }

  private func placed(_ point: GraphLayout.Point) -> GraphLayout.Point {
    let origin = parts.last?.origin ?? GraphLayout.Point(0, 0)
    return GraphLayout.Point(origin.x + point.x, origin.y + point.y)
  }

  private mutating func fill(_ outline: Outline, _ color: ColorPair) {
    pencil.fill(color.light)
    // In xdot, what is filled also gets an outline; this one is too thin to see.
    pencil.pen(color.light, width: 0.01)
    pencil.area(outline.points)
  }

  private mutating func draw(_ outlines: [Outline], _ ink: GraphInk) {
    if let color = ink.fill {
      for outline in outlines where outline.isClosed { fill(outline, color) }
    }
    guard let color = ink.stroke?.light else { return }
    pencil.pen(color, width: ink.width)
    for outline in outlines where ink.dashes.isEmpty { pencil.curve(outline.points) }
    let ends = outlines.map { StrokedLine($0, ink) }
    for line in ends.lazy.flatMap(\.dashes) { pencil.polyline(line) }
    let dots = ends.flatMap(\.dots)
    guard !dots.isEmpty else { return }
    pencil.fill(color)
    pencil.pen(color, width: 0.01)
    for dot in dots { pencil.dot(dot, radius: ink.width / 2) }
  }
}
