import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

/// Files of more than ``GraphPicture/mostDetailed`` operations are lean.
@Suite struct LargePictureTests {
  private static let trace = Large.layered(GraphPicture.mostDetailed + 1, width: 50)

  @Test func aLeanSVGHasEveryOperationInOneTileAndEveryEdge() throws {
    let picture = GraphPicture(of: Self.trace)
    let layout = try GraphvizRenderer.layout(picture)
    let text = SVGWriter.text(picture, layout)
    let svg = LeanReader(text)
    #expect(svg.error == nil)
    #expect(svg.operations.map(\.id).sorted() == picture.nodes.map(\.id).sorted() && svg.operations.count == 5001)
    let looks = Dictionary(uniqueKeysWithValues: picture.nodes.map { ($0.id, picture.cssClass(of: $0)) })
    for one in svg.operations {
      #expect(one.classes == looks[one.id] && one.lane.hasPrefix("queue "))
      #expect(one.tile == "\(Int((one.x / 1500).rounded(.down)))/\(Int((one.y / 1500).rounded(.down)))")
    }
    #expect(svg.operations.first { $0.id == "op-7" }?.shown == "✓ #7 step 6")
    #expect(svg.lines.flatMap(\.ids).sorted() == picture.edges.map(picture.id).sorted())
    // Without the script few elements show a box for each operation, and a line with a head for each edge.
    #expect(svg.boxes.map(\.shapes).reduce(0, +) == 5001)
    for line in svg.lines { #expect(line.shapes == line.ids.count) }
    #expect(svg.heads == picture.edges.count)
    #expect(svg.elements < 1000, "\(svg.elements)")
    #expect(text.utf8.count < 250 * 5001, "\(text.utf8.count)")
  }

  @Test func manyQueuesDoNotMakeManyPaths() {
    var make = HandmadeTrace("queues")
    let queues = (0..<1000).map { make.queue("queue \($0)", limit: 1) }
    for number in 0..<6000 {
      make.operation("step \(number)", on: queues[number % 1000], began: 0.0, ended: 1.0)
    }
    let picture = GraphPicture(of: make.trace)
    let svg = LeanReader(SVGWriter.text(picture, LayeredLayout.layout(picture)))
    #expect(svg.error == nil && svg.operations.count == 6000)
    let tiles = Set(svg.boxes.map(\.tile)).count
    #expect(svg.boxes.count <= 12 * tiles, "\(svg.boxes.count) paths in \(tiles) tiles")
    #expect(Set(svg.operations.map(\.lane)).count == 1000)
  }

  @Test func aLeanSVGTakesAnyName() throws {
    var make = HandmadeTrace("large", end: 100_000)
    make.trace = Self.trace
    let names = Zoo.hostileNames + ["a\tb\nc\rd", "x " + String(repeating: "long ", count: 50) + "z", " ]]> "]
    for (number, name) in names.enumerated() { make[OperationID(UInt32(10 * number + 1))].name = name }
    let picture = GraphPicture(of: make.trace)
    let svg = LeanReader(SVGWriter.text(picture, LayeredLayout.layout(picture)))
    #expect(svg.error == nil && svg.operations.count == 5001)
    for one in svg.operations {
      let node = try #require(picture.nodes.first { $0.id == one.id })
      // The file also has the full text of cut names, so that search finds them.
      #expect(one.name.contains(node.name), "\(one.name) is not \(node.name)")
    }
  }

  @Test func piecesAddUpToTheWholePicture() throws {
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

  @Test func anErrorOfTheSinkStopsTheWriter() {
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

  @Test func aSmallDOTIsThePicturesDOT() throws {
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

  @Test func aLargeDOTHasStatesAndTakesAnyName() throws {
    var make = HandmadeTrace("large", end: 100_000)
    make.trace = Self.trace
    for (number, name) in Zoo.hostileNames.enumerated() {
      make[OperationID(UInt32(10 * number + 1))].name = name
    }
    make[500].error = "lost"
    make.operation("Cycle", on: QueueID(1), after: [5002])
    make.trace.end = HandmadeTrace.nanoseconds(100_000)
    let text = try dot(make.trace)
    #expect(try GraphvizRenderer.count(inDOT: text).nodes == 5002)
    #expect(text.contains("op failed q-queue") && text.contains("op deadlocked q-queue"))
    #expect(text.contains("op5002 -> op5002 [class=\"dep cycle open\""))
  }
}
