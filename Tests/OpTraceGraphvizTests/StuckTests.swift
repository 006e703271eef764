import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

/// Pictures of deadlocks and stalls.
@Suite struct StuckTests {
  private func picture(_ trace: Trace, onlyStuck hops: Int? = nil) -> GraphPicture {
    var options = GraphOptions()
    options.stuckHops = hops
    return GraphPicture(of: trace, options: options)
  }

  private func read(_ picture: GraphPicture) throws -> SVGReader {
    SVGReader(SVGWriter.text(picture, try GraphvizRenderer.layout(picture)))
  }

  private typealias Make = HandmadeTrace

  private static func wait(_ make: inout Make, _ who: OperationID?, for target: WaitRecord.Target, at: Double) {
    make.trace.waits.append(
      WaitRecord(target: target, thread: ThreadID(1), inside: who, began: HandmadeTrace.nanoseconds(at)))
  }

  /// An operation of a serial queue waits for the next one. A third one depends on the first.
  static func selfWait() -> Trace {
    var make = HandmadeTrace("self-wait", end: 3000)
    let queue = make.queue("db", limit: 1)
    let outer = make.operation("Outer", on: queue, began: 10)
    let inner = make.operation("Inner", on: queue, enqueued: 20, ready: 20)
    make.operation("Behind", on: queue, after: [1])
    wait(&make, outer, for: .operation(inner), at: 30)
    return make.trace
  }

  static func suspended() -> Trace {
    var make = HandmadeTrace("suspended", end: 3000)
    let queue = make.queue("uploads", limit: 2)
    make.trace.queues[0].changes = [
      .init(time: HandmadeTrace.nanoseconds(5), thread: ThreadID(1), kind: .suspended)
    ]
    make.operation("Done", on: queue, began: 1, ended: 4)
    for number in 1...60 { make.operation("Upload \(number)", on: queue, enqueued: 6, ready: 6) }
    make.operation("Report", on: queue, after: [2])
    return make.trace
  }

  static func orphan() -> Trace {
    var make = HandmadeTrace("orphan", end: 3000)
    let queue = make.queue("work")
    make.operation("Login")
    make.operation("Load", on: queue, after: [1])
    make.operation("Show", on: queue, after: [2])
    make.operation("Other", on: queue, began: 1, ended: 2)
    make[1].created = 0
    return make.trace
  }

