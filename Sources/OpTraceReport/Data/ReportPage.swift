import COpTracePage
public import OpTraceGraph
import OpTraceText

/// What is the same in every report: the shell, one style sheet, one script.
///
/// The shell has `{{part}}` where each part goes. The page's Content-Security-Policy lists the style sheet and the
/// script by their hashes, so that nothing else can run, whatever a trace contains.
public struct ReportPage: Sendable {
  enum Part: String, CaseIterable {
    case policy, live, title, style, graph, data, script
  }

  let style: String
  let script: String
  /// The shell, split where the parts go: each piece is a text, followed by a part in all pieces but the last.
  let pieces: [(text: String, next: Part?)]

  /// Makes a page from these three texts, splitting the shell where the parts go. O(length).
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
  ///   - style: all style of the page, including that of its drawing.
  ///   - isServed: whether the page comes from `optrace view`, and may send requests to that server.
  func policy(style: String, isServed: Bool) -> String {
    func source(_ text: String) -> String { "'sha256-\(Base64.text(SHA256.hash(text.utf8)))'" }
    return [
      "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "img-src data:",
      isServed ? "connect-src 'self'" : "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
  }
}

extension ReportPage {
  /// The page of `optrace report`, made from the files in `Page/`.
  public static let standard = ReportPage(
    shell: files.all.filter { $0.name.hasSuffix(".html") }.map(\.text).joined(),
    style: files.all.filter { $0.name.hasSuffix(".css") }.map(\.text).joined(),
    script: EmbeddedFiles.script(files.modules))

  /// The files as the compiler embedded them, in the order of `Embedded/page.c`.
  static var files: EmbeddedFiles {
    EmbeddedFiles(count: optrace_page_count(), name: optrace_page_name, text: optrace_page_text)
  }
}

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

  init(svg: String, style: String) { (self.svg, self.style) = (svg, style) }

  /// Draws the picture in this layout. O(n + e).
  public init(_ picture: GraphPicture, _ layout: GraphLayout) {
    (svg, style) = SVGWriter.embedded(picture, layout)
    note = picture.foldingNote
    folds = picture.nodes.compactMap(\.fold)
  }
}
