import TestSupport
import OpTraceAnalysis
import Testing

@Suite struct FoldingTests {
  struct Graph {
    var count: Int
    var edges: [FoldingEdge]
    var kinds: [Int32]
    var coarse: [Int32]?
    var isWhole: [Bool]

    init(_ count: Int, _ edges: [(Int, Int)], kinds: [Int]? = nil, whole: Set<Int> = []) {
      self.count = count
      self.edges = edges.map { FoldingEdge(from: Int32($0.0), to: Int32($0.1)) }
      self.kinds = kinds?.map { Int32($0) } ?? [Int32](repeating: 0, count: count)
      isWhole = (0..<count).map(whole.contains)
    }

    func folded(_ most: Int, worthIt: [Int32] = []) -> GraphFolding {
      GraphFolding(
        nodeCount: count, edges: edges, tiers: [[kinds] + [coarse].compactMap(\.self)], isWhole: isWhole, most: most,
        worthIt: worthIt)
    }

    /// Cycles of boxes, as sets of boxes.
    func cycles(_ folding: GraphFolding) -> [[Int]] {
      Self.cycles(
        folding.boxCount,
        edges.compactMap { edge in
          let (from, to) = (Int(folding.boxes[Int(edge.from)]), Int(folding.boxes[Int(edge.to)]))
          return from == to ? nil : (from, to)
        })
    }

    static func cycles(_ count: Int, _ edges: [(Int, Int)]) -> [[Int]] {
      let graph = DependencyGraph(
        nodeCount: count, edges: edges.map { DependencyGraph.Edge(waiter: $0.1, dependency: $0.0) })
      return graph.stronglyConnectedComponents().filter { $0.count > 1 }
    }
  }

  private func sizes(_ folding: GraphFolding) -> [Int] {
    (0..<folding.boxCount).map { box in folding.boxes.count { Int($0) == box } }
  }

  @Test func smallGraphsAreNotFolded() {
    let folding = Graph(4, [(0, 1), (1, 2)]).folded(4)
    #expect(folding.boxes == [0, 1, 2, 3] && folding.boxCount == 4)
  }

  @Test func fanBecomesThreeBoxes() {
    let middle = 1..<1001
    let folding = Graph(1002, middle.flatMap { [(0, $0), ($0, 1001)] }).folded(10)
    #expect(sizes(folding) == [1, 1000, 1] && !folding.hasBands)
  }

  @Test func pipelineKeepsItsStages() {
    let edges = (0..<4000).filter { $0 % 4 > 0 }.map { ($0 - 1, $0) }
    let folding = Graph(4000, edges, kinds: (0..<4000).map { $0 % 4 }).folded(20)
    #expect(sizes(folding) == [1000, 1000, 1000, 1000])
    #expect((0..<4000).allSatisfy { Int(folding.boxes[$0]) == $0 % 4 })
  }

  @Test func chainBecomesOneBoxAndASingleNodeSplitsIt() {
    let edges = (1..<100_000).map { ($0 - 1, $0) }
    #expect(sizes(Graph(100_000, edges).folded(10)) == [100_000])
    #expect(sizes(Graph(100_000, edges, whole: [40_000]).folded(10)) == [40_000, 1, 59_999])
  }

  @Test func layersFoldByDepth() {
    // Five layers of twenty nodes: each node waits for three nodes of the layer before.
    var edges: [(Int, Int)] = []
    for node in 20..<100 {
      for other in 0..<3 { edges.append((node / 20 * 20 - 20 + (node * 7 + other * 3) % 20, node)) }
    }
    let folding = Graph(100, edges).folded(6)
    #expect(sizes(folding) == [20, 20, 20, 20, 20] && !folding.hasBands)
  }

  @Test func alternatingChainFoldsIntoBands() {
    let edges = (1..<1000).map { ($0 - 1, $0) }
    let graph = Graph(1000, edges, kinds: (0..<1000).map { $0 % 2 })
    let folding = graph.folded(10)
    // As many bands of two kinds as fit; the two boxes of a band form a cycle.
    #expect(sizes(folding) == [Int](repeating: 100, count: 10) && folding.hasBands)
    #expect(graph.cycles(folding).count == 5)
    #expect(sizes(graph.folded(2)) == [500, 500])
  }

  @Test func bandsEndAtSingleNodes() {
    let edges = (1..<1000).map { ($0 - 1, $0) }
    let folding = Graph(1000, edges, kinds: (0..<1000).map { $0 % 2 }, whole: [300, 700]).folded(9)
    // One box for each kind before, between and behind the two single nodes.
    #expect(sizes(folding) == [150, 150, 1, 200, 199, 1, 150, 149])
  }

  /// The nodes of a layer share nothing but their depth: eight boxes would show hardly anything.
  @Test(arguments: [100, 300])
  func nodesAreUnfoldedWhereThereIsRoom(most: Int) {
    var random = SeededGenerator(7)
    var edges: [(Int, Int)] = []
    for node in 1250..<10_000 {
      for _ in 0..<2 { edges.append((node / 1250 * 1250 - 1250 + random.number(0..<1250), node)) }
    }
    let graph = Graph(10_000, edges)
    let folding = graph.folded(most)
    #expect(folding.boxCount <= most && folding.boxCount > most / 5, "\(folding.boxCount)")
    #expect(!folding.hasBands && graph.cycles(folding).isEmpty)
    let links = Set(edges.map { [folding.boxes[$0.0], folding.boxes[$0.1]] }.filter { $0[0] != $0[1] })
    #expect(links.count <= 2 * most, "\(links.count)")
  }

