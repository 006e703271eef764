public import OpTraceExport

extension ReportPage {
  /// The page of `optrace report`, from the files in `Page/`.
  public static let standard = ReportPage(
    shell: file("page.html"), style: file("page.css") + file("timeline.css"),
    script: modules.map(plain).joined(separator: "\n"))

  /// The modules of the page, each before those that import it. They become one script.
  static let modules = [
    "columns", "format", "model", "selection", "dom", "slices", "steps", "colours", "rows", "viewport", "painter",
    "minimap", "gestures", "timeline", "table", "histogram", "head", "tabs", "search", "panel", "graph", "why",
    "findings", "help", "live", "main",
  ]

  static func file(_ name: String) -> String { PageFiles.text[name] ?? "" }

  /// A module as a part of one script: without the lines that import others, which would need addresses.
  private static func plain(_ module: String) -> String {
    file(module + ".mjs").split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
      .joined(separator: "\n")
  }
}