  @Test func slotsAndWaitsAreLabelledEdges() throws {
    let picture = picture(Self.selfWait())
    #expect(picture.nodes.map(\.state) == [.deadlocked, .deadlocked, .stalled])
    #expect(picture.nodes.map(\.caption) == ["#1 · waits 2.97 s for #2", "#2 · stuck 2.98 s", "#3 · waits for #1"])
    let edges = picture.edges.filter { $0.kind != .dependency }
    #expect(edges.map { picture.id(of: $0) } == ["w-2-1", "h-1-2"])
    #expect(edges.map(\.label) == ["waitUntilFinished()", "slot of 'db'"])
    #expect(edges.allSatisfy { $0.isCycle })
    #expect(picture.verdicts.map(\.lead) == ["Deadlock:"])
    #expect(
      picture.verdicts[0].text == "'Outer' (#1) holds the only slot of queue 'db' and waits for work that needs it")
    let svg = try read(picture)
    #expect(svg.error == nil)
    #expect(svg.having("held-slot").compactMap { $0.attributes["id"] } == ["h-1-2"])
    #expect(svg.having("wait").compactMap { $0.attributes["id"] } == ["w-2-1"])
    #expect(svg.having("label").map(\.text).sorted() == ["slot of 'db'", "waitUntilFinished()"])
    let legend = svg.elements.filter { $0.name == "text" }.map(\.text)
    #expect(legend.contains("needs its slot") && legend.contains("blocks until it is over"))
  }

  /// Two labelled lines run between the two boxes.
  @Test func theLabelsOfOppositeEdgesDoNotOverlap() throws {
    let picture = picture(Self.selfWait())
    let layout = try GraphvizRenderer.layout(picture)
    let boxes = zip(picture.edges, layout.edges).compactMap { edge, curve -> GraphLayout.Box? in
      guard let label = edge.label, let curve else { return nil }
      return EdgeLabel.box(label, on: curve)
    }
    #expect(boxes.count == 2)
    #expect(boxes[0].maxY <= boxes[1].minY || boxes[1].maxY <= boxes[0].minY)
    for box in boxes {
      for node in layout.nodes {
        let other = GraphLayout.Box(centre: node, width: layout.metrics.nodeWidth, height: layout.metrics.nodeHeight)
        let meets = box.minX < other.maxX && other.minX < box.maxX && box.minY < other.maxY && other.minY < box.maxY
        #expect(!meets)
      }
    }
  }

  @Test func aSuspendedQueueIsTheCulprit() throws {
    let picture = picture(Self.suspended())
    #expect(picture.lanes.map(\.isCulprit) == [true])
    #expect(picture.count(of: .stalled) == 61 && picture.count(of: .deadlocked) == 0)
    #expect(picture.verdicts.map(\.lead) == ["Stalled:"])
    let svg = try read(picture)
    #expect(svg.having("culprit").compactMap { $0.attributes["id"] } == ["queue-uploads"])
  }

  @Test func anOperationInNoQueueIsTheCulprit() throws {
    let picture = picture(Self.orphan())
    #expect(picture.nodes.map(\.isCulprit) == [true, false, false, false])
    #expect(picture.nodes.map(\.state) == [.stalled, .stalled, .stalled, .finished])
    #expect(picture.nodes[0].caption == "#1 · never enqueued")
    #expect(picture.nodes[0].tooltip.hasSuffix("others cannot go on because of it"))
    let svg = try read(picture)
    #expect(svg.having("culprit").compactMap { $0.attributes["id"] } == ["op-1"])
  }

  @Test func stuckPicturesShowWhatIsStuckAndItsNeighbours() {
    let two = picture(Self.orphan(), onlyStuck: 0)
    #expect(two.nodes.map(\.name) == ["Login", "+ 2 waiting behind it"])
    #expect(two.edges.map(two.id) == ["e-1-f1"])
    let one = picture(Self.orphan(), onlyStuck: 1)
    #expect(one.nodes.map(\.name) == ["Login", "Load", "+ 1 waiting behind it"])
    #expect(one.edges.map(one.id) == ["e-1-2", "e-2-f1"])
    #expect(picture(Self.orphan(), onlyStuck: 2).nodes.map(\.name) == ["Login", "Load", "Show"])
    let cycle = picture(PhotoImport.stuck(), onlyStuck: 1)
    #expect(cycle.nodes.map(\.operation.rawValue) == [23, 24, 25])
    #expect(!cycle.nodes.contains { $0.isCritical } && cycle.edges.allSatisfy { $0.isCycle })
    #expect(cycle.subtitle.contains("3 of 26 operations · what is stuck"))
  }

  @Test func stuckPicturesAreLimitedInSize() {
    let few = picture(Self.suspended(), onlyStuck: 1)
    #expect(few.nodes.count == 41 && few.nodes.last?.name == "+ 21 waiting behind it")
    #expect(few.nodes.last?.state == .stalled && few.nodes.last?.fold?.count == 21)
    #expect(few.subtitle.contains("40 of 62 operations"))
  }

  /// Each cycle is in its own queue, and many operations in other queues wait for it.
  @Test func eachCycleIsDrawnWithItsQueueAndWaiters() throws {
    var make = HandmadeTrace("cycles", end: 9000)
    let crowd = make.queue("crowd")
    let rest = make.queue("rest")
    for cycle in 0..<25 {
      let queue = make.queue("queue of cycle \(cycle)")
      let first = UInt32(make.trace.operations.count + 1)
      make.operation("One \(cycle)", on: queue, after: [OperationID(first + 1)])
      make.operation("Other \(cycle)", on: queue, after: [OperationID(first)])
      for number in 0..<(cycle + 3) {
        make.operation("Behind \(cycle).\(number)", on: number == 0 ? rest : crowd, after: [OperationID(first)])
      }
    }
    let picture = picture(make.trace, onlyStuck: 0)
    let boxes = picture.nodes.filter { $0.fold != nil }
    #expect(boxes.map(\.name) == (0..<25).map { "+ \($0 + 3) waiting behind it" })
    #expect(boxes.allSatisfy { $0.caption == "in crowd, rest" })
    let text = SVGWriter.text(picture, try GraphvizRenderer.layout(picture))
    for cycle in 0..<25 { #expect(text.contains(">queue of cycle \(cycle)<")) }
    let dot = DOTWriter(picture).text()
    for cycle in 0..<25 { #expect(dot.contains(">queue of cycle \(cycle)<")) }
    #expect(picture.nodes.reduce(0) { $0 + ($1.fold?.count ?? 1) } == make.trace.operations.count)
  }

  /// The pool had no thread for a while, then all operations finished: that is reported, and nothing is a culprit.
  @Test func finishedOperationsAreNotStuck() throws {
    var lines = "0 t1 queue q1 limit=-1 \"q\"\n"
    for (id, time) in [(1, 20), (2, 30), (3, 1_000_050), (4, 2_000_070)] {
      lines += """
        1 t1 created #\(id) class="Work"
        10 t1 enqueued #\(id) queue=q1
        11 t1 ready #\(id)
        \(time) t\(id + 1) started #\(id)
        \(time + 1) t\(id + 1) began #\(id)
        \(time + 10) t\(id + 1) wait #5
        3000100 t\(id + 1) waited #5
        3000101 t\(id + 1) ended #\(id)
        3000102 t\(id + 1) finished #\(id)
        3000103 t\(id + 1) start-returned #\(id)

        """
    }
    lines += """
      1 t1 created #5 class="Work"
      40 t2 enqueued #5 queue=q1
      40 t2 ready #5
      3000090 t6 started #5
      3000091 t6 began #5
      3000095 t6 ended #5
      3000096 t6 finished #5
      3000097 t6 start-returned #5

      """
    let trace = TraceBuilder.build(try TraceText.parse(TypedTrace().text(lines, in: .microseconds)))
    let picture = picture(trace)
    #expect(picture.verdicts.map(\.lead) == ["Warning:", "Done:"])
    #expect(picture.nodes.allSatisfy { $0.state == .finished && !$0.isCulprit })
    #expect(self.picture(trace, onlyStuck: 1).nodes.isEmpty)
  }

  @Test func aTraceWithNothingStuckHasNoPicture() {
    #expect(picture(PhotoImport.healthy(), onlyStuck: 1).nodes.isEmpty)
  }

  /// A short suspension is not a fault: it has to last.
  @Test func aBrieflySuspendedQueueIsPerhapsStuck() {
    var trace = Self.suspended()
    trace.end = HandmadeTrace.nanoseconds(7)
    #expect(picture(trace).verdicts.map(\.lead).first == "Perhaps stuck:")
  }

  @Test func otherFormatsShowStuckOperationsToo() throws {
    for trace in [Self.selfWait(), Self.suspended(), Self.orphan()] {
      let picture = picture(trace, onlyStuck: 1)
      let dot = DOTWriter(picture).text()
      let counts = try GraphvizRenderer.count(inDOT: dot)
      #expect(counts.nodes == picture.nodes.count && counts.edges == picture.edges.count)
      for label in picture.edges.compactMap(\.label) { #expect(dot.contains("label=\"\(label)\"")) }
      #expect(try GraphvizRenderer.image(of: picture, as: .png).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test func aLongQueueNameIsCutInLabels() {
    var trace = Self.selfWait()
    trace.queues[0].name = "\"]; evil [label=\"" + String(repeating: "x", count: 500)
    let picture = picture(trace)
    #expect(picture.edges.compactMap(\.label).allSatisfy { $0.count < 40 })
    #expect(picture.columnGap < 210)
  }
}
