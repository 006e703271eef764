import TestSupport
import OpTraceAnalysis
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

@Suite struct FoldedPictureTests {
  private func picture(_ trace: Trace, most: Int?, _ change: (inout GraphOptions) -> Void = { _ in }) -> GraphPicture {
    var options = GraphOptions()
    options.mostBoxes = most
    change(&options)
    return GraphPicture(of: trace, options: options)
  }

  /// One operation, then `width` that depend on it, then one that depends on all of these.
  static func fan(_ width: Int) -> Trace {
    var make = HandmadeTrace("fan")
    let queue = make.queue("work", limit: 2)
    make.operation("First", on: queue, began: 0, ended: 10)
    for number in 0..<width {
      let id = make.operation(
        "Part \(number) of \(width)", on: queue, after: [1], ready: 10, began: 10 + Double(number),
        ended: 12 + Double(number), cancelled: number == 7 ? 11 : nil)
      if number % 50 == 3 {
        make[id].started = nil
        make[id].executionBegan = nil
        make[id].executionEnded = nil
        make[id].cancelRequested = make[id].finished
      }
    }
    make.operation(
      "Last", on: queue, after: (0..<width).map { OperationID(UInt32($0 + 2)) }, ready: Double(width + 12),
      began: Double(width + 12), ended: Double(width + 20))
    return make.trace
  }

  /// Layers in four queues. In the middle one operation fails, and three wait for each other.
  static func layered(_ count: Int) -> Trace {
    var make = HandmadeTrace("layered", end: 100_000)
    make.trace = Large.layered(count, width: 40)
    make[OperationID(UInt32(count / 2))].error = "no such host"
    let queue = QueueID(1)
    let first = UInt32(count + 1)
    make.operation("Login", on: queue, after: [OperationID(first + 1)])
    make.operation("Session", on: queue, after: [OperationID(first + 2)])
    make.operation("Token", on: queue, after: [OperationID(first), OperationID(UInt32(count))])
    make.trace.end = HandmadeTrace.nanoseconds(100_000)
    return make.trace
  }

  /// Operations one after the other in a queue with one slot, and one elsewhere.
  static func serial(_ count: Int) -> Trace {
    var make = HandmadeTrace("serial")
    let queue = make.queue("q", limit: 1)
    for number in 0..<count {
      make.operation("step", on: queue, ready: 0, began: Double(number), ended: Double(number + 1))
    }
    make.operation("aside", on: make.queue("r"), began: 0, ended: 1)
    return make.trace
  }

  @Test func fewOperationsAreDrawnOneByOne() {
    let trace = PhotoImport.healthy()
    #expect(picture(trace, most: 26).nodes.count == 26 && !picture(trace, most: 26).isFolded)
    #expect(picture(trace, most: 26).foldingNote == nil)
    #expect(picture(trace, most: 25).isFolded)
  }

