import OpTraceAnalysis
import Testing

@Suite struct ReachTests {
  @Test(.timeLimit(.minutes(10))) func moreHopsThanThereAreNodesAskForNoMoreTime() {
    let graph = DependencyGraph(nodeCount: 3, edges: [.init(waiter: 1, dependency: 0)])
    #expect(graph.neighbourhood(of: [0], hops: .max) == [0, 1])
    #expect(graph.neighbourhood(of: [0], hops: .min) == [0])
    #expect(graph.neighbourhood(of: [], hops: .max) == [])
  }
}
