/// Why Graphviz made no picture.
public enum GraphvizError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The library is there, the plugin for this layout or format is not.
  case missingPlugin(String)
  /// Graphviz refused; its own words.
  case failed([String])
  /// More than Graphviz can be trusted with; see ``GraphvizRenderer/mostNodes``.
  case tooLarge(nodes: Int, limit: Int)
  /// Its layout counts columns in 16 bits, and crashes beyond.
  case tooDeep(ranks: Int)

  public var description: String {
    switch self {
    case .missingPlugin(let name):
      "Graphviz has no usable plugin for \"\(name)\"; install it (Debian, Ubuntu: apt-get install libgraphviz-dev; "
        + "macOS: brew install graphviz), or take --format dot, which needs none"
    case .failed(let messages):
      "Graphviz could not draw the graph: "
        + (messages.isEmpty ? "it gave no reason" : messages.joined(separator: "; "))
    case .tooLarge(let nodes, let limit):
      "\(nodes) boxes are too many for an image (at most \(limit)): leave out --full, which folds them, take --format svg, "
        + "or show a part with --focus"
    case .tooDeep(let ranks):
      "a chain of \(ranks) operations is too long for Graphviz (at most 32767); show a part with --focus"
    }
  }
}
