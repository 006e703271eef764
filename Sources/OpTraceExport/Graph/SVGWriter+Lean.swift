import OpTraceModel

/// The body of a picture with more boxes than ``GraphPicture/mostDetailed``: a box with number and name for each operation, a line
/// for each edge, and no more, because a browser takes time for every element. Ids and classes are those of the
/// full form; captions, bars, tooltips, `data-` attributes and the script are left out.
extension SVGWriter {
  mutating func beginLean() {
    out += "<defs>"
    for (name, classes) in [("tip", "dep"), ("critical-tip", "dep critical"), ("cycle-tip", "dep cycle")] {
      out += "<marker id=\"\(name)\" class=\"\(classes)\" "
      out += "viewBox=\"0 0 8 7\" refX=\"1\" refY=\"3.5\" markerWidth=\"8\" markerHeight=\"7\" "
      out += "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 3.5L0 7Z\"/></marker>"
    }
    out += "</defs>\n<g class=\"lean\">\n"
  }

  mutating func writeLeanNode(_ index: Int) {
    let node = picture.nodes[index]
    let (width, height) = (Int(layout.metrics.nodeWidth), Int(layout.metrics.nodeHeight))
    let x = Int((layout.nodes[index].x - layout.metrics.nodeWidth / 2).rounded()) + Self.textInset
    let y = Int((layout.nodes[index].y - layout.metrics.nodeHeight / 2).rounded()) + Self.textBase
    let space = layout.metrics.nodeWidth - 2 * Double(Self.textInset) - GraphMetrics.signWidth
    let name = TextMetrics.fitting(node.leanName, into: space, size: GraphMetrics.nameSize, bold: true)
    out += "<g id=\"\(node.id)\" class=\"\(picture.cssClass(of: node))\" transform=\"translate(\(x) \(y))\">"
    out += "<path d=\"M-\(Self.textInset)-\(Self.textBase)h\(width)v\(height)h-\(width)z\"/>"
    out += "<text>\(node.state.sign) \(xml(name))</text></g>\n"
  }

  mutating func writeLeanEdge(_ index: Int) {
    let edge = picture.edges[index]
    guard let curve = layout.edges[index], let first = curve.points.first else { return }
    out +=
      "<path id=\"\(picture.id(of: edge))\" class=\"\(picture.cssClass(of: edge))\" d=\"M\(whole(first, from: zero))"
    // From the last end on, which takes fewer digits.
    var last = first
    for (number, point) in curve.points.dropFirst().enumerated() {
      out += (number % 3 == 0 ? "c" : " ") + whole(point, from: last)
      if number % 3 == 2 { last = point }
    }
    out += "\"/>\n"
  }

  /// Where the text begins within its box: the group stands there, so that the text needs no place of its own.
  private static var textInset: Int { 9 }
  private static var textBase: Int { 27 }

  private var zero: GraphLayout.Point { GraphLayout.Point(0, 0) }

  private func whole(_ point: GraphLayout.Point, from start: GraphLayout.Point) -> String {
    "\(Int(point.x.rounded()) - Int(start.x.rounded())) \(Int(point.y.rounded()) - Int(start.y.rounded()))"
  }
}

extension GraphPicture.Node {
  /// Without a caption the number stands before the name.
  var leanName: String { "\(operation) \(name)" }
}
