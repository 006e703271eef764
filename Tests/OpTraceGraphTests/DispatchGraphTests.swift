import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceGraph

/// Blocks of dispatch queues in the graph.
@Suite("Blocks in the graph") struct DispatchGraphTests {
  private func picture(
    _ trace: Trace, _ layers: Set<GraphOptions.Layer>, most: Int? = nil, focus: [WorkID] = []
  ) -> GraphPicture {
    var options = GraphOptions()
    options.layers = layers
    options.mostBoxes = most
    if !focus.isEmpty { options.focus = GraphOptions.Focus(operations: focus, hops: 2, name: "it") }
    return GraphPicture(of: trace, options: options)
  }

  private func edges(_ picture: GraphPicture) -> [String] {
    picture.edges.filter { $0.kind == .submission }.map { picture.id(of: $0) }
  }

  /// Two operations that each submit `blocks` blocks, each of which submits one; and blocks that a thread submitted.
  private func many(_ blocks: Int) throws -> Trace {
    var lines = """
      0 t0 dispatch-queue d1 width=1 "disk"
      0 t0 dispatch-queue d2 width=0 "net"
      0 t1 queue q1 limit=2 "queue"

      """
    var next = 3
    for operation in 1...2 {
      lines += "1 t1 created #\(operation) class=\"Step\"\n1 t1 enqueued #\(operation) queue=q1 priority=0\n"
      lines += "2 t2 began #\(operation)\n"
      for _ in 0..<blocks {
        lines += "3 t2 submitted #\(next) by=#\(operation) queue=d2\n"
        lines += "4 t3 run #\(next)\n5 t3 submitted #\(next + 1) by=#\(next) queue=d1\n6 t3 ran #\(next)\n"
        lines += "7 t4 run #\(next + 1)\n8 t4 ran #\(next + 1)\n"
        next += 2
      }
      lines += "9 t2 finished #\(operation)\n"
    }
    for _ in 0..<blocks {
      lines += "3 t1 submitted #\(next) queue=d1\n"
      next += 1
    }
    let sorted = lines.split(separator: "\n").enumerated().sorted { one, other in
      let (first, second) = (Int(one.element.prefix { $0 != " " }) ?? 0, Int(other.element.prefix { $0 != " " }) ?? 0)
      return (first, one.offset) < (second, other.offset)
    }
    let text = sorted.map { String($0.element) }.joined(separator: "\n")
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .microseconds)))
  }

  @Test("without the layer the picture shows operations, and what they submitted") func folded() throws {
    let picture = picture(try GoldenTrace.dispatch(), [.operations])
    #expect(picture.nodes.map(\.id) == ["op-1"] && picture.edges.isEmpty && picture.lanes.map(\.title) == ["uploads"])
    #expect(picture.nodes[0].caption.hasSuffix(" · 2 blocks"))
    #expect(picture.nodes[0].tooltip.contains("submitted 2 blocks"))
    var open = try many(3)
    open.blocks[1].ended = nil
    #expect(self.picture(open, [.operations]).nodes[0].caption.hasSuffix(" · 6 blocks, 1 not over"))
  }

  @Test("with the layer each block has a box in its queue's lane, and a line from its submitter") func drawn() throws {
    let picture = picture(try GoldenTrace.dispatch(), [.operations, .dispatch])
    #expect(picture.nodes.map(\.id) == ["op-1"] + (2...7).map { "op-\($0)" })
    #expect(edges(picture) == ["u-1-2", "u-2-3"])
    #expect(
      picture.lanes.map(\.title) == [
        "uploads", "disk.io", "net", "dispatch queue 3", "com.apple.main-thread", "no dispatch queue",
      ])
    #expect(picture.lanes[1].caption == "dispatch queue · serial · 1 block")
    #expect(
      picture.nodes.map(\.state) == [.finished, .finished, .finished, .finished, .cancelled, .cancelled, .ready])
    #expect(picture.nodes[1].tooltip.contains("submitted by #1 Upload") && picture.nodes[2].isBarrier)
    #expect(picture.legend.contains { $0.text == "submitted" })
    #expect(picture.verdicts.last?.text == "1 of 6 blocks")
    #expect(Set(picture.lanes.map(\.id)).count == picture.lanes.count)
  }

  @Test("blocks of one queue and function that the same box submitted are folded into one box") func many() throws {
    let trace = try many(100)
    let picture = picture(trace, [.operations, .dispatch], most: 60)
    #expect(picture.nodes.map { $0.fold?.count ?? 1 } == [1, 1, 100, 100, 100, 100, 100])
    #expect(edges(picture).count == 4)
    #expect(picture.edges.allSatisfy { $0.count == 100 && $0.label == "×100" })
    #expect(picture.foldingNote == "folded 500 blocks into 5 boxes; optrace graph --full draws all")
    #expect(Set(picture.nodes.compactMap { $0.fold?.number }).count == 5)
    // Each block is in exactly one box.
    let all = picture.nodes.flatMap { $0.fold?.members ?? [$0.operation] }
    #expect(all.count == trace.operations.count + trace.blocks.count && Set(all).count == all.count)
    #expect(self.picture(trace, [.operations, .dispatch]).nodes.count == all.count)
  }

  @Test("a picture of only blocks does not mention operations") func alone() throws {
    var trace = try GoldenTrace.dispatch()
    let picture = picture(trace, [.dispatch])
    #expect(picture.nodes.count == 6 && edges(picture) == ["u-2-3"])
    #expect(!picture.subtitle.contains("operation") && picture.verdicts.map(\.lead) == ["Not over:"])
    trace.operations = []
    #expect(GraphOptions.usualLayers(of: trace) == [.dispatch])
    #expect(self.picture(trace, [.operations]).verdicts.first?.text == "1 of 6 blocks; --layers dispatch draws them")
    #expect(self.picture(trace, [.operations, .tasks]).nodes.isEmpty)
  }

  @Test("the focus on a block shows what led to it and what it submitted") func focus() throws {
    let trace = try many(3)
    let block = try #require(trace.blocks.first { $0.submitter == OperationID(2) })
    let picture = picture(trace, [.operations, .dispatch], focus: [block.id])
    #expect(picture.nodes.contains { $0.operation == OperationID(2) })
    #expect(!picture.nodes.contains { $0.operation == OperationID(1) })
    #expect(edges(picture).count == 6)
  }

  @Test("a cycle of submitters in a damaged trace does not hang") func cycle() throws {
    var trace = try many(2)
    trace.blocks[0].submitter = trace.blocks[1].id
    for most in [nil, 3] {
      #expect(picture(trace, [.operations, .dispatch], most: most).nodes.count > 2)
    }
  }
}
