import Foundation
import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

@Suite struct GraphvizTests {
  @Test(arguments: LayoutTests.fixtures)
  func graphvizReadsWhatWeWrite(fixture: LayoutTests.Fixture) throws {
    let picture = GraphPicture(of: fixture.trace)
    let document = try GraphvizRenderer.count(inDOT: DOTWriter(picture).text())
    #expect(document == (picture.nodes.count, picture.edges.count))
    // The scaffold adds a root, a title for each lane, and edges that hold them in place.
    let scaffolded = try GraphvizRenderer.count(inDOT: DOTWriter(picture, for: .placing).text())
    #expect(scaffolded.nodes == picture.nodes.count + picture.lanes.count + 1)
    #expect(scaffolded.edges > picture.edges.count)
  }

  /// The library's messages are cut and printed to terminals, so no name may get into them.
  @Test func idsOfNodesHoldNoNames() {
    let text = DOTWriter(GraphPicture(of: Zoo.hostile()), for: .placing).text()
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("  op") || $0.hasPrefix("    op") }
    #expect(!lines.isEmpty)
    #expect(lines.allSatisfy { $0.utf8.count < 120 })
    #expect(!text.contains("script") && !text.contains("xxx"))
  }

  @Test(arguments: LayoutTests.fixtures)
  func imagesHaveTheirFormat(fixture: LayoutTests.Fixture) throws {
    let picture = GraphPicture(of: fixture.trace)
    let png = try GraphvizRenderer.image(of: picture, as: .png)
    #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    #expect(png.count > 5000)
    let pdf = try GraphvizRenderer.image(of: picture, as: .pdf)
    #expect(pdf.starts(with: Array("%PDF".utf8)))
  }

  @Test func aTextThatIsNotAGraphIsRefused() {
    #expect(throws: GraphvizError.self) { try GraphvizRenderer.count(inDOT: "digraph { a -> ") }
    #expect(throws: GraphvizError.self) { try GraphvizRenderer.count(inDOT: "no graph") }
  }

  /// The library is not thread-safe: without the lock this crashes.
  @Test func callsFromManyThreadsWaitForEachOther() async throws {
    let trace = PhotoImport.healthy()
    let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let picture = GraphPicture(of: trace)
          return SVGWriter.text(picture, try GraphvizRenderer.layout(picture)).utf8.count
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(sizes.count == 1, "the same picture each time")
  }

  /// The layout recurses along chains, and the usual stack is too small for this chain.
  @Test func aLongChainNeedsALargeStack() throws {
    var make = HandmadeTrace("chain")
    let queue = make.queue("q", limit: 1)
    for number in 0..<3000 {
      make.operation(
        "op", on: queue, after: number > 0 ? [OperationID(UInt32(number))] : [], began: Double(number),
        ended: Double(number + 1))
    }
    let layout = try GraphvizRenderer.layout(GraphPicture(of: make.trace))
    #expect(layout.nodes.count == 3000)
  }

  @Test func anImageThatIsTooLargeIsAnError() {
    let picture = GraphPicture(of: Large.layered(GraphvizRenderer.mostNodes + 1, width: 20))
    #expect(throws: GraphvizError(.tooLarge(nodes: GraphvizRenderer.mostNodes + 1, limit: GraphvizRenderer.mostNodes)))
    {
      try GraphvizRenderer.image(of: picture, as: .png)
    }
  }
}
