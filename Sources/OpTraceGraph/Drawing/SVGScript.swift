import COpTraceScripts
import OpTraceText

/// The scripts that make a picture in a file respond to pointers and keys.
enum SVGScript {
  /// Shows, on hover or focus, everything that an operation waits for and everything that waits for it.
  static let full = files.script(of: ["tracing.mjs"], entry: "traceGraph")
  /// Turns a lean picture into a viewer, in which operations and edges become elements when the reader zooms in.
  static let lean = files.script(of: ["elements.mjs", "tiles.mjs", "viewer.mjs"], entry: "viewLean")

  private static var files: EmbeddedFiles {
    EmbeddedFiles(count: optrace_script_count(), name: optrace_script_name, text: optrace_script_text)
  }
}
