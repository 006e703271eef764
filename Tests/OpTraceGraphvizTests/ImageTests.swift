import OpTraceAnalysis
import TestSupport
import OpTraceGraph
@testable import OpTraceGraphviz
import OpTraceModel
import Testing

/// A PNG shows the same picture as the SVG: the tests read positions from the SVG and look for them in the PNG.
@Suite struct ImageTests {
  private struct Both {
    var picture: GraphPicture
    var layout: GraphLayout
    var svg: SVGReader
    var png: PNGReader
    /// Pixels per point.
    var scale: Double
    var origin: GraphLayout.Point

    init(_ trace: Trace) throws {
      picture = GraphPicture(of: trace)
      layout = try GraphvizRenderer.layout(picture)
      svg = SVGReader(SVGWriter.text(picture, layout))
      png = try PNGReader(try GraphvizRenderer.image(of: picture, placed: layout, as: .png))
      let width = try #require(svg.elements.first?.attributes["width"].flatMap(Double.init))
      scale = Double(png.width) / width
      let group = try #require(svg.elements.first { $0.name == "g" && $0.attributes["transform"] != nil })
      let numbers = try #require(group.attributes["transform"]).dropFirst("translate(".count).dropLast()
        .split(separator: " ").compactMap { Double($0) }
      origin = GraphLayout.Point(numbers[0], numbers[1])
    }

    /// The colour at a position of the layout.
    func color(_ x: Double, _ y: Double) -> String? {
      png.color(Int((x + origin.x) * scale), Int((y + origin.y) * scale))?.uppercased()
    }
  }

  @Test(arguments: LayoutTests.fixtures.prefix(3))
  func lanesAndOperationsAreWhereTheSVGHasThem(fixture: LayoutTests.Fixture) throws {
    let both = try Both(fixture.trace)
    let (width, height) = (both.layout.metrics.nodeWidth, both.layout.metrics.nodeHeight)
    for (number, node) in both.picture.nodes.enumerated() {
      let centre = both.layout.nodes[number]
      // Between the caption and the bar is only the box's fill. One point outside the box is its lane.
      let inside = both.color(centre.x + width / 2 - 6, centre.y + height / 2 - 4)
      #expect(inside == node.state.style.fill.light.hex.uppercased(), "\(node.name)")
      let lane = both.picture.lanes[node.lane]
      let ground = (lane.isBoxed ? lane.style.fill : Palette.page).light.hex.uppercased()
      #expect(both.color(centre.x + width / 2 - 12, centre.y - height / 2 - 4) == ground, "beside \(node.name)")
    }
    for (lane, box) in zip(both.picture.lanes, both.layout.lanes) where lane.isBoxed {
      for x in [box.minX + 4, box.maxX - 4] {
        for y in [box.minY + 12, box.maxY - 12] {
          #expect(both.color(x, y) == lane.style.fill.light.hex.uppercased(), "\(lane.title)")
        }
      }
    }
  }

  @Test func theWholePictureIsAsTallAsTheSVG() throws {
    let both = try Both(PhotoImport.stuck())
    let height = try #require(both.svg.elements.first?.attributes["height"].flatMap(Double.init))
    #expect(abs(Double(both.png.height) - height * both.scale) < 3)
    #expect(both.png.color(9, 9)?.uppercased() == Palette.page.light.hex)
  }

  /// The critical path's and the cycle's lines run through the same points.
  @Test func linesRunAsInTheSVG() throws {
    let both = try Both(PhotoImport.stuck())
    var seen = 0
    for (edge, curve) in zip(both.picture.edges, both.layout.edges) where edge.isCycle {
      let curve = try #require(curve)
      // The ends of each Bézier segment are on the line.
      let point = curve.points.count > 4 ? curve.points[3] : curve.points[0]
      let found = (-3...3).contains { x in
        (-3...3).contains { both.color(point.x + Double(x), point.y + Double($0)) == Palette.cycle.light.hex }
      }
      #expect(found, "\(both.picture.id(of: edge))")
      seen += 1
    }
    #expect(seen == 3)
  }

  /// The letters of a name are on the SVG's baseline, and depend on the name.
  @Test func textsAreOnTheirBaseline() throws {
    var make = HandmadeTrace("text")
    let queue = make.queue("q", limit: 1)
    make.operation("HHHH", on: queue, began: 0, ended: 10)
    let both = try Both(make.trace)
    let box = both.layout.nodes[0]
    let left = box.x - both.layout.metrics.nodeWidth / 2 + GraphMetrics.padding + GraphMetrics.signWidth
    let top = box.y - both.layout.metrics.nodeHeight / 2
    let rows = stride(from: top + 4, through: top + 22, by: 0.25).filter { y in
      stride(from: left, to: left + 30, by: 0.25).contains { x in
        both.color(x, y).map { Color($0).luminance < 0.1 } == true
      }
    }
    let bottom = try #require(rows.last)
    #expect(abs(bottom - (top + 18)) < 1, "at \(bottom - top) of 18")
  }

  /// Graphviz would scale it down, too, but print a message.
  @Test func aPictureThatIsTooLargeForPNGIsScaledDown() throws {
    let picture = GraphPicture(of: PhotoImport.stuck())
    var layout = try GraphvizRenderer.layout(picture)
    #expect(try GraphvizRenderer.scaledImage(of: picture, placed: layout, as: .png).scale == 1)
    layout.nodes[0].x += 60_000
    let (bytes, scale) = try GraphvizRenderer.scaledImage(of: picture, placed: layout, as: .png)
    let png = try PNGReader(bytes)
    #expect((32_000...32_767).contains(png.width) && (0.2..<0.5).contains(scale))
    #expect(try GraphvizRenderer.scaledImage(of: picture, placed: layout, as: .pdf).scale == 1)
  }

  /// Graphviz draws texts with and without a style differently. Neither way may read a name as markup or an entity.
  @Test func hostileNamesAreDrawn() throws {
    for trace in [Zoo.hostile(), Zoo.trace()] {
      let drawing = XDotWriter(GraphPicture(of: trace), try GraphvizRenderer.layout(GraphPicture(of: trace)))
      #expect(drawing.background.count > 1000)
      _ = try PNGReader(try GraphvizRenderer.image(of: GraphPicture(of: trace), as: .png))
    }
  }
}
