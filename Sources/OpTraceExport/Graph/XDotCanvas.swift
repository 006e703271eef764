/// Writes drawing operations in Graphviz' `xdot` form, which its renderers take as a graph's `_background`.
///
/// Takes points with y downwards; Graphviz' y goes up. Texts are counted in bytes, so nothing in a name can end one.
struct XDotCanvas: Sendable {
  enum Line: String { case solid, dashed, dotted }

  let height: Double
  private(set) var text = ""

  init(height: Double) { self.height = height }

  mutating func fill(_ color: Color) { text += "C \(counted(color.hex)) " }

  mutating func pen(_ color: Color, width: Double, _ line: Line = .solid) {
    text += "c \(counted(color.hex)) S \(counted(line.rawValue)) S \(counted("setlinewidth(\(number(width)))")) "
  }

  /// Filled and outlined.
  mutating func polygon(_ points: [GraphLayout.Point]) { text += "P \(list(points)) " }

  mutating func polyline(_ points: [GraphLayout.Point]) { text += "L \(list(points)) " }

  /// 3k + 1 points.
  mutating func curve(_ points: [GraphLayout.Point]) { text += "B \(list(points)) " }

  /// Without an outline of its own colour.
  mutating func block(_ box: GraphLayout.Box, _ color: Color) {
    guard box.width > 0, box.height > 0 else { return }
    fill(color)
    pen(color, width: 0.01)
    polygon([
      GraphLayout.Point(box.minX, box.minY), GraphLayout.Point(box.maxX, box.minY),
      GraphLayout.Point(box.maxX, box.maxY), GraphLayout.Point(box.minX, box.maxY),
    ])
  }

  mutating func ellipse(_ centre: GraphLayout.Point, radius: Double) {
    text += "e \(pair(centre)) \(number(radius)) \(number(radius)) "
  }

  /// Filled and outlined, with corners that are quarters of a circle.
  mutating func roundedBox(_ box: GraphLayout.Box, radius: Double) {
    let radius = min(radius, box.width / 2, box.height / 2)
    // How far the handles of a quarter circle stand from its corner, as a part of the radius.
    let near = radius * 0.4477
    func point(_ x: Double, _ y: Double) -> GraphLayout.Point { GraphLayout.Point(x, y) }
    let (left, right, top, bottom) = (box.minX, box.maxX, box.minY, box.maxY)
    var points = [point(left + radius, top)]
    func side(_ to: GraphLayout.Point) {
      let from = points[points.count - 1]
      points += [
        point(from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3),
        point(to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3), to,
      ]
    }
    side(point(right - radius, top))
    points += [point(right - near, top), point(right, top + near), point(right, top + radius)]
    side(point(right, bottom - radius))
    points += [point(right, bottom - near), point(right - near, bottom), point(right - radius, bottom)]
    side(point(left + radius, bottom))
    points += [point(left + near, bottom), point(left, bottom - near), point(left, bottom - radius)]
    side(point(left, top + radius))
    points += [point(left, top + near), point(left + near, top), point(left + radius, top)]
    text += "b \(list(points)) "
  }

  /// From `at` to the right, on the baseline.
  mutating func write(
    _ string: String, at: GraphLayout.Point, size: Double, _ color: Color, bold: Bool = false, struck: Bool = false
  ) {
    guard !string.isEmpty else { return }
    let flags = (bold ? 1 : 0) + (struck ? 32 : 0)
    // Texts with a style go through a markup that knows entities; plain ones do not.
    let string = flags == 0 ? string : string.replacing("&", with: "&amp;")
    // Graphviz' Cairo renderer sets a text a fifth of its size above the baseline that it is given.
    let baseline = GraphLayout.Point(at.x, at.y + size * 0.2)
    let width = TextMetrics.width(of: string, size: size, bold: bold)
    text += "F \(number(size)) \(counted("Helvetica")) t \(flags) c \(counted(color.hex)) "
    text += "T \(pair(baseline)) -1 \(number(width)) \(counted(string)) "
  }

  private func counted(_ string: String) -> String { "\(string.utf8.count) -\(string)" }

  private func list(_ points: [GraphLayout.Point]) -> String {
    "\(points.count) " + points.map(pair).joined(separator: " ")
  }

  private func pair(_ point: GraphLayout.Point) -> String { "\(number(point.x)) \(number(height - point.y))" }

  private func number(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return "0" }
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths.magnitude % 100
    return "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
