extension ReportPage {
  /// The page of `optrace report`, from the files in `Page/`.
  public static let standard = ReportPage(
    shell: text(PackageResources.page_html),
    style: text(PackageResources.page_css) + text(PackageResources.timeline_css),
    script: modules.map { plain(text($0.bytes)) }.joined(separator: "\n"))

  /// The modules of the page, each before those that import it. They become one script.
  static let modules: [(name: String, bytes: [UInt8])] = [
    ("columns", PackageResources.columns_mjs), ("format", PackageResources.format_mjs),
    ("model", PackageResources.model_mjs), ("selection", PackageResources.selection_mjs),
    ("dom", PackageResources.dom_mjs), ("slices", PackageResources.slices_mjs), ("steps", PackageResources.steps_mjs),
    ("colours", PackageResources.colours_mjs), ("rows", PackageResources.rows_mjs),
    ("viewport", PackageResources.viewport_mjs), ("painter", PackageResources.painter_mjs),
    ("minimap", PackageResources.minimap_mjs), ("gestures", PackageResources.gestures_mjs),
    ("timeline", PackageResources.timeline_mjs), ("renewal", PackageResources.renewal_mjs),
    ("table", PackageResources.table_mjs),
    ("histogram", PackageResources.histogram_mjs), ("head", PackageResources.head_mjs),
    ("tabs", PackageResources.tabs_mjs), ("search", PackageResources.search_mjs),
    ("stacks", PackageResources.stacks_mjs),
    ("panel", PackageResources.panel_mjs),
    ("graph", PackageResources.graph_mjs), ("comparison", PackageResources.comparison_mjs),
    ("why", PackageResources.why_mjs),
    ("findings", PackageResources.findings_mjs), ("help", PackageResources.help_mjs),
    ("live", PackageResources.live_mjs),
    ("main", PackageResources.main_mjs),
  ]

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// A module as a part of one script: without the lines that import others, which would need addresses.
  private static func plain(_ module: String) -> String {
    module.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
      .joined(separator: "\n")
  }
}
