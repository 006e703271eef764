import Foundation
import OpTraceAnalysis
import OpTraceGraphviz
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceGraph

/// SVG and images are drawn on two canvases: both get the same shapes in the same colours, and write all of them.
@Suite struct CanvasTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var picture: @Sendable () throws -> GraphPicture

    init(testDescription: String, options: GraphOptions = GraphOptions(), trace: @escaping @Sendable () throws -> Trace)
    {
      self.init(testDescription: testDescription) { GraphPicture(of: try trace(), options: options) }
    }

    init(testDescription: String, picture: @escaping @Sendable () throws -> GraphPicture) {
      (self.testDescription, self.picture) = (testDescription, picture)
    }

    func drawing() throws -> GraphDrawing {
      let picture = try picture()
      return GraphDrawing(picture, try GraphvizRenderer.layout(picture))
    }
  }

  private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../traces").standardizedFileURL

  static let cases: [Case] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: samples.path)) ?? []
    var cases = names.filter { $0.hasSuffix(".optrace") }.sorted().map { name in
      Case(testDescription: name, trace: { try TraceReader.read(path: samples.appendingPathComponent(name).path) })
    }
    cases.append(Case(testDescription: "zoo", trace: { Zoo.trace() }))
    cases.append(Case(testDescription: "hostile", trace: { Zoo.hostile() }))
    cases.append(Case(testDescription: "empty", trace: { HandmadeTrace("nothing").trace }))
    var options = GraphOptions()
    options.mostBoxes = 60
    cases.append(Case(testDescription: "folded", options: options, trace: { FoldedPictureTests.layered(2000) }))
    options = GraphOptions()
    options.grouping = .class
    cases.append(Case(testDescription: "by class", options: options, trace: { PhotoImport.stuck() }))
    options.stuckHops = 1
    cases.append(Case(testDescription: "stuck", options: options, trace: { PhotoImport.stuck() }))
    cases.append(Case(testDescription: "comparison", picture: { ComparisonPictureTests.picture() }))
    return cases
  }()

  @Test func thereAreSamples() { #expect(Self.cases.count >= 18 + 7) }

  @Test(arguments: cases) func bothCanvasesGetTheSameShapes(_ sample: Case) throws {
    let drawing = try sample.drawing()
    var svg = RecordingCanvas(SVGCanvas(drawing))
    try drawing.draw(on: &svg)
    var image = RecordingCanvas(XDotCanvas(drawing))
    drawing.draw(on: &image)
    #expect(svg.calls.count == image.calls.count)
    for (one, other) in zip(svg.calls, image.calls) where "\(one)" != "\(other)" {
      Issue.record("\(one) in the SVG, \(other) in the image")
      break
    }
    // The canvas writes the same text.
    #expect(svg.base.out == SVGWriter.text(drawing.picture, drawing.layout))
    #expect(image.base.text == XDotWriter(drawing.picture, drawing.layout).background)
  }

  /// No shape is lost or moved.
  @Test(arguments: cases) func everyShapeIsWritten(_ sample: Case) throws {
    let drawing = try sample.drawing()
    var canvas = RecordingCanvas(SVGCanvas(drawing))
    try drawing.draw(on: &canvas)
    let svg = SVGReader(canvas.base.out)
    let image = XDotReader(XDotWriter(drawing.picture, drawing.layout).background, height: drawing.frame.height)
    #expect(svg.error == nil && image.rest.isEmpty)
    let things = DrawnThing.all(canvas.calls)
    #expect(
      svg.elements.count { $0.name == "rect" } == 1 + things.count { if case .box = $0.form { true } else { false } })
    var paths = 0
    for thing in things {
      switch thing.form {
      case .path, .line, .tip: paths += 1
      case .box(let box):
        let area = GraphLayout.Box(
          minX: box.minX + thing.origin.x, minY: box.minY + thing.origin.y, maxX: box.maxX + thing.origin.x,
          maxY: box.maxY + thing.origin.y)
        guard box.width > 0, box.height > 0 else { continue }
        #expect(image.areas.contains { $0.box.isNear(area) }, "\(thing.role) of \(thing.part)")
      case .words(let word, let isFirst):
        guard !word.text.isEmpty else { continue }
        // Texts with a style are written as markup, with entities.
        let forms = [word.text, word.text.replacing("&", with: "&amp;")]
        let shown = image.texts.filter { forms.contains($0.words) }
        #expect(!shown.isEmpty, "\(word.text)")
        // In this format texts are lower by a fifth of their size.
        let position = thing.origin.moved(by: GraphLayout.Point(0, word.role.size * 0.2))
        #expect(
          shown.contains { abs($0.at.y - position.y) < 0.02 && (!isFirst || abs($0.at.x - position.x) < 0.02) },
          "\(word.text) at \(position)")
      }
    }
    #expect(svg.elements.count { $0.name == "path" } == paths)
  }

  /// The image canvas uses the colours that the style sheet gives to a browser.
  @Test(arguments: cases) func bothCanvasesUseTheSameColours(_ sample: Case) throws {
    let drawing = try sample.drawing()
    var canvas = RecordingCanvas(SVGCanvas(drawing))
    try drawing.draw(on: &canvas)
    let sheet = StyleSheet(canvas.base.style)
    let svg = SVGReader(canvas.base.out)
    // All shapes except the page.
    let elements = svg.elements.indices.filter { number in
      ["rect", "path", "text", "tspan"].contains(svg.elements[number].name)
        && !svg.elements[number].classes.contains("page")
    }
    let things = DrawnThing.all(canvas.calls)
    #expect(elements.count == things.count)
    for (number, thing) in zip(elements, things) {
      let path = svg.path(to: number)
      let style = sheet.style(of: path)
      // A word inherits the attributes of its line.
      let line = path.last?.name == "tspan" ? sheet.style(of: path.dropLast()) : [:]
      let ink = drawing.picture.ink(of: thing.role, in: thing.part, hasLanes: drawing.layout.metrics.hasLanes)
      let comment: Comment = "\(thing.role) of \(thing.part), \(path.last?.attributes ?? [:])"
      if case .words(let word, _) = thing.form {
        if let fill = ink.fill { #expect(fill.light.hex == style["fill"] ?? line["fill"], comment) }
        #expect("\(word.role.size)" == "\(Self.number(style["font-size"] ?? line["font-size"]))", comment)
        #expect(ink.isBold == ((style["font-weight"] ?? line["font-weight"]) == "700"), comment)
        #expect(ink.isStruck == (style["text-decoration"] == "line-through"), comment)
      } else {
        #expect(ink.fill?.light.hex ?? "none" == style["fill"] ?? "", comment)
        #expect(ink.stroke?.light.hex ?? "none" == style["stroke"] ?? "none", comment)
        guard ink.stroke != nil else { continue }
        #expect("\(ink.width)" == "\(Self.number(style["stroke-width"] ?? "1"))", comment)
        let dashes = (style["stroke-dasharray"] ?? "none").split(separator: " ").compactMap { Double($0) }
        #expect(ink.dashes == dashes, comment)
        #expect(ink.isRound == (style["stroke-linecap"] == "round"), comment)
      }
    }
  }

  private static func number(_ text: String?) -> Double {
    Double((text ?? "").replacing("px", with: "")) ?? .nan
  }

  /// The sign shows the state without colour, in each format and in the legend.
  @Test(arguments: ShownState.allCases) func everyStateHasItsSign(_ state: ShownState) throws {
    let picture = GraphPicture(of: Zoo.trace())
    let drawing = GraphDrawing(picture, try GraphvizRenderer.layout(picture))
    let image = XDotReader(XDotWriter(picture, drawing.layout).background, height: drawing.frame.height)
    var canvas = RecordingCanvas(SVGCanvas(drawing))
    try drawing.draw(on: &canvas)
    let signs = DrawnThing.all(canvas.calls).filter { $0.role == .sign && canvas.hasState(state, $0.part, picture) }
    #expect(signs.count >= 2, "an operation and its entry in the legend")
    for sign in signs {
      let area = GraphLayout.Box(
        minX: sign.origin.x - 0.5, minY: sign.origin.y - 0.5, maxX: sign.origin.x + 11.5, maxY: sign.origin.y + 11.5)
      let lines = image.lines.filter {
        $0.color == state.style.accent.light.hex && $0.points.allSatisfy(area.contains)
      }
      #expect(lines.count == Outline.all(of: state.path, at: sign.origin).count, "\(sign.part)")
    }
  }

  @Test func dashedAndDottedLinesAreDrawn() throws {
    let zero = GraphLayout.Point(0, 0)
    let straight = try #require(Outline.all(of: DrawnPath([(0, 0), (12, 0)]), at: zero).first)
    let broken = StrokedLine(straight, .line(Palette.edge, 1, [4, 3]))
    #expect(broken.dashes.map { $0.first?.x } == [0, 7] && broken.dashes.map { $0.last?.x } == [4, 11])
    #expect(broken.dots.isEmpty)
    // A round dash that is shorter than the line width is a dot.
    let dotted = StrokedLine(straight, .line(Palette.edge, 2, [0.1, 4.9], isRound: true))
    #expect(dotted.dashes.isEmpty && dotted.dots.map { ($0.x * 10).rounded() / 10 } == [0, 5, 10])
    let round = StrokedLine(straight, .line(Palette.edge, 2, isRound: true))
    #expect(round.dashes.isEmpty && round.dots == [zero, GraphLayout.Point(12, 0)])
  }
}

extension RecordingCanvas {
  fileprivate func hasState(_ state: ShownState, _ part: DrawnPart, _ picture: GraphPicture) -> Bool {
    switch part {
    case .node(let number): picture.nodes[number].state == state
    case .mark(.state(let shown)): shown == state
    default: false
    }
  }
}

extension GraphLayout.Box {
  fileprivate func isNear(_ other: Self) -> Bool {
    [minX - other.minX, minY - other.minY, maxX - other.maxX, maxY - other.maxY].allSatisfy { abs($0) < 0.02 }
  }
}
