/// The parts of the page that are the same in every report, and how they go together.
///
/// `Page/page.html` has `{{part}}` where each part goes. One style sheet and one script stand in the page; its
/// Content-Security-Policy names them by their hashes, so that nothing else can run, whatever a trace contains.
struct ReportPage {
  enum Part: String, CaseIterable {
    case policy, live, title, style, graph, data, script
  }

  /// A page that `optrace view` serves may ask the server that it came from whether the trace has grown.
  var isServed = false

  /// The modules of the page, each before those that import it. They become one script.
  static let modules = [
    "columns", "format", "model", "selection", "dom", "slices", "steps", "colours", "rows", "viewport", "painter",
    "minimap", "gestures", "timeline", "table", "histogram", "head", "tabs", "search", "panel", "graph", "why",
    "findings", "help", "live", "main",
  ]

  static let style = file("page.css") + file("timeline.css")

  static func file(_ name: String) -> String { PageFiles.text[name] ?? "" }

  /// All modules as one: without the lines that import one from another, which would need addresses.
  static let script: String = modules.map { module in
    file(module + ".mjs").split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
      .joined(separator: "\n")
  }.joined(separator: "\n")

  func policy(style: String) -> String {
    func source(_ text: String) -> String { "'sha256-\(Base64.text(SHA256.hash(text.utf8)))'" }
    return [
      "default-src 'none'", "script-src \(source(Self.script))", "style-src \(source(style))", "img-src data:",
      isServed ? "connect-src 'self'" : "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
  }

  /// The shell cut at its places: text and, but for the last, the part that follows it.
  static let pieces: [(text: Substring, next: Part?)] = {
    var pieces: [(Substring, Part?)] = []
    var rest = file("page.html")[...]
    while let open = rest.firstRange(of: "{{") {
      let after = rest[open.upperBound...]
      guard let close = after.firstRange(of: "}}"), let part = Part(rawValue: String(after[..<close.lowerBound]))
      else {
        break
      }
      pieces.append((rest[..<open.lowerBound], part))
      rest = after[close.upperBound...]
    }
    pieces.append((rest, nil))
    return pieces
  }()
}
