import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

@Suite struct DependencyGraphTests {
  /// Which node reaches which over at least one edge, by Warshall's algorithm: slow, but certainly right.
  private func closure(_ nodeCount: Int, _ edges: [DependencyGraph.Edge]) -> [[Bool]] {
    var reaches = Array(repeating: Array(repeating: false, count: nodeCount), count: nodeCount)
    for edge in edges { reaches[edge.waiter][edge.dependency] = true }
    for middle in 0..<nodeCount {
      for from in 0..<nodeCount where reaches[from][middle] {
        for to in 0..<nodeCount where reaches[middle][to] { reaches[from][to] = true }
      }
    }
    return reaches
  }

  private func check(_ nodeCount: Int, _ edges: [DependencyGraph.Edge]) {
    let graph = DependencyGraph(nodeCount: nodeCount, edges: edges)
    let reaches = closure(nodeCount, edges)
    let nodes = 0..<nodeCount
    let expected = Set(nodes.map { node in nodes.filter { $0 == node || reaches[node][$0] && reaches[$0][node] } })
    let components = graph.stronglyConnectedComponents()
    #expect(Set(components) == expected && components.count == expected.count, "\(edges)")
    // Dependencies come before what waits for them.
    var seen = Set<Int>()
    for component in components {
      seen.formUnion(component)
      for node in component { #expect(graph.dependencies(of: node).allSatisfy(seen.contains), "\(edges)") }
    }
    #expect(Set(graph.cyclicComponents()) == expected.filter { reaches[$0[0]][$0[0]] }, "\(edges)")
    for component in graph.cyclicComponents() {
      let cycle = graph.cycle(in: component)
      #expect(cycle.first == component.first && Set(cycle).count == cycle.count, "\(edges)")
      for (node, next) in zip(cycle, cycle.dropFirst() + cycle.prefix(1)) {
        #expect(graph.hasEdge(from: node, to: next), "\(edges)")
      }
    }
    for node in nodes {
      #expect(graph.ancestors(of: node) == nodes.filter { reaches[node][$0] }, "\(edges)")
      #expect(graph.descendants(of: node) == nodes.filter { reaches[$0][node] }, "\(edges)")
    }
    let order = graph.topologicalOrder()
    #expect(
      Set(order)
        == Set(nodes.filter { node in !nodes.contains { (reaches[node][$0] || $0 == node) && reaches[$0][$0] } }))
    for (index, node) in order.enumerated() {
      #expect(graph.dependencies(of: node).allSatisfy(order[..<index].contains), "\(edges)")
    }
  }

  @Test func allGraphsOfUpToThreeNodesMatchTheOracle() {
    for count in 0...3 {
      let pairs = (0..<count).flatMap { from in (0..<count).map { DependencyGraph.Edge(waiter: from, dependency: $0) } }
      for mask in 0..<(1 << pairs.count) {
        check(count, pairs.indices.filter { mask >> $0 & 1 == 1 }.map { pairs[$0] })
      }
    }
  }

  @Test func allGraphsOfFourNodesMatchTheOracle() {
    let pairs = (0..<4).flatMap { from in
      (0..<4).filter { $0 != from }.map { DependencyGraph.Edge(waiter: from, dependency: $0) }
    }
    for mask in 0..<(1 << pairs.count) { check(4, pairs.indices.filter { mask >> $0 & 1 == 1 }.map { pairs[$0] }) }
  }

  @Test func allAcyclicGraphsOfFiveNodesMatchTheOracle() {
    let pairs = (0..<5).flatMap { later in (0..<later).map { DependencyGraph.Edge(waiter: later, dependency: $0) } }
    for mask in 0..<(1 << pairs.count) { check(5, pairs.indices.filter { mask >> $0 & 1 == 1 }.map { pairs[$0] }) }
  }

  @Test func neighbourhoodGrowsByHops() {
    let graph = DependencyGraph(
      nodeCount: 7, edges: (0..<6).map { DependencyGraph.Edge(waiter: $0 + 1, dependency: $0) })
    #expect(graph.neighbourhood(of: [3], hops: 0) == [3])
    #expect(graph.neighbourhood(of: [3], hops: 1) == [2, 3, 4])
    #expect(graph.neighbourhood(of: [3], hops: 2, .dependencies) == [1, 2, 3])
    #expect(graph.neighbourhood(of: [0, 6], hops: 1) == [0, 1, 5, 6])
    #expect(graph.neighbourhood(of: [3], hops: 100) == Array(0..<7))
  }

  @Test func repeatedEdgesCountOnceAndUnknownNodesNever() {
    let edge = DependencyGraph.Edge(waiter: 1, dependency: 0)
    let stray = DependencyGraph.Edge(waiter: 7, dependency: 0)
    #expect(DependencyGraph(nodeCount: 2, edges: [edge, edge, stray]).edges == [edge])
  }

  /// A recursive search would need a frame per node.
  @Test func deepChainsAndRingsDoNotOverflowTheStack() {
    let count = 200_000
    let chain = (1..<count).map { DependencyGraph.Edge(waiter: $0, dependency: $0 - 1) }
    let graph = DependencyGraph(nodeCount: count, edges: chain)
    #expect(graph.stronglyConnectedComponents().count == count)
    #expect(graph.ancestors(of: count - 1).count == count - 1)
    let ring = DependencyGraph(
      nodeCount: count, edges: chain + [DependencyGraph.Edge(waiter: 0, dependency: count - 1)])
    #expect(ring.cyclicComponents().count == 1)
    #expect(ring.cycle(in: ring.cyclicComponents()[0]).count == count)
  }

  @Test func onlyUnfinishedOperationsBlock() {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("q")
    make.operation("done", on: queue, began: 0, ended: 1)
    make.operation("running", on: queue, after: [1], began: 2)
    make.operation("waits", on: queue, after: [1, 2])
    make.operation("cancelled", on: queue, after: [2], cancelled: 5)
    let removed = make.operation("freed", on: queue, after: [2])
    make[removed].dependencies[0].removed = 50
    #expect(DependencyGraph.blocking(in: make.trace).edges == [DependencyGraph.Edge(waiter: 2, dependency: 1)])
  }
}

@Suite struct ReachTests {
  @Test(.timeLimit(.minutes(10))) func moreHopsThanNodesCostNoExtraTime() {
    let graph = DependencyGraph(nodeCount: 3, edges: [.init(waiter: 1, dependency: 0)])
    #expect(graph.neighbourhood(of: [0], hops: .max) == [0, 1])
    #expect(graph.neighbourhood(of: [0], hops: .min) == [0])
    #expect(graph.neighbourhood(of: [], hops: .max) == [])
  }
}
