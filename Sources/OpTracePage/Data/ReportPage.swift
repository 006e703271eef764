import COpTracePage
package import OpTraceDoctor
import OpTraceModel
package import OpTracePageParts
import OpTraceText

/// What is the same in every report: the shell, one style sheet, one script, and what makes the data of a trace.
///
/// The shell has `{{slot}}` where each piece of a page goes. The page's Content-Security-Policy lists the style sheet and the
/// script by their hashes, so that nothing else can run, whatever a trace contains.
public struct ReportPage: Sendable {
  enum Slot: String, CaseIterable {
    case policy, live, title, style, parts, data, script
  }

  package let style: String
  package let script: String
  /// What capabilities show on it.
  package let parts: [ReportPart]
  /// The rules whose findings it shows.
  package let rules: RuleSet
  /// The shell, split at its slots: each piece is a text, followed by a slot in all pieces but the last.
  let pieces: [(text: String, next: Slot?)]

  /// Makes a page from these three texts, splitting the shell at its slots. O(length).
  package init(shell: String, style: String, script: String, parts: [ReportPart], rules: RuleSet) {
    self.style = style
    self.script = script
    self.parts = parts
    self.rules = rules
    var pieces: [(String, Slot?)] = []
    var rest = shell[...]
    while let open = rest.firstRange(of: "{{") {
      let after = rest[open.upperBound...]
      guard let close = after.firstRange(of: "}}"), let slot = Slot(rawValue: String(after[..<close.lowerBound])) else {
        break
      }
      pieces.append((String(rest[..<open.lowerBound]), slot))
      rest = after[close.upperBound...]
    }
    self.pieces = pieces + [(String(rest), nil)]
  }

  /// - Parameters:
  ///   - style: all style of the page, including that of its parts' content.
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
  /// The page with these parts, made from the files in `Page/` and from those of the parts. What is common comes first,
  /// then the parts in their order; `main.mjs`, which mounts all of them, is the end of the script.
  package init(_ parts: [ReportPart], rules: RuleSet) {
    let own = Self.files.all
    self.init(
      shell: own.filter { $0.name.hasSuffix(".html") }.map(\.text).joined(),
      style: (own + parts.flatMap(\.files.all)).filter { $0.name.hasSuffix(".css") }.map(\.text).joined(),
      script: EmbeddedFiles.script(Self.modules(with: parts), isIndented: false), parts: parts, rules: rules)
  }

  /// The page with the parts of all of these, in the order of their tabs and sections.
  package init(of capabilities: [Capability]) {
    self.init(capabilities.all(ReportPart.self), rules: RuleSet(of: capabilities))
  }

  /// The modules of the page and of these parts, each after those that it imports.
  static func modules(with parts: [ReportPart]) -> [(name: String, text: String)] {
    let own = files.without(["findings.mjs"]).modules
    let end = own.firstIndex { $0.name == "main.mjs" } ?? own.endIndex
    let findings = files.only(["findings.mjs"]).modules
    return own[..<end] + parts.flatMap { $0.name == ReportPart.findings.name ? findings : $0.files.modules }
      + own[end...]
  }

  /// The page's own files as the compiler embedded them, in the order of `Embedded/page.c`.
  static var files: EmbeddedFiles {
    EmbeddedFiles(count: optrace_page_count(), name: optrace_page_name, text: optrace_page_text)
  }
}

extension ReportPage {
  /// The lanes of a trace; none if no part of the page has any.
  func lanes(of trace: Trace) -> PageLanes {
    parts.lazy.compactMap(\.lanes).first?(trace, rules) ?? PageLanes(of: trace)
  }
}
