import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceGraph

/// Swift's tasks in the graph.
@Suite("Tasks in the graph") struct TaskGraphTests {
  private func picture(
    _ trace: Trace, _ layers: Set<GraphOptions.Layer>, most: Int? = nil, focus: [WorkID] = [],
    by grouping: GraphOptions.Grouping = .queue
  ) -> GraphPicture {
    var options = GraphOptions()
    options.layers = layers
    options.mostBoxes = most
    options.grouping = grouping
    if !focus.isEmpty { options.focus = GraphOptions.Focus(operations: focus, hops: 2, name: "it") }
    return GraphPicture(of: trace, options: options)
  }

  private func edges(_ picture: GraphPicture, _ kind: GraphPicture.Edge.Kind = .submission) -> [String] {
    picture.edges.filter { $0.kind == kind }.map { picture.id(of: $0) }
  }

  /// A task with `children` children of one function, each with one child of another function. At the end the
  /// last child waits for its own child.
  private func family(_ children: Int, named: Bool = false) throws -> Trace {
    var lines = """
      0 t0 image i1 build="a1b2" page=16 pages=4 "/usr/bin/golden"
      0 t0 frame f1 image=i1 offset=4096
      0 t0 frame f2 image=i1 offset=4352
      0 t0 symbol f1 short="fetch(_:)" "fetch"
      0 t0 symbol f2 short="parse(_:)" "parse"
      10 t1 task #1 enqueued
      20 t2 task-run #1

      """
    for child in 0..<children {
      lines += "30 t2 task #\(2 + 2 * child) by=#1 how=2 enqueued code=f1\n"
      if named { lines += "30 t2 named #\(2 + 2 * child) \"request \(child)\"\n" }
    }
    lines += "35 t2 task-suspended #1 reason=3\n"
    for child in 0..<children {
      let id = 2 + 2 * child
      lines += "40 t3 task-run #\(id)\n40 t3 task #\(id + 1) by=#\(id) how=3 enqueued code=f2\n"
      lines += "40 t3 task-suspended #\(id) reason=1 for=#\(id + 1)\n"
    }
    for child in 0..<children - 1 {
      let id = 2 + 2 * child
      lines += "50 t3 task-run #\(id + 1)\n50 t3 task-enqueued #\(id) by=#\(id + 1)\n50 t3 task-completed #\(id + 1)\n"
      lines += "50 t3 task-run #\(id)\n50 t3 task-completed #\(id)\n"
    }
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(lines, in: .microseconds)))
  }

  @Test("without the layer operations name what they submitted, and verdicts say how to see tasks")
  func folded() throws {
    let trace = try GoldenTrace.tasks()
    let picture = picture(trace, [.operations])
    #expect(picture.nodes.map(\.id) == ["op-1"])
    #expect(picture.nodes[0].caption.hasSuffix(" · 4 tasks, 1 not over"))
    var alone = trace
    alone.operations = []
    #expect(GraphOptions.usualLayers(of: alone) == [.tasks])
    #expect(self.picture(alone, [.operations]).verdicts.first?.text == "2 of 5 tasks; --layers tasks draws them")
    #expect(self.picture(alone, [.tasks]).verdicts.first?.text == "2 of 5 tasks")
  }

  @Test("with the layer each task has a box, a line from its creator, and what it waits for") func drawn() throws {
    let picture = picture(try GoldenTrace.tasks(), [.operations, .tasks])
    #expect(picture.nodes.map(\.id) == (1...6).map { "op-\($0)" })
    #expect(edges(picture) == ["u-1-2", "u-2-3", "u-2-4", "u-2-5"])
    #expect(picture.lanes.map(\.title) == ["uploads", "Swift tasks"] && picture.lanes[1].id == "tasks-swift-tasks")
    #expect(picture.lanes[1].caption == "5 tasks · 2 not over")
    #expect(picture.nodes.map(\.state) == [.finished, .finished, .finished, .finished, .pending, .ready])
    #expect(picture.nodes[4].caption == "#5 · waits for a continuation since 300 ns")
    #expect(picture.nodes[4].tooltip.contains("waits for a continuation in fetch(_:)"))
    #expect(picture.nodes[1].tooltip.contains("submitted by #1 Upload") && picture.nodes[1].tooltip.contains("5 runs"))
    #expect(picture.nodes[1].tooltip.contains("suspended 5.77 ms"))
    #expect(picture.nodes[2].tooltip.contains("child in a group"))
    #expect(picture.verdicts.last?.text == "2 of 5 tasks" && picture.legend.contains { $0.text == "submitted" })
    // Its bar shows each piece at its time.
    #expect(Set(picture.nodes[1].bar.map(\.kind)) == [.blocked, .queued, .ran])
    let bar = picture.nodes[1].bar
    #expect(zip(bar, bar.dropFirst()).allSatisfy { $0.to <= $1.from + 1e-9 })
  }

  @Test("a wait at the end of the trace has its own line") func awaited() throws {
    let picture = picture(try family(2), [.tasks])
    #expect(edges(picture, .awaited) == ["a-5-4"])
    #expect(picture.edges.first { $0.kind == .awaited }.map { picture.cssClass(of: $0) } == "dep awaited open")
    #expect(picture.legend.contains { $0.text == "waits for it" })
    #expect(picture.nodes.first { $0.id == "op-4" }?.caption == "#4 · waits for parse(_:) #5 since 10 µs")
  }

  @Test("children of the same function share a box, but unfinished ones have their own") func many() throws {
    let trace = try family(40)
    let picture = picture(trace, [.operations, .tasks], most: 300)
    #expect(picture.nodes.map(\.name) == ["task", "39 × fetch(_:)", "39 × parse(_:)", "fetch(_:)", "parse(_:)"])
    #expect(picture.edges.count { $0.label == "×39" } == 2 && edges(picture).count == 4)
    #expect(picture.foldingNote == "folded 78 tasks into 2 boxes; optrace graph --full draws all")
    let all = picture.nodes.flatMap { $0.fold?.members ?? [$0.operation] }
    #expect(Set(all).count == trace.tasks.count && all.count == trace.tasks.count)
    #expect(self.picture(trace, [.tasks]).nodes.count == trace.tasks.count)
    #expect(self.picture(trace, [.tasks], by: .class).lanes.map(\.title) == ["task", "fetch(_:)", "parse(_:)"])
  }

  @Test("children whose names differ only by a number share a box, named by the common part") func counting() throws {
    let picture = picture(try family(40, named: true), [.tasks], most: 300)
    #expect(picture.nodes.map(\.name) == ["task", "39 × request", "39 × parse(_:)", "request 39", "parse(_:)"])
    #expect(picture.nodes[1].tooltip.hasPrefix("39 × request\nfolded, from #2 to #78\n"))
  }

  @Test("the focus on a task shows its creator and the tasks that it created") func focus() throws {
    let picture = picture(try family(3), [.tasks], focus: [WorkID(4)])
    #expect(Set(picture.nodes.map(\.id)) == ["op-1", "op-4", "op-5"])
  }

  @Test("a cycle of creators in a damaged trace does not hang") func cycle() throws {
    var trace = try family(3)
    trace.tasks[0].submitter = trace.tasks[1].id
    #expect(picture(trace, [.operations, .tasks], most: 3).nodes.count > 0)
  }
}

