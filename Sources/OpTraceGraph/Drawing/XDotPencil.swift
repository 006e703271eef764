/// Writes the instructions of the `xdot` form. It takes points with y downwards. Texts are counted in bytes, so nothing
/// in a name can end one.
struct XDotPencil: Sendable {
  /// The height of the whole picture. The format's y runs upwards from there.
  var height = 0.0
  private(set) var text = ""

  mutating func fill(_ color: Color) { text += "C \(counted(color.hex)) " }

  mutating func pen(_ color: Color, width: Double) {
    text += "c \(counted(color.hex)) S \(counted("setlinewidth(\(number(width)))")) "
  }

  /// Draws a closed curve of 3k + 1 points, filled and outlined.
  mutating func area(_ points: [GraphLayout.Point]) { text += "b \(list(points)) " }

  /// Draws a curve of 3k + 1 points.
  mutating func curve(_ points: [GraphLayout.Point]) { text += "B \(list(points)) " }

  mutating func polyline(_ points: [GraphLayout.Point]) { text += "L \(list(points)) " }

  /// Draws a dot, filled and outlined.
  mutating func dot(_ centre: GraphLayout.Point, radius: Double) {
    text += "E \(pair(centre)) \(number(radius)) \(number(radius)) "
  }

  /// Writes a text on the baseline, to the right of `at` or centred on it.
  mutating func write(
    _ string: String, at: GraphLayout.Point, size: Double, _ color: Color, isBold: Bool, isStruck: Bool,
    isCentred: Bool
  ) {
    let flags = (isBold ? 1 : 0) + (isStruck ? 32 : 0)
    let width = TextMetrics.width(of: string, size: size, bold: isBold)
    // Texts with a style pass through markup that has entities; plain ones do not.
    let string = flags == 0 ? string : string.replacing("&", with: "&amp;")
    // Graphviz's Cairo renderer puts a text a fifth of its size above the baseline that it is given.
    let baseline = GraphLayout.Point(at.x, at.y + size * 0.2)
    text += "F \(number(size)) \(counted("Helvetica")) t \(flags) c \(counted(color.hex)) "
    text += "T \(pair(baseline)) \(isCentred ? 0 : -1) \(number(width)) \(counted(string)) "
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
