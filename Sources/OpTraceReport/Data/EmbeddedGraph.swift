public import OpTraceGraph

/// The drawing of a graph as a part of a page: the page brings the script, and its policy wants all style in one place.
public struct EmbeddedGraph: Sendable {
  /// The `svg` element, without a style of its own.
  public var svg: String
  /// The style sheet's rules for it, for the page's one style element.
  public var style: String
  /// The boxes that many operations are in; all others have one of their own, if any.
  public var folds: [GraphPicture.Fold] = []
  /// What was folded, as a sentence; nil: nothing.
  public var note: String?

  init(svg: String, style: String) { (self.svg, self.style) = (svg, style) }

  /// Draws the picture at these places. O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    (svg, style) = SVGWriter.embedded(picture, layout)
    note = picture.foldingNote
    folds = picture.nodes.compactMap(\.fold)
  }
}