/// `OPTRACE_TEST_SEED` repeats one.
private var testSeed: Int {
  ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) } ?? .random(in: 0..<1_000_000)
}

@Suite("A task's life in pieces") struct TaskPieceTests {
  @Test("pieces follow one another, and add up to the task's life") func random() throws {
    let seed = testSeed
    for round in 0..<60 {
      var random = SeededGenerator(seed + round)
      let trace = try RandomTasks.trace(&random)
      for task in trace.tasks {
        let pieces = task.pieces(traceEnd: trace.end)
        for (one, next) in zip(pieces, pieces.dropFirst()) {
          #expect(one.end <= next.begin && one.begin < next.begin && !one.isOpen, "seed \(seed + round), \(task.id)")
        }
        #expect(pieces.allSatisfy { $0.begin <= $0.end })
        #expect(pieces.count { $0.kind == .run } == task.runs.count)
      }
    }
  }

  @Test("a task has three times: suspended, waiting for its turn, running") func times() throws {
    let trace = try GoldenTrace.tasks()
    let task = try #require(trace.task(WorkID(2)))
    let times = TaskTimes(of: task, traceEnd: trace.end)
    #expect(times.suspended == [.group: 19_700, .task: 9_900, .sleep: 4_939_900, .executor: 800_000])
    #expect(times.turn == 129_680 && times.running == 101_100)
    #expect(times.sums.total == (task.over ?? 0) - (task.submitted?.time ?? 0))
  }
}
