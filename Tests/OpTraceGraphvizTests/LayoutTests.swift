import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

@Suite struct LayoutTests {
  struct Fixture: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var trace: Trace
  }
  static let fixtures = [
    Fixture(testDescription: "stuck", trace: PhotoImport.stuck()),
    Fixture(testDescription: "healthy", trace: PhotoImport.healthy()),
    Fixture(testDescription: "zoo", trace: Zoo.trace()),
    Fixture(testDescription: "hostile", trace: Zoo.hostile()),
  ]

  @Test(arguments: fixtures, [true, false])
  func nothingCoversAnythingElse(fixture: Fixture, byGraphviz: Bool) throws {
    let picture = GraphPicture(of: fixture.trace)
    let layout = byGraphviz ? try GraphvizRenderer.layout(picture) : LayeredLayout.layout(picture)
    let boxes = layout.nodes.map {
      GraphLayout.Box(centre: $0, width: layout.metrics.nodeWidth, height: layout.metrics.nodeHeight)
    }
    for (one, other) in pairs(boxes.count) { #expect(!overlaps(boxes[one], boxes[other]), "nodes \(one), \(other)") }
    for (one, other) in pairs(layout.lanes.count) {
      #expect(!overlaps(layout.lanes[one], layout.lanes[other]), "lanes \(one), \(other)")
    }
    for (number, node) in picture.nodes.enumerated() {
      for lane in picture.lanes.indices {
        #expect(overlaps(boxes[number], layout.lanes[lane]) == (lane == node.lane), "node \(number) and lane \(lane)")
      }
      for title in layout.titles { #expect(!overlaps(boxes[number], title), "node \(number) covers a title") }
    }
  }

  @Test(arguments: fixtures, [true, false])
  func noLineCrossesALaneTitle(fixture: Fixture, byGraphviz: Bool) throws {
    let picture = GraphPicture(of: fixture.trace)
    let layout = byGraphviz ? try GraphvizRenderer.layout(picture) : LayeredLayout.layout(picture)
    #expect(layout.titles.count == picture.lanes.count)
    for (number, curve) in layout.edges.enumerated() {
      let curve = try #require(curve, "edge \(number) has no line")
      for (lane, title) in layout.titles.enumerated() {
        #expect(!curve.crosses(title), "\(picture.id(of: picture.edges[number])) crosses the title of lane \(lane)")
      }
    }
  }

  @Test(arguments: fixtures.prefix(3))
  func noLineRunsThroughOtherOperations(fixture: Fixture) throws {
    let picture = GraphPicture(of: fixture.trace)
    let layout = try GraphvizRenderer.layout(picture)
    for (number, edge) in picture.edges.enumerated() {
      let curve = try #require(layout.edges[number])
      for (node, centre) in layout.nodes.enumerated() where node != edge.from && node != edge.to {
        // A line may touch a box's border.
        let box = GraphLayout.Box(
          centre: centre, width: layout.metrics.nodeWidth - 6, height: layout.metrics.nodeHeight - 6)
        #expect(!curve.crosses(box), "\(picture.id(of: edge)) runs through \(picture.nodes[node].id)")
      }
    }
  }

  /// The check above must detect a crossing.
  @Test func aLineThroughABoxIsDetected() {
    let points = [(0.0, 0.0), (10, 10), (90, 10), (100, 0)].map { GraphLayout.Point($0.0, $0.1) }
    let curve = GraphLayout.Curve(points: points, tip: points[3])
    #expect(curve.crosses(GraphLayout.Box(minX: 45, minY: 5, maxX: 55, maxY: 9)))
    #expect(!curve.crosses(GraphLayout.Box(minX: 45, minY: 8, maxX: 55, maxY: 10)))
  }

  @Test func linesBeginAndEndAtTheirOperations() throws {
    let picture = GraphPicture(of: PhotoImport.stuck())
    let layout = try GraphvizRenderer.layout(picture)
    for (edge, curve) in zip(picture.edges, layout.edges) {
      let curve = try #require(curve)
      for (end, node) in [(curve.points[0], edge.from), (curve.tip, edge.to)] {
        let box = GraphLayout.Box(
          centre: layout.nodes[node], width: layout.metrics.nodeWidth + 8, height: layout.metrics.nodeHeight + 8)
        #expect(box.contains(end), "\(picture.id(of: edge))")
      }
    }
  }

  /// The back edge of a cycle starts where other lines end. An arrowhead there would look like a two-headed arrow.
  @Test func noArrowheadIsWhereAnotherLineBegins() throws {
    var make = HandmadeTrace("cycle", end: 10)
    let queue = make.queue("q", limit: 2)
    let other = make.queue("other", limit: 1)
    make.operation("one", on: queue, after: [2])
    make.operation("two", on: queue, after: [3])
    make.operation("three", on: other, after: [1])
    let layout = try GraphvizRenderer.layout(GraphPicture(of: make.trace))
    let curves = try layout.edges.map { try #require($0) }
    #expect(curves.count == 3)
    for head in curves.map(\.tip) {
      for start in curves.map({ $0.points[0] }) {
        #expect(abs(head.x - start.x) > 4 || abs(head.y - start.y) > 4)
      }
    }
  }

  @Test func dependenciesRunFromLeftToRight() throws {
    let picture = GraphPicture(of: PhotoImport.healthy())
    let layout = try GraphvizRenderer.layout(picture)
    for edge in picture.edges where edge.kind == .dependency {
      #expect(layout.nodes[edge.from].x < layout.nodes[edge.to].x)
    }
  }

  /// In a run without dependencies only the numbers give an order.
  @Test func earlierOperationsAreAbove() throws {
    var make = HandmadeTrace("column")
    let queue = make.queue("q")
    for _ in 0..<6 { make.operation("op", on: queue, began: 0, ended: 1) }
    let layout = try GraphvizRenderer.layout(GraphPicture(of: make.trace))
    #expect(layout.nodes.map(\.y) == layout.nodes.map(\.y).sorted())
  }

  @Test func slotWaitsRunFromLeftToRightToo() throws {
    var make = HandmadeTrace("serial")
    let queue = make.queue("q", limit: 1)
    for number in 0..<4 {
      make.operation("op", on: queue, ready: 0, began: Double(number), ended: Double(number + 1))
    }
    let layout = try GraphvizRenderer.layout(GraphPicture(of: make.trace))
    #expect(layout.nodes.map(\.x) == layout.nodes.map(\.x).sorted() && Set(layout.nodes.map(\.x)).count == 4)
  }

  @Test func operationsWithoutEdgesAreInTheFirstColumn() throws {
    var make = HandmadeTrace("mixed")
    let serial = make.queue("serial", limit: 1)
    let wide = make.queue("wide")
    for number in 0..<4 {
      make.operation("in turn", on: serial, ready: 0, began: Double(number), ended: Double(number + 1))
      make.operation("together", on: wide, began: 0, ended: 1)
    }
    let picture = GraphPicture(of: make.trace)
    let layout = try GraphvizRenderer.layout(picture)
    let columns = zip(picture.nodes, layout.nodes).filter { $0.0.name == "together" }.map(\.1.x)
    #expect(Set(columns).count == 1 && columns.first == layout.nodes.map(\.x).min())
  }

  @Test func manyQueuesHaveTintsInsteadOfLanes() throws {
    var make = HandmadeTrace("many")
    for number in 0..<60 {
      let queue = make.queue("queue \(number)", limit: 1)
      make.operation("op", on: queue, after: number > 2 ? [OperationID(UInt32(number - 2))] : [], began: 0, ended: 1)
    }
    let picture = GraphPicture(of: make.trace)
    let layout = try GraphvizRenderer.layout(picture)
    #expect(layout.lanes.isEmpty && layout.nodes.count == 60)
    #expect(SVGReader(SVGWriter.text(picture, layout)).error == nil)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [1000, 3000, 10_000, 40_000])
  func largeGraphsArePlaced(count: Int) throws {
    for width in [1, 40] {
      let picture = GraphPicture(of: Large.layered(count, width: width))
      let layout = try GraphvizRenderer.layout(picture)
      #expect(layout.nodes.count == count)
      let text = SVGWriter.text(picture, layout)
      let lean = LeanReader(text)
      let boxes = lean.elementIDs.count { $0.hasPrefix("op-") }
      #expect((count > GraphPicture.mostDetailed ? lean.operations.count : boxes) == count)
      // The XML parser refuses documents above 10 MB.
      if text.utf8.count < 9_000_000 { #expect(SVGReader(text).error == nil) }
    }
  }

  private func pairs(_ count: Int) -> [(Int, Int)] {
    (0..<count).flatMap { one in (one + 1..<max(count, one + 1)).map { (one, $0) } }
  }

  private func overlaps(_ one: GraphLayout.Box, _ other: GraphLayout.Box) -> Bool {
    one.minX < other.maxX && other.minX < one.maxX && one.minY < other.maxY && other.minY < one.maxY
  }
}

enum Large {
  /// Layers of `width` operations in four queues. Each operation depends on one or two of the layer before.
  static func layered(_ count: Int, width: Int) -> Trace {
    var make = HandmadeTrace("large")
    let queues = (0..<4).map { make.queue("queue \($0)", limit: 4) }
    for number in 0..<count {
      var after: [OperationID] = []
      if number >= width {
        after.append(OperationID(UInt32(number - width + 1)))
        if number % 3 == 0, number % width > 0 { after.append(OperationID(UInt32(number - width))) }
      }
      let row = Double(number / width)
      make.operation("step \(number)", on: queues[number % 4], after: after, began: row, ended: row + 1)
    }
    return make.trace
  }
}
