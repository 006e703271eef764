import OpTraceModel
package import OpTracePageParts
import OpTraceText

/// The drawing of a graph as a part of a page. The page contains the script, and its policy requires all style to be in
/// one element.
public struct EmbeddedGraph: Sendable {
  /// The `svg` element, without a style of its own.
  public var svg: String
  /// The style sheet's rules for it, for the page's one style element.
  public var style: String
  /// The boxes that contain several operations. All other operations have a box of their own, if any.
  public var folds: [GraphPicture.Fold] = []
  /// A sentence that says what was folded. Nil: nothing.
  public var note: String?

  /// A drawing that was made elsewhere.
  package init(svg: String, style: String) { (self.svg, self.style) = (svg, style) }

  /// Draws the picture in this layout. O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    (svg, style) = SVGWriter.embedded(picture, layout)
    note = picture.foldingNote
    folds = picture.nodes.compactMap(\.fold)
  }
}

extension EmbeddedGraph {
  /// The drawing as the content of the page's part.
  package var content: PartContent { Self.content(of: self, note: note) }

  /// The same for a drawing that there may be none of: `note` says why, or what was folded.
  package static func content(of graph: EmbeddedGraph?, note: String?) -> PartContent {
    PartContent(
      "graph", html: graph.map { "<div id=\"drawing\">\($0.svg)</div>" } ?? "", style: graph?.style ?? ""
    ) { isNew, writer in
      writer.text("{\"note\":")
      if let note { writer.json(note) } else { writer.text("null") }
      writer.text(",")
      Self.boxes(graph?.folds ?? []).write(to: writer)
      if isNew, let graph {
        writer.text(",\"drawing\":")
        JSONValue.members(["svg": lines(graph.svg), "style": lines(graph.style)]).write(to: writer, level: nil)
      }
      writer.text("}")
    }
  }

  /// The folded box of each operation that is in one.
  private static func boxes(_ folds: [GraphPicture.Fold]) -> TableEncoder {
    var boxes = TableEncoder("boxes", ColumnEncoder("work"), ColumnEncoder("box"))
    for fold in folds {
      for id in fold.members { boxes.append([Int(id.rawValue), fold.number]) }
    }
    return boxes
  }

  /// The lines of a text, because a text in the data is a single line.
  private static func lines(_ text: String) -> JSONValue {
    .array(text.split(separator: "\n", omittingEmptySubsequences: false).map { .string(String($0)) })
  }
}
