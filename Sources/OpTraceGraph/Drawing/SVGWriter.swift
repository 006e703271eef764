public import OpTraceText

/// A picture as SVG: one file that brings its style (light, dark, print) and a small script (on hover, focus or click, what an operation
/// waits for and what waits for it), and needs nothing from outside.
///
/// Operations are `<g id="op-5" class="op finished critical q-network">`, edges `<g id="e-1-5" class="dep critical"
/// data-from="op-1" data-to="op-5">`, queues `<g id="queue-network" class="queue">`.
///
/// Above ``GraphPicture/mostDetailed`` boxes the file is kept lean, so that a browser opens it: operations and edges become such elements
/// where somebody looks closely.
public enum SVGWriter {
  /// O(n + e).
  public static func text(_ picture: GraphPicture, _ layout: GraphLayout) -> String {
    drawn(GraphDrawing(picture, layout)).out
  }

  /// The same bytes as ``text(_:_:)``, handed on while they are made. Throws what `sink` throws.
  public static func write(_ picture: GraphPicture, _ layout: GraphLayout, to sink: ByteSink) throws {
    try withoutActuallyEscaping(sink) { sink in
      let drawing = GraphDrawing(picture, layout)
      var canvas = SVGCanvas(drawing, sink: sink)
      try drawing.draw(on: &canvas)
      try canvas.flush()
    }
  }

  package static func embedded(_ picture: GraphPicture, _ layout: GraphLayout) -> (svg: String, style: String) {
    let canvas = drawn(GraphDrawing(picture, layout), isEmbedded: true)
    return (canvas.out, canvas.style)
  }

  private static func drawn(_ drawing: GraphDrawing, isEmbedded: Bool = false) -> SVGCanvas {
    var canvas = SVGCanvas(drawing, isEmbedded: isEmbedded)
    // Without a sink nothing throws.
    try? drawing.draw(on: &canvas)
    return canvas
  }
}