  @Test func theTextsOfAFanAreExact() throws {
    // The critical path would separate the operations that waited for a slot.
    let picture = picture(Self.fan(400), most: 20) { $0.showsCriticalPath = false }
    let boxes = picture.nodes.filter { $0.fold != nil }
    let box = try #require(boxes.first)
    #expect(boxes.count == 1 && box.id == "fold-1")
    #expect(box.name == "392 × Part … of")
    #expect(box.caption == "all finished")
    #expect(box.fold?.timesText == "dependencies 3.92 s · slot 1 min 15 s · thread 3.86 s · running 784 ms")
    #expect(
      box.tooltip == """
        392 × Part … of — all finished
        folded, from #2 to #401
        class Step
        queue work
        in all waiting for dependencies 3.92 s, for a slot 1 min 15 s, for a thread 3.86 s, running 784 ms
        the longest ran 2 ms: #2 Part 0 of 400
        first enqueued at 0 ms · first began at 10 ms · last ended at 411 ms
        closer: optrace graph TRACE --focus '#2'
        """)
    #expect(picture.foldingNote == "folded 392 operations into 1 box, 10 alone; optrace graph --full draws all")
    #expect(picture.verdicts.last?.lead == "Folded:" && picture.verdicts.first?.kind == .good)
    #expect(picture.subtitle.contains("402 operations"))
    let edges = picture.edges.map { "\(picture.id(of: $0)) \($0.count) \($0.label ?? "-")" }
    #expect(edges.filter { $0.contains("f1") } == ["e-1-f1 392 ×392", "e-f1-402 392 ×392"])
    // The doctor warns of eight operations that finished without executing: they have their own boxes.
    #expect(edges.count == 2 + 16 && edges.contains("e-1-5 1 -") && edges.contains("e-355-402 1 -"))
  }

  @Test func aBoxCountsItsOperationsByState() throws {
    var make = HandmadeTrace("states", end: 5)
    let queue = make.queue("q")
    for number in 0..<30 { make.operation("op", on: queue, began: 0, ended: number % 3 == 0 ? nil : 5) }
    let picture = picture(make.trace, most: 10) { $0.showsCriticalPath = false }
    let box = try #require(picture.nodes.first)
    #expect(box.name == "30 × op" && box.caption == "10 executing · 20 finished" && box.state == .executing)
    #expect(box.fold?.states == [.executing: 10, .finished: 20])
    #expect(picture.count(of: .executing) == 10 && picture.count(of: .finished) == 20)
  }

  @Test func importantOperationsHaveBoxesOfTheirOwn() {
    let picture = picture(Self.layered(2000), most: 60)
    let alone = Set(picture.nodes.filter { $0.fold == nil }.map(\.operation.rawValue))
    #expect(alone.isSuperset(of: [1000, 2001, 2002, 2003]))
    #expect(picture.nodes.filter { $0.state == .failed }.map(\.id) == ["op-1000"])
    #expect(picture.nodes.filter { $0.state == .deadlocked }.map(\.id) == ["op-2001", "op-2002", "op-2003"])
    #expect(picture.edges.filter(\.isCycle).map(picture.id).sorted() == ["e-2001-2003", "e-2002-2001", "e-2003-2002"])
    #expect(picture.verdicts.map(\.lead) == ["Deadlock:", "Folded:"])
    #expect(picture.nodes.count <= 60)
    #expect(!picture.edges.contains { $0.isMixed && $0.isCycle })
  }

  @Test func focusedOperationsHaveBoxesOfTheirOwn() throws {
    let trace = Self.fan(400)
    let picture = picture(trace, most: 20) {
      $0.focus = .init(operations: [OperationID(100), OperationID(200)], hops: 2, name: "Part")
    }
    let alone = picture.nodes.filter { $0.fold == nil }.map(\.operation.rawValue)
    #expect(alone.contains(100) && alone.contains(200))
    #expect(picture.isFolded)
  }

  /// A critical path that is too long to read is folded as well, and the picture says so.
  @Test func aLongCriticalPathIsFoldedAndMarked() throws {
    let picture = picture(Self.serial(1000), most: 20)
    #expect(
      picture.foldingNote
        == "folded 1,000 operations into 1 box, 1 alone; the critical path runs through it, its longest steps: 'step' (#1) 1 ms, "
        + "'step' (#2) 1 ms and 'step' (#3) 1 ms; optrace graph --full draws all"
    )
    let box = try #require(picture.nodes.first { $0.fold != nil })
    #expect(box.isCritical && box.fold?.critical == 1000 && box.fold?.inner == 999)
    #expect(
      box.tooltip.hasSuffix(
        """
        999 edges among them
        part of the critical path: all of them
        closer: optrace graph TRACE --focus '#1'
        """))
    #expect(picture.nodes.map(\.name) == ["1,000 × step", "aside"])
  }

  /// 750 times load, decode, resize and save, each stage with two slots.
  @Test func aPipelineIsDrawnAsItsStages() throws {
    var make = HandmadeTrace("pipeline")
    let stages = ["load", "decode", "resize", "save"].map { ($0, make.queue($0, limit: 2)) }
    for chain in 0..<750 {
      for (stage, (name, queue)) in stages.enumerated() {
        let id = UInt32(make.trace.operations.count)
        let began = Double(chain / 2 * 10 + stage * 10)
        make.operation(
          "\(name) \(chain)", on: queue, after: stage > 0 ? [OperationID(id)] : [], ready: stage > 0 ? began : 0,
          began: began, ended: began + (chain == 400 ? 10 : 9.5))
      }
    }
    let picture = picture(make.trace, most: 200)
    #expect(picture.nodes.map(\.name) == stages.map { "750 × \($0.0)" })
    #expect(picture.nodes.allSatisfy { $0.isCritical || $0.fold?.critical == 0 })
    let note = try #require(picture.foldingNote)
    #expect(
      note.hasPrefix("folded 3,000 operations into 4 boxes; the critical path runs through them, its longest steps: "))
    let forward = picture.edges.filter { $0.kind == .dependency }
    #expect(forward.map { "\($0.from) \($0.to) \($0.count)" } == ["0 1 750", "1 2 750", "2 3 750"])
  }

  @Test func aCycleOfFoldedBoxesIsNotACycleOfOperations() {
    var make = HandmadeTrace("turns")
    let (one, other) = (make.queue("one"), make.queue("other"))
    for number in 0..<1000 {
      make.operation(
        "turn", on: number % 2 == 0 ? one : other, after: number > 0 ? [OperationID(UInt32(number))] : [],
        began: Double(number),
        ended: Double(number + 1))
    }
    let picture = picture(make.trace, most: 20)
    #expect(picture.nodes.map(\.name) == [String](repeating: "50 × turn", count: 20))
    // Ten pairs, one after the other, whose folded boxes form a cycle.
    let mixed = picture.edges.filter(\.isMixed)
    #expect(mixed.count == 20 && picture.edges.count == 29)
    #expect(mixed.allSatisfy { !$0.isCycle && picture.cssClass(of: $0).hasSuffix("mixed") })
    #expect(picture.verdicts.map(\.lead) == ["Done:", "Folded:"], "no deadlock")
  }

  @Test func lanesOfManyQueuesFoldTogether() {
    var make = HandmadeTrace("queues")
    for number in 0..<100 {
      let queue = make.queue("queue \(number)")
      for _ in 0..<3 { make.operation("op", on: queue, began: 0, ended: 1) }
    }
    let picture = picture(make.trace, most: 20)
    #expect(picture.nodes.count <= 20)
    #expect(picture.lanes.contains { $0.id == "several" && !$0.isBoxed })
    #expect(picture.nodes.allSatisfy { picture.lanes.indices.contains($0.lane) })
  }

  /// Each operation is in one box. Each edge of the full picture is in one edge, or inside one box. Sums stay the same.
  @Test(arguments: 0..<60)
  func foldingLosesNothing(seed: Int) throws {
    var random = SeededGenerator(seed)
    let queues = random.number(1..<4)
    let jobs = (0..<random.number(30..<110)).map { number in
      Scheduler.Job(
        duration: random.number(1..<9),
        after: (0..<random.number(0..<3)).map { _ in random.number(0..<max(1, number)) }.filter { $0 != number },
        queue: random.number(0..<queues))
    }
    let stop = random.chance(40) ? random.number(5..<60) : nil
    var trace = Scheduler.run(jobs, limits: (0..<queues).map { _ in random.number(0..<4) }, stop: stop)
    for index in trace.operations.indices {
      trace.operations[index].className = "Class\(random.number(0..<2))"
      if random.chance(3), trace.operations[index].finished != nil { trace.operations[index].error = "lost" }
    }
    let full = picture(trace, most: nil)
    let most = random.number(8..<30)
    let folded = picture(trace, most: most)
    try #require(full.nodes.count == trace.operations.count)
    var box: [OperationID: Int] = [:]
    for (number, node) in folded.nodes.enumerated() {
      for id in node.fold?.members ?? [node.operation] {
        #expect(box.updateValue(number, forKey: id) == nil, "seed \(seed): \(id) is in two boxes")
      }
    }
    #expect(box.count == trace.operations.count, "seed \(seed)")
    if trace.operations.count > most { #expect(folded.nodes.count <= most, "seed \(seed)") }

    func key(_ from: Int, _ to: Int, _ kind: GraphPicture.Edge.Kind) -> String { "\(from) \(to) \(kind)" }
    var expected: [String: Int] = [:]
    var inner = [Int](repeating: 0, count: folded.nodes.count)
    for edge in full.edges {
      let from = try #require(box[full.nodes[edge.from].operation])
      let to = try #require(box[full.nodes[edge.to].operation])
      if from == to { inner[from] += 1 } else { expected[key(from, to, edge.kind), default: 0] += 1 }
    }
    let drawn = folded.edges.map { (key($0.from, $0.to, $0.kind), $0.count) }
    #expect(Dictionary(drawn, uniquingKeysWith: +) == expected && drawn.count == expected.count, "seed \(seed)")
    #expect(folded.nodes.map { $0.fold?.inner ?? 0 } == inner, "seed \(seed)")
    for edge in folded.edges where edge.count > 1 { #expect(edge.label?.hasSuffix("×\(edge.count)") == true) }

    for state in ShownState.allCases {
      #expect(folded.count(of: state) == full.count(of: state), "seed \(seed) \(state)")
    }
    let critical = folded.nodes.reduce(0) { $0 + ($1.fold?.critical ?? ($1.isCritical ? 1 : 0)) }
    #expect(critical == full.nodes.count(where: \.isCritical), "seed \(seed)")
    checkTimes(folded, trace, seed)
    checkAlone(folded, full, most: most, seed)
    // These runs have no cycle, so boxes form a cycle only where the picture says so.
    let plain = folded.edges.filter { !$0.isMixed }
    let graph = DependencyGraph(
      nodeCount: folded.nodes.count, edges: plain.map { DependencyGraph.Edge(waiter: $0.to, dependency: $0.from) })
    #expect(graph.cyclicComponents().isEmpty, "seed \(seed)")
  }

  private func checkTimes(_ folded: GraphPicture, _ trace: Trace, _ seed: Int) {
    let threadWaits = ThreadWaits(trace)
    for fold in folded.nodes.compactMap(\.fold) {
      var sum = OperationTimes()
      for id in fold.members {
        guard let index = trace.index(of: id) else { continue }
        let own = threadWaits.times(ofOperationAt: index, in: trace)
        sum.waitingForDependencies += own.waitingForDependencies
        sum.waitingForSlot += own.waitingForSlot
        sum.waitingForThread += own.waitingForThread
        sum.running += own.running
      }
      #expect(fold.times == sum, "seed \(seed): fold \(fold.number)")
      #expect(fold.states.values.reduce(fold.unknown, +) == fold.count, "seed \(seed): fold \(fold.number)")
    }
  }

  /// As many sets as fit get their own boxes: first failed operations, then the critical path.
  private func checkAlone(_ folded: GraphPicture, _ full: GraphPicture, most: Int, _ seed: Int) {
    guard folded.isFolded else { return }
    let alone = Set(folded.nodes.filter { $0.fold == nil }.map(\.operation))
    let named = full.nodes.filter { [.failed, .deadlocked].contains($0.state) || $0.isCulprit }
    if named.count <= most - most / 5 {
      #expect(alone.isSuperset(of: named.filter { $0.state == .failed }.map(\.operation)), "seed \(seed)")
    }
    if folded.foldingNote?.contains("the critical path") == false {
      #expect(alone.isSuperset(of: full.nodes.filter(\.isCritical).map(\.operation)), "seed \(seed)")
    }
  }

  @Test func everyFormatTakesFoldedPictures() throws {
    for trace in [Self.fan(400), Self.layered(2000), Zoo.hostile()] {
      let picture = picture(trace, most: 12)
      try #require(picture.isFolded)
      let layout = try GraphvizRenderer.layout(picture)
      let svg = SVGReader(SVGWriter.text(picture, layout))
      #expect(svg.error == nil)
      #expect(Set(svg.ids).count == svg.ids.count)
      let folds = svg.having("fold").filter { $0.attributes["id"] != nil }
      #expect(folds.map { $0.attributes["id"] } == picture.nodes.filter { $0.fold != nil }.map(\.id))
      #expect(folds.map { $0.attributes["data-count"] } == picture.nodes.compactMap { $0.fold.map { "\($0.count)" } })
      let dot = try GraphvizRenderer.count(inDOT: DOTWriter(picture).text())
      #expect(dot == (picture.nodes.count, picture.edges.count))
      #expect(try GraphvizRenderer.image(of: picture, placed: layout, as: .png).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test(arguments: [
    ("Download 12", "Download"), ("part 3 of 40", "part … of"), ("12", ""), ("#7", "#"), ("a", "a"),
    ("resize-0012.jpg", "resize-….jpg"), ("3rd try", "rd try"), ("日本 5", "日本"), ("", ""),
  ])
  func namesThatDifferByANumberShareAStem(name: String, stem: String) {
    var make = HandmadeTrace()
    let queue = make.queue("q")
    for number in 0..<30 { make.operation(number % 2 == 0 ? name : name + "1", on: queue, began: 0, ended: 1) }
    let picture = picture(make.trace, most: 4)
    let expected = stem.isEmpty || stem == "#" ? "Step" : stem
    // A name with a number and the same name without one have the same stem.
    #expect(
      picture.nodes.compactMap { $0.fold != nil ? $0.name : nil }.contains { $0.hasSuffix(" × \(expected)") },
      "\(picture.nodes.map(\.name))")
  }
}
