/// The body of a picture with more boxes than ``GraphPicture/mostDetailed``: whole numbers, one element for an edge, and no
/// tooltips, `data-` attributes or script, because a browser takes time for every element. Ids and classes are those of the
/// full form.
extension SVGCanvas {
  mutating func beginLean() {
    isLean = true
    out += "<defs>"
    for (name, classes) in [("tip", "dep"), ("critical-tip", "dep critical"), ("cycle-tip", "dep cycle")] {
      out += "<marker id=\"\(name)\" class=\"\(classes)\" "
      out += "viewBox=\"0 0 8 7\" refX=\"1\" refY=\"3.5\" markerWidth=\"8\" markerHeight=\"7\" "
      out += "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 3.5L0 7Z\"/></marker>"
    }
    out += "</defs>\n<g class=\"lean\">\n"
  }

  mutating func endLean() {
    isLean = false
    out += "</g>\n"
  }

  mutating func leanBox(_ box: GraphLayout.Box) {
    let width = Int(box.width)
    // A sign parts numbers as well as a blank does.
    let (x, y) = (Int(box.minX), Int(box.minY))
    out += "<path d=\"M\(x)\(y < 0 ? "" : " ")\(y)h\(width)v\(Int(box.height))h-\(width)z\"/>"
  }

  /// The rest of the edge's element; the style sheet gives it its head.
  mutating func leanLine(_ curve: GraphLayout.Curve, from first: GraphLayout.Point) {
    out += " d=\"M\(whole(first))"
    // From the last end on, which takes fewer digits.
    var last = first
    for (number, point) in curve.points.dropFirst().enumerated() {
      out += (number % 3 == 0 ? "c" : " ") + whole(point, from: last)
      if number % 3 == 2 { last = point }
    }
    out += "\""
  }

  private func whole(_ point: GraphLayout.Point, from start: GraphLayout.Point = GraphLayout.Point(0, 0)) -> String {
    "\(Int(point.x.rounded()) - Int(start.x.rounded())) \(Int(point.y.rounded()) - Int(start.y.rounded()))"
  }
}
