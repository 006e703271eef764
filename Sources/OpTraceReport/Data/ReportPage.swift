import COpTracePage
public import OpTraceGraph

/// What is the same in every report: the shell, one style sheet, one script.
///
/// The shell has `{{part}}` where each part goes. The page's Content-Security-Policy names style sheet and script by their
/// hashes, so that nothing else can run, whatever a trace contains.
public struct ReportPage: Sendable {
  enum Part: String, CaseIterable {
    case policy, live, title, style, graph, data, script
  }

  let style: String
  let script: String
  /// The shell, cut where the parts go: text and, but for the last, the part that follows it.
  let pieces: [(text: String, next: Part?)]

  /// A page of these three texts; the shell is cut where the parts go. O(length).
  public init(shell: String, style: String, script: String) {
    self.style = style
    self.script = script
    var pieces: [(String, Part?)] = []
    var rest = shell[...]
    while let open = rest.firstRange(of: "{{") {
      let after = rest[open.upperBound...]
      guard let close = after.firstRange(of: "}}"), let part = Part(rawValue: String(after[..<close.lowerBound])) else {
        break
      }
      pieces.append((String(rest[..<open.lowerBound]), part))
      rest = after[close.upperBound...]
    }
    self.pieces = pieces + [(String(rest), nil)]
  }

  /// - Parameters:
  ///   - style: all style of the page, with that of its drawing.
  ///   - isServed: the page comes from `optrace view`, and may ask the server that it came from.
  func policy(style: String, isServed: Bool) -> String {
    func source(_ text: String) -> String { "'sha256-\(Base64.text(SHA256.hash(text.utf8)))'" }
    return [
      "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "img-src data:",
      isServed ? "connect-src 'self'" : "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
  }
}

extension ReportPage {
  /// The page of `optrace report`, from the files in `Page/`.
  public static let standard = ReportPage(
    shell: files.filter { $0.name.hasSuffix(".html") }.map(\.text).joined(),
    style: files.filter { $0.name.hasSuffix(".css") }.map(\.text).joined(),
    script: modules.map { plain($0.text) }.joined(separator: "\n"))

  /// The modules of the page, each before those that import it. They become one script.
  static var modules: [(name: String, text: String)] { files.filter { $0.name.hasSuffix(".mjs") } }

  /// The files as the compiler found them in `Page/`, in the order of `Embedded/page.c`.
  static var files: [(name: String, text: String)] {
    (0..<optrace_page_file_count()).compactMap { index in
      guard let name = optrace_page_file_name(index), let bytes = optrace_page_file_bytes(index) else { return nil }
      let text = UnsafeRawBufferPointer(start: bytes, count: optrace_page_file_length(index))
      return (String(cString: name), String(decoding: text, as: UTF8.self))
    }
  }

  /// A module as a part of one script: without the lines that import others, which would need addresses.
  private static func plain(_ module: String) -> String {
    module.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
      .joined(separator: "\n")
  }
}

/// The drawing of a graph as a part of a page: the page brings the script, and its policy wants all style in one element.
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

  /// Draws the picture in this layout. O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    (svg, style) = SVGWriter.embedded(picture, layout)
    note = picture.foldingNote
    folds = picture.nodes.compactMap(\.fold)
  }
}
