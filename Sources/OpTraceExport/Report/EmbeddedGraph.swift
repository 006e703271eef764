public import OpTraceModel

/// The drawing of a graph as a part of a page: the page brings the script, and its policy wants all style in one place.
public struct EmbeddedGraph: Sendable {
  /// The `svg` element, without a style of its own.
  public var svg: String
  /// The style sheet's rules for it, for the page's one style element.
  public var style: String
  /// The number of the folded box that an operation is in; without an entry it has a box of its own, if any.
  public var boxes: [OperationID: Int] = [:]
  /// What was folded, as a sentence; nil: nothing.
  public var note: String?

  init(svg: String, style: String) { (self.svg, self.style) = (svg, style) }

  /// Draws the picture at these places. O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    (svg, style) = SVGWriter.embedded(picture, layout)
    note = picture.foldingNote
    for fold in picture.nodes.lazy.compactMap(\.fold) {
      for id in fold.members { boxes[id] = fold.number }
    }
  }
}
