/// Files that were compiled into a C target, in the order that it lists them: scripts, and what else a page is made of.
package struct EmbeddedFiles: Sendable {
  package let all: [(name: String, text: String)]

  /// Reads them by the functions of their target. O(length).
  package init(
    count: Int, name: (Int) -> UnsafePointer<CChar>?, text: (Int) -> UnsafePointer<CChar>?
  ) {
    all = (0..<count).compactMap { index in
      guard let name = name(index), let text = text(index) else { return nil }
      return (String(cString: name), String(cString: text))
    }
  }

  private init(_ all: [(name: String, text: String)]) { self.all = all }

  /// None.
  package init() { self.init([]) }

  /// These among them.
  package func only(_ names: Set<String>) -> EmbeddedFiles { EmbeddedFiles(all.filter { names.contains($0.name) }) }

  /// All but these.
  package func without(_ names: Set<String>) -> EmbeddedFiles { EmbeddedFiles(all.filter { !names.contains($0.name) }) }

  /// The modules among them, each before those that import it.
  package var modules: [(name: String, text: String)] { all.filter { $0.name.hasSuffix(".mjs") } }

  /// These modules as one script. Lines that import others would need addresses; those that are comments, which begin with `//` or are between
  /// `/**` and `*/`, would only make each page larger. So would the indentation: without it a line means the same, as no text goes over several
  /// (`scripts/check-modules`). `isIndented`: keep it.
  package static func script(_ modules: [(name: String, text: String)], isIndented: Bool = true) -> String {
    var isComment = false
    return modules.flatMap { $0.text.split(separator: "\n") }.compactMap { line -> Substring? in
      let words = line.drop { $0 == " " }
      if words.hasPrefix("/**") { isComment = true }
      defer { if words.hasSuffix("*/") { isComment = false } }
      if isComment || words.hasPrefix("//") || line.hasPrefix("import ") { return nil }
      if line.hasPrefix("export ") { return line.dropFirst("export ".count) }
      return isIndented ? line : words
    }.joined(separator: "\n")
  }

  /// The script of a picture: an `svg` element that is given to `entry`, a function of these modules.
  package func script(of names: Set<String>, entry: String) -> String {
    let script = Self.script(modules.filter { names.contains($0.name) })
    return "(() => {\n'use strict';\n\(script)\n\(entry)(document.currentScript.closest('svg'));\n})();\n"
  }
}
