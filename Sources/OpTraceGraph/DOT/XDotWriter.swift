/// The placed picture that ``SVGWriter`` draws, in light colours and without what only a browser can do (tooltips, dark
/// mode), for Graphviz to turn into PNG and PDF.
package struct XDotWriter: Sendable {
  /// In points.
  package let width: Double
  package let height: Double
  /// The picture as a value for a graph's attribute `_background`, for a graph of this size at zero.
  package let background: String

  /// O(n + e).
  package init(_ picture: GraphPicture, _ layout: GraphLayout) {
    let drawing = GraphDrawing(picture, layout)
    var canvas = XDotCanvas(drawing)
    drawing.draw(on: &canvas)
    width = drawing.frame.width
    height = drawing.frame.height
    background = canvas.text
  }
}