  @Test func coarserKindsAreUsedLater() {
    var graph = Graph(1000, [], kinds: (0..<1000).map { $0 })
    #expect(graph.folded(10).boxCount == 1000, "nothing else is allowed to fold")
    graph.coarse = (0..<1000).map { Int32($0 % 3) }
    #expect(sizes(graph.folded(10)) == [334, 333, 333])
  }

  @Test func edgesToUnknownNodesAreIgnored() {
    let folding = GraphFolding(
      nodeCount: 3, edges: [FoldingEdge(from: 0, to: 7), FoldingEdge(from: -1, to: 1), FoldingEdge(from: 2, to: 2)],
      tiers: [[[0, 0, 0]]], isWhole: [false, false, false], most: 2)
    #expect(folding.boxes == [0, 0, 1], "what waits for itself is left alone")
    #expect(GraphFolding(nodeCount: 0, edges: [], tiers: [[[]]], isWhole: [], most: 3).boxCount == 0)
  }

  /// All acyclic graphs of four nodes, with every assignment of two kinds.
  @Test func allSmallGraphsKeepTheirOrder() {
    let pairs = (0..<4).flatMap { one in (one + 1..<4 + (one == 3 ? 1 : 0)).filter { $0 < 4 }.map { (one, $0) } }
    #expect(pairs.count == 6)
    for bits in 0..<64 {
      let edges = pairs.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
      for kindBits in 0..<16 {
        for most in 1...3 {
          check(Graph(4, edges, kinds: (0..<4).map { kindBits >> $0 & 1 }), most, "\(edges) \(kindBits) \(most)")
        }
      }
    }
  }

  @Test(arguments: 0..<200)
  func foldedRandomGraphsKeepTheirEdges(seed: Int) {
    var random = SeededGenerator(seed)
    let count = random.number(1..<120)
    var edges: [(Int, Int)] = []
    for _ in 0..<random.number(0..<240) {
      let (one, other) = (random.number(0..<count), random.number(0..<count))
      // Some graphs have cycles.
      edges.append(seed % 4 == 0 ? (one, other) : (min(one, other), max(one, other)))
    }
    if seed % 4 != 0 { edges.removeAll { $0.0 == $0.1 } }
    let kinds = random.number(1..<5)
    let whole = Set((0..<random.number(0..<6)).map { _ in random.number(0..<count) })
    let graph = Graph(count, edges, kinds: (0..<count).map { _ in random.number(0..<kinds) }, whole: whole)
    let most = random.number(1..<40)
    check(graph, most, "seed \(seed)")
    // Unfolding nodes where there is room creates no cycle either.
    check(graph, most, "seed \(seed), taken out", worthIt: (0..<Int32(count)).shuffled(using: &random))
  }

  /// If a chain is folded with its neighbours, unfolding a node in its middle would create a cycle.
  @Test(arguments: 0..<100)
  func unfoldingCreatesNoCycle(seed: Int) {
    var random = SeededGenerator(seed)
    let (width, depth) = (random.number(2..<9), random.number(3..<12))
    var edges: [(Int, Int)] = []
    for node in width..<width * depth {
      let first = node / width * width - width
      for _ in 0..<random.number(1..<3) { edges.append((first + random.number(0..<width), node)) }
    }
    let graph = Graph(width * depth, edges, kinds: (0..<width * depth).map { _ in random.chance(20) ? 1 : 0 })
    for most in [4, 9, 20] {
      check(graph, most, "seed \(seed)", worthIt: (0..<Int32(graph.count)).shuffled(using: &random))
    }
  }

  private func check(_ graph: Graph, _ most: Int, _ what: String, worthIt: [Int32] = []) {
    let folding = graph.folded(most, worthIt: worthIt)
    #expect(folding.boxes.count == graph.count, "\(what)")
    // Boxes are numbered by their first nodes, without a gap.
    var next: Int32 = 0
    for box in folding.boxes {
      #expect(box <= next, "\(what)")
      if box == next { next += 1 }
    }
    #expect(Int(next) == folding.boxCount, "\(what)")
    let members = Dictionary(grouping: 0..<graph.count) { folding.boxes[$0] }
    for nodes in members.values {
      #expect(Set(nodes.map { graph.kinds[$0] }).count == 1 || graph.isWhole[nodes[0]], "\(what)")
      #expect(nodes.count == 1 || !nodes.contains { graph.isWhole[$0] }, "\(what)")
    }
    if graph.count <= most { #expect(folding.boxCount == graph.count, "\(what)") }
    let least = graph.isWhole.count(where: \.self) + Set(graph.kinds).count
    #expect(folding.boxCount <= max(most, least), "\(what)")
    guard !folding.hasBands else { return }
    // Boxes form a cycle only if their nodes do, and nodes on cycles are not folded.
    let real = Graph.cycles(graph.count, graph.edges.map { (Int($0.from), Int($0.to)) })
    let onCycles = Set(real.joined())
    for cycle in graph.cycles(folding) {
      for box in cycle {
        let nodes = members[Int32(box)] ?? []
        #expect(nodes.count == 1 && onCycles.contains(nodes[0]), "\(what): a cycle that is none")
      }
    }
  }
}
