/// Why Graphviz made no picture.
public struct GraphvizError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong. Later versions may have more of them, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The member's own name, such as `missingPlugin`.
    public let description: String

    /// The library is there, the plugin for this layout or format is not.
    public static let missingPlugin = Code(description: "missingPlugin")
    /// Graphviz refused; the error's description has its own words.
    public static let failed = Code(description: "failed")
    /// More operations than Graphviz can be trusted with: see ``GraphvizRenderer/mostNodes``.
    public static let tooLarge = Code(description: "tooLarge")
    /// A longer chain of operations than Graphviz can count: it crashes beyond 32,767. No picture of today's is one: what
    /// is so long is folded, or placed without Graphviz.
    public static let tooDeep = Code(description: "tooDeep")
  }

  /// The code together with what belongs to it.
  package enum Reason: Sendable, Equatable {
    /// The layout's or format's name.
    case missingPlugin(String)
    /// Graphviz' own words.
    case failed([String])
    case tooLarge(nodes: Int, limit: Int)
    /// Its layout counts columns in 16 bits.
    case tooDeep(ranks: Int)
  }

  package let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }

  /// What went wrong, to be switched over.
  public var code: Code {
    switch reason {
    case .missingPlugin: .missingPlugin
    case .failed: .failed
    case .tooLarge: .tooLarge
    case .tooDeep: .tooDeep
    }
  }

  /// What went wrong, and what to install or to draw instead.
  public var description: String {
    switch reason {
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
