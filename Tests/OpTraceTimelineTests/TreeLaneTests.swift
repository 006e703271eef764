import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// `OPTRACE_TEST_SEED` repeats one.
private var testSeed: Int {
  ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) } ?? .random(in: 0..<1_000_000)
}

@Suite("Rows of trees") struct TreeLaneTests {
  @Test("children are below their parents, nothing overlaps, and no other tree is in between")
  func random() throws {
    let seed = testSeed
    for round in 0..<80 {
      var random = SeededGenerator(seed + round)
      var nodes: [TreeLanes.Node] = []
      for index in 0..<random.number(1..<120) {
        let parent = index > 0 && random.chance(70) ? random.number(0..<index) : -1
        let from = parent >= 0 ? nodes[parent].begin : Nanoseconds(random.number(0..<70))
        // If only a part of the time is shown, a child may appear before its parent.
        let begin = from + Nanoseconds(random.number(-5..<20))
        nodes.append(
          TreeLanes.Node(
            begin: begin, end: begin + Nanoseconds(random.number(0..<40)), parent: Int32(parent),
            isShown: !random.chance(5), isOpen: random.chance(5)))
      }
      let limit = random.chance(50) ? 1_000 : random.number(0..<12)
      let lanes = TreeLanes(nodes, limit: limit)
      let drawn = nodes.indices.filter { lanes.lane[$0] >= 0 }
      let name: Comment = "seed \(seed + round)"
      #expect(lanes.count == drawn.map { Int(lanes.lane[$0]) + 1 }.max() ?? 0, name)
      for index in drawn {
        #expect(nodes[index].isShown && lanes.lane[index] < limit * (nodes[index].isOpen ? 4 : 1), name)
        let parent = Int(nodes[index].parent)
        if parent >= 0, nodes[parent].isShown { #expect(lanes.lane[index] > lanes.lane[parent], name) }
        for other in drawn where other < index && lanes.lane[other] == lanes.lane[index] {
          let (one, two) = (nodes[index], nodes[other])
          #expect(max(one.end, one.begin + 1) <= two.begin || max(two.end, two.begin + 1) <= one.begin, name)
        }
        // Rows between it and its parent at the same time belong to the parent.
        guard parent >= 0, lanes.lane[parent] >= 0 else { continue }
        for other in drawn
        where lanes.lane[other] > lanes.lane[parent] && lanes.lane[other] < lanes.lane[index]
          && nodes[other].begin <= nodes[index].begin && nodes[other].end > nodes[index].begin
        {
          var above = other
          while nodes[above].parent >= 0, above != parent, nodes[Int(nodes[above].parent)].isShown {
            above = Int(nodes[above].parent)
          }
          #expect(above == parent, name)
        }
      }
      if limit == 1_000 { #expect(drawn.count == nodes.count { $0.isShown }, name) }
    }
  }
}
