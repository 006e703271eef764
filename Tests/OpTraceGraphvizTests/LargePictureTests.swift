import TestSupport
import OpTraceExport
import OpTraceGraphviz
import OpTraceModel
import Testing

/// Above ``GraphPicture/mostDetailed`` operations files are lean.
@Suite struct LargePictureTests {
  private static let trace = Large.layered(GraphPicture.mostDetailed + 1, width: 50)

  @Test func aLeanSVGHasEveryOperationAndEveryEdge() throws {
    let picture = GraphPicture(of: Self.trace)
    let text = SVGWriter.text(picture, try GraphvizRenderer.layout(picture))
    let svg = SVGReader(text)
    #expect(svg.error == nil)
    #expect(Set(svg.ids).count == svg.ids.count)
    let operations = svg.having("op").compactMap { $0.attributes["id"] }
    #expect(operations == picture.nodes.map(\.id) && operations.count == 5001)
    let edges = svg.having("dep").compactMap { $0.attributes["id"] }.filter { !$0.hasSuffix("tip") }
    #expect(edges.sorted() == picture.edges.map(picture.id).sorted())
    #expect(svg.having("op").first?.attributes["class"] == picture.cssClass(of: picture.nodes[0]))
    #expect(text.utf8.count < 300 * 5001, "\(text.utf8.count)")
    #expect(!text.contains("<script"))
  }

  @Test func piecesAreTheWhole() throws {
    for count in [40, 3000] {
      let picture = GraphPicture(of: Large.layered(count, width: 20))
      let layout = LayeredLayout.layout(picture)
      var pieces: [[UInt8]] = []
      try SVGWriter.write(picture, layout) { pieces.append(Array($0)) }
      #expect(Array(pieces.joined()) == Array(SVGWriter.text(picture, layout).utf8))
      #expect(pieces.count > 1 || count == 40)
      #expect(pieces.allSatisfy { $0.count < 1 << 18 })
      pieces = []
      try DOTWriter(picture).write { pieces.append(Array($0)) }
      #expect(Array(pieces.joined()) == Array(DOTWriter(picture).text().utf8))
    }
  }

  @Test func whatASinkThrowsEndsTheWriting() {
    struct Full: Error {}
    let picture = GraphPicture(of: Large.layered(3000, width: 20))
    #expect(throws: Full.self) { try SVGWriter.write(picture, LayeredLayout.layout(picture)) { _ in throw Full() } }
    #expect(throws: Full.self) { try DOTWriter(picture).write { _ in throw Full() } }
    #expect(throws: Full.self) { try DOTExporter(Self.trace).write { _ in throw Full() } }
  }

  private func dot(_ trace: Trace) throws -> String {
    var bytes: [UInt8] = []
    try DOTExporter(trace).write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aSmallDOTIsThatOfThePicture() throws {
    #expect(try dot(PhotoImport.stuck()) == DOTWriter(GraphPicture(of: PhotoImport.stuck())).text())
  }

  @Test func aLargeDOTHasEveryOperationAndEveryEdge() throws {
    let picture = GraphPicture(of: Self.trace)
    let text = try dot(Self.trace)
    let counts = try GraphvizRenderer.count(inDOT: text)
    #expect(counts.nodes == 5001 && counts.edges == picture.edges.count)
    #expect(text.contains("\nop7 [label=\"✓ step 6\\n#7 · 1 ms\"];\n"))
    #expect(text.contains("node [class=\"op finished q-queue-0\", style=\"rounded,filled\""))
  }

  @Test func aLargeDOTTellsStatesAndTakesAnyName() throws {
    var make = HandmadeTrace("large", end: 100_000)
    make.trace = Self.trace
    for (number, name) in Zoo.hostileNames.enumerated() {
      make[OperationID(UInt32(10 * number + 1))].name = name
    }
    make[500].error = "lost"
    make.operation("Circle", on: QueueID(1), after: [5002])
    make.trace.end = HandmadeTrace.nanoseconds(100_000)
    let text = try dot(make.trace)
    #expect(try GraphvizRenderer.count(inDOT: text).nodes == 5002)
    #expect(text.contains("op failed q-queue") && text.contains("op deadlocked q-queue"))
    #expect(text.contains("op5002 -> op5002 [class=\"dep cycle open\""))
  }
}
