import COpTraceScripts
import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// Draws a profile as a flame graph: one SVG file with its style (light, dark, print) and script, which needs nothing from outside.
///
/// The root is at the top, since that is where a browser opens a file: a deep profile would begin at its leaves otherwise. Without scripts, as in
/// an `<img>`, the picture is the whole profile, and its boxes have tooltips. With them it takes the window's width; a click or Enter
/// zooms, arrows go from box to box, Escape goes back, `/` or Ctrl-F searches.
package struct FlameGraphExporter {
  /// What a profile itself does not say.
  package struct Options: Sendable {
    /// Samples that found no room.
    package var lost = 0
    /// Sentences below the title: what was not sampled, what was selected.
    package var notes: [String] = []
    /// The first row tells whose time it is: operations, blocks, tasks, threads.
    package var byOwner = true
    /// Boxes with a smaller share of the whole are left out.
    package var smallestShare = 0.001

    /// Nothing was lost, and there is nothing to say.
    package init() {}
  }

  /// What makes it answer: it zooms, goes from box to box and searches.
  private static let script = EmbeddedFiles(
    count: optrace_script_count(), name: optrace_script_name, text: optrace_script_text
  ).script(of: ["elements.mjs", "names.mjs", "flame.mjs", "flame-file.mjs"], entry: "answerFlame")

  private let scene: FlameScene
  private let writer: ByteWriter

  /// O(samples × depth). The file's size is that of the boxes that are wide enough: at most `1 / smallestShare` for each level.
  package static func write(_ profile: Profile, options: Options = Options(), to writer: ByteWriter) {
    let tree = FlameTree(profile, byOwner: options.byOwner)
    Self(scene: FlameScene(profile, tree, options, difference: nil), writer: writer).write()
  }

  /// The same boxes, coloured by how their shares differ from those of the same stacks in `base`: red where they grew, blue where they
  /// shrank. O(samples × depth) of both.
  package static func write(
    _ profile: Profile, against base: Profile, options: Options = Options(), to writer: ByteWriter
  ) {
    let tree = FlameTree(profile, byOwner: options.byOwner)
    let difference = FlameDifference(profile, tree, base, FlameTree(base, byOwner: options.byOwner))
    Self(scene: FlameScene(profile, tree, options, difference: difference), writer: writer).write()
  }

  // MARK: The file

  private func write() {
    let (width, height) = (FlameScene.width, scene.height)
    writer.string(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" class="optrace-flame" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="Helvetica, Arial, DejaVu Sans, sans-serif">
      <title>\(TextEscaping.xml(scene.title))</title>
      <desc>\(TextEscaping.xml(scene.lines.joined(separator: "\n")))</desc>
      <style><![CDATA[
      \(FlameStyle.css)]]></style>
      <defs><pattern id="optrace-hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
      patternTransform="rotate(45)"><path class="stripe" d="M1 0V6"/></pattern></defs>
      <rect class="page" width="100%" height="100%"/>
      <g class="head">
      <text class="title" x="\(FlameScene.margin)" y="34">\(TextEscaping.xml(scene.shownTitle))</text>

      """)
    for (number, line) in scene.lines.enumerated() {
      let y = FlameScene.firstLine + number * FlameScene.lineHeight
      writer.string("<text class=\"subtitle\" x=\"\(FlameScene.margin)\" y=\"\(y)\">\(TextEscaping.xml(line))</text>\n")
    }
    writer.text("</g>\n<g class=\"legend\">\n")
    for entry in scene.legend { write(entry) }
    writer.string("</g>\n<text class=\"details\" x=\"\(FlameScene.margin)\" y=\"\(scene.detailsLine)\"> </text>\n")
    writer.string("<g class=\"frames\" data-left=\"\(FlameScene.margin)\" data-undrawn=\"\(scene.undrawn)\">\n")
    for box in scene.boxes { write(box) }
    writer.text("</g>\n<script><![CDATA[\n")
    writer.string(Self.script)
    writer.text("]]></script>\n</svg>\n")
  }

  private func write(_ entry: FlameScene.LegendEntry) {
    for (number, look) in entry.looks.enumerated() {
      write(look, x: Double(entry.x + number * 16), y: entry.y, width: 16, isHatched: entry.isHatched)
    }
    let x = entry.x + entry.looks.count * 16 + 6
    writer.string("<text x=\"\(x)\" y=\"\(entry.y + 12)\">\(TextEscaping.xml(entry.text))</text>\n")
  }

  private func write(_ box: FlameScene.Box) {
    let node = scene.tree.nodes[box.node]
    writer.string("<g class=\"f \(box.look)\(node.isJoined ? " j" : "")\" data-r=\"")
    writer.number(Int(node.start))
    writer.byte(UInt8(ascii: " "))
    writer.number(Int(node.weight))
    writer.byte(UInt8(ascii: " "))
    writer.number(node.depth)
    writer.text("\"><title>")
    writer.string(TextEscaping.xml(scene.tooltip(box.node)))
    writer.text("</title>")
    write(nil, x: box.x, y: box.y, width: box.width, isHatched: node.isJoined)
    if let label = scene.label(box) {
      writer.text("<text x=\"")
      writer.string(Self.number(box.x + FlameScene.padding))
      writer.text("\" y=\"")
      writer.number(box.y + 13)
      writer.text("\">")
      writer.string(TextEscaping.xml(label))
      writer.text("</text>")
    }
    writer.text("</g>\n")
  }

  private func write(_ look: String?, x: Double, y: Int, width: Double, isHatched: Bool) {
    for isHatch in isHatched ? [false, true] : [false] {
      writer.text("<rect")
      if isHatch {
        writer.text(" class=\"hatch\"")
      } else if let look {
        writer.string(" class=\"swatch \(look)\(isHatched ? " j" : "")\"")
      }
      writer.string(" x=\"\(Self.number(x))\" y=\"\(y)\" width=\"\(Self.number(width))\" ")
      writer.string("height=\"\(FlameScene.boxHeight)\"/>")
    }
  }

  /// With two decimals at most: no locale, no exponent.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((min(max(value, 0), 1e6) * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
