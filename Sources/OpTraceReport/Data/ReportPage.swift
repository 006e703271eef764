/// What is the same in every report: the shell, one style sheet, one script.
///
/// The shell has `{{part}}` where each part goes. The page's Content-Security-Policy names style sheet and script by their
/// hashes, so that nothing else can run, whatever a trace contains. `OpTraceReport` has the project's own.
public struct ReportPage: Sendable {
  enum Part: String, CaseIterable {
    case policy, live, title, style, graph, data, script
  }

  let style: String
  let script: String
  /// The shell cut at its places: text and, but for the last, the part that follows it.
  let pieces: [(text: String, next: Part?)]

  /// A page of these three texts; the shell is cut at its places. O(length).
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
