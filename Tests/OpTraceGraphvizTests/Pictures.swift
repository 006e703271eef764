import Foundation
import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

/// Writes pictures of the fixtures to look at: `OPTRACE_PICTURES=folder swift test --filter Pictures`.
@Suite struct Pictures {
  static let folder = ProcessInfo.processInfo.environment["OPTRACE_PICTURES"]

  @Test(.enabled(if: folder != nil)) func write() throws {
    let folder = URL(fileURLWithPath: try #require(Self.folder))
    for (name, trace) in [
      ("stuck", PhotoImport.stuck()), ("healthy", PhotoImport.healthy()), ("zoo", Zoo.trace()),
      ("hostile", Zoo.hostile()), ("folded-fan", FoldedPictureTests.fan(400)),
      ("folded-layers", FoldedPictureTests.layered(2000)),
    ] {
      var options = GraphOptions()
      options.mostBoxes = 60
      let picture = GraphPicture(of: trace, options: options)
      let svg = SVGWriter.text(picture, try GraphvizRenderer.layout(picture))
      try Data(svg.utf8).write(to: folder.appendingPathComponent("\(name).svg"))
      try Data(DOTWriter(picture).text().utf8).write(to: folder.appendingPathComponent("\(name).dot"))
      let png = try GraphvizRenderer.image(of: picture, as: .png)
      try Data(png).write(to: folder.appendingPathComponent("\(name).png"))
    }
  }
}
