import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

@Suite struct SVGTests {
  private func read(_ trace: Trace, _ options: GraphOptions = GraphOptions()) throws -> (SVGReader, GraphPicture) {
    let picture = GraphPicture(of: trace, options: options)
    return (SVGReader(SVGWriter.text(picture, try GraphvizRenderer.layout(picture))), picture)
  }

  @Test(arguments: LayoutTests.fixtures)
  func everyOperationAndEveryEdgeIsDrawnOnce(fixture: LayoutTests.Fixture) throws {
    let (svg, picture) = try read(fixture.trace)
    #expect(svg.error == nil)
    #expect(Set(svg.ids).count == svg.ids.count, "ids are unique")
    let operations = svg.having("op").compactMap { $0.attributes["id"] }
    #expect(operations.sorted() == fixture.trace.operations.map { "op-\($0.id.rawValue)" }.sorted())
    let expected = fixture.trace.operations.flatMap { operation in
      operation.dependencies.map { "e-\($0.on.rawValue)-\(operation.id.rawValue)" }
    }
    let edges = svg.having("dep").compactMap { $0.attributes["id"] }
    #expect(edges.filter { $0.hasPrefix("e-") }.sorted() == expected.sorted())
    #expect(edges.count == picture.edges.count)
    for edge in svg.having("dep") where edge.attributes["id"] != nil {
      #expect(operations.contains(edge.attributes["data-from"] ?? ""))
      #expect(operations.contains(edge.attributes["data-to"] ?? ""))
    }
    let queues = svg.having("queue").compactMap { $0.attributes["id"] }
    #expect(queues.count == fixture.trace.queues.count)
  }

  /// Names stay text wherever they occur: there is one script, one style, and nothing that loads or runs.
  @Test func hostileNamesDoNotBreakOut() throws {
    let (svg, _) = try read(Zoo.hostile())
    #expect(svg.error == nil)
    #expect(svg.elements.count { $0.name == "script" } == 1)
    #expect(svg.elements.count { $0.name == "style" } == 1)
    let known: Set = ["svg", "title", "desc", "style", "rect", "g", "text", "tspan", "path", "script"]
    #expect(Set(svg.elements.map(\.name)).isSubset(of: known))
    for element in svg.elements {
      for name in element.attributes.keys {
        #expect(!name.hasPrefix("on") && !name.contains("href") && name != "src", "\(element.name) has \(name)")
      }
    }
    let shown = svg.elements.filter { $0.attributes["class"] == "name" }.map(\.text)
    #expect(shown.contains { $0.hasPrefix("</title>") })
    #expect(shown.contains("&amp; &lt; &#x41;"), "an entity in a name stays what it is")
    #expect(shown.allSatisfy { $0.count < 60 }, "long names are cut")
    #expect(shown.contains { $0.hasPrefix("xxx") && $0.contains("x…x") && $0.hasSuffix("xxx") })
  }

  /// A picture of two boxes is as wide as the longest line above and below it.
  @Test func headAndLegendAreNotCut() throws {
    var options = GraphOptions()
    options.mostBoxes = 20
    let picture = GraphPicture(of: FoldedPictureTests.serial(1000), options: options)
    let svg = SVGReader(SVGWriter.text(picture, try GraphvizRenderer.layout(picture)))
    let note = try #require(picture.foldingNote)
    let shown = svg.elements.map(\.text)
    #expect(shown.contains { note.hasSuffix($0) && $0.hasSuffix("optrace graph --full draws all") }, "\(note)")
    let width = try #require(svg.elements.first?.attributes["width"].flatMap { Double($0.filter { "0"..."9" ~= $0 }) })
    for element in svg.elements where element.name == "text" && element.text.contains("from its first to its last") {
      #expect(28 + 44 + 7 + TextMetrics.width(of: element.text, size: 11.5) <= width)
    }
  }

  @Test func queuesOfTheSameNameHaveNumbers() throws {
    var make = HandmadeTrace("sessions")
    for name in ["session", "session", "other", ""] { make.operation("one", on: make.queue(name), began: 1, ended: 2) }
    let picture = try read(make.trace).1
    #expect(picture.lanes.map(\.title) == ["session (queue 1)", "session (queue 2)", "other", "queue 4"])
    #expect(picture.lanes.map(\.id) == ["queue-session", "queue-session-2", "queue-other", "queue-queue-4"])
  }

  /// A plain operation on a traced queue: its execution was not recorded.
  @Test func operationsRecordedInPartAreNotPending() throws {
    var make = HandmadeTrace("parts", end: 900)
    let queue = make.queue("q", limit: 2)
    make.operation("seen", on: queue, began: 0, ended: 100)
    for (name, ready) in [("plain", 10.0), ("waiting", nil)] as [(String, Double?)] {
      let id = make.operation(name, on: queue, ready: ready)
      make[id].coverage = .partial
    }
    let external = make.operation("far", after: [1])
    make[external].coverage = .external
    let (svg, picture) = try read(make.trace)
    #expect(picture.verdicts.map(\.text) == ["all operations are over, 3 recorded in part"])
    #expect(
      picture.period.upperBound == HandmadeTrace.nanoseconds(100), "the run is not stretched to the trace's end")
    #expect(picture.count(of: .pending) == 0 && picture.count(of: .ready) == 0)
    #expect(svg.having("unknown").compactMap { $0.attributes["id"] } == ["op-2", "op-3", "op-4"])
    #expect(picture.nodes[1].caption == "#2 · recorded in part" && picture.nodes[1].bar.isEmpty)
    #expect(!picture.nodes[1].tooltip.contains("waited"))

    make.operation("open", on: queue, after: [2])
    #expect(try read(make.trace).1.verdicts.map(\.text) == ["1 pending, 3 recorded in part"])
    // An operation whose begin was recorded is executing, even if little else was recorded.
    make[2].started = make[2].enqueued
    #expect(try read(make.trace).1.verdicts.map(\.text) == ["1 executing, 1 pending, 2 recorded in part"])
  }

  @Test func operationsThatOnlyWaitSaySo() throws {
    let text = """
      optrace text 1
      process 100 "waits"
      writer "1.0.0"
      mode streaming
      wall 1700000000000000000
      monotonic 5000000
      state open
      heartbeat 6000000000

      0 t1 thread t1 tid=100 "main"
      0 t2 thread t2 tid=101 "a"
      0 t3 thread t3 tid=102 "b"
      0 t4 thread t4 tid=103 "c"
      10 t1 created #1 class="A"
      20 t1 created #2 class="B"
      30 t1 created #3 class="C"
      100 t2 started #1
      110 t2 began #1
      120 t3 started #2
      130 t3 began #2
      140 t4 started #3
      150 t4 began #3
      1000000000 t2 wait #2
      2000000000 t3 blocked #2 object=0x7f10 kind=semaphore age=0
      2000000100 t4 blocked #3 object=0x7f20 kind=semaphore age=0
      3000000000 t4 unblocked #3 object=0x7f20 kind=semaphore

      """
    let picture = GraphPicture(of: try TraceReader.read(bytes: Array(text.utf8)))
    #expect(
      picture.nodes.map(\.caption) == [
        "#1 · waits 5 s for #2", "#2 · waits 4 s for semaphore 1", "#3 · 6 s so far",
      ])
  }

  @Test func statesHaveClassesAndShapes() throws {
    let (svg, picture) = try read(Zoo.trace())
    for state in ShownState.allCases {
      #expect(picture.count(of: state) > 0, "the zoo has one of each")
      let drawn = svg.having(state.rawValue).filter { element in
        element.attributes["id"] != nil && element.attributes["class"]?.contains(" unknown") == false
      }
      #expect(drawn.count == picture.count(of: state))
    }
    let signs = Set(svg.elements.filter { $0.attributes["class"] == "sign" }.compactMap { $0.attributes["d"] })
    // Executing and ready have a triangle: one is filled, the other is not.
    #expect(signs.count == ShownState.allCases.count - 1)
    #expect(Set(ShownState.allCases.map(\.sign)).count == ShownState.allCases.count)
  }

  @Test func theCycleIsNamedInTheTitleAndDrawn() throws {
    let (svg, picture) = try read(PhotoImport.stuck())
    #expect(picture.nodes.filter { $0.state == .deadlocked }.map(\.operation.rawValue) == [23, 24, 25])
    #expect(
      picture.verdicts.map(\.text)
        == ["#23 SyncLock waits for #25 SaveSession waits for #24 RefreshToken waits for #23"])
    let cycle = svg.having("cycle").compactMap { $0.attributes["id"] }
    #expect(Set(cycle) == ["e-23-24", "e-24-25", "e-25-23"])
    #expect(!picture.subtitle.isEmpty && picture.subtitle.contains("critical path 2.54 s of 2.60 s (98 %)"))
    #expect(picture.subtitle.contains("3 steps still to run"))
  }

  @Test func theTitleCountsAllQueuesAndShowsSmallSharesAsMoreThanNone() {
    var fixture = HandmadeTrace("test", end: 1000)
    for name in ["used", "spare", "other"] {
      let queue = fixture.queue(name)
      if name != "spare" { fixture.operation("quick", on: queue, enqueued: 0, began: 999, ended: 999.5) }
    }
    let subtitle = GraphPicture(of: fixture.trace).subtitle
    #expect(subtitle.contains("2 operations · 2 of 3 queues"), "\(subtitle)")
    #expect(subtitle.contains("(<1 %)"), "\(subtitle)")
  }

  @Test func aHealthyRunHasNoCycle() throws {
    let (svg, picture) = try read(PhotoImport.healthy())
    #expect(picture.count(of: .deadlocked) == 0)
    #expect(svg.having("cycle").isEmpty)
    #expect(picture.verdicts.map(\.kind) == [.good])
  }

  @Test func lossIsShownInThePicture() throws {
    #expect(
      GraphPicture(of: Zoo.trace()).verdicts.contains { $0.kind == .warning && $0.text.contains("12 records lost") })
    #expect(!GraphPicture(of: PhotoImport.healthy()).verdicts.contains { $0.kind == .warning })
  }

  @Test func aQueueIsTitledWithItsLoad() {
    let lanes = GraphPicture(of: PhotoImport.healthy()).lanes
    #expect(lanes.map(\.id) == ["queue-network", "queue-imaging", "queue-store"])
    #expect(lanes.map(\.title) == ["network", "imaging", "store"])
    // 420 + 830 + 500 + 1230 + 270 + 130 + 380 + 130 ms of 4 x 3200 ms.
    #expect(lanes[0].caption == "max 4 · 8 ops · 30 % busy")
    #expect(lanes[2].caption.hasPrefix("serial · 8 ops · "))
  }

  @Test func equalAndEmptyQueueNamesGetIdsOfTheirOwn() {
    var make = HandmadeTrace()
    for name in ["a b", "A-B", "", "…", "a b"] {
      let queue = make.queue(name, limit: 1)
      make.operation("same", on: queue, began: 0, ended: 1)
    }
    let ids = GraphPicture(of: make.trace).lanes.map(\.id)
    #expect(Set(ids).count == 5)
    #expect(ids.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } })
  }

  @Test func waitsForASlotAreEdgesOfTheCriticalPathOnly() throws {
    let (svg, _) = try read(Zoo.trace())
    #expect(svg.having("slot").compactMap { $0.attributes["id"] } == ["s-1-2"])
    var options = GraphOptions()
    options.showsCriticalPath = false
    let (plain, picture) = try read(Zoo.trace(), options)
    #expect(plain.having("slot").isEmpty && plain.having("critical").isEmpty)
    #expect(!picture.subtitle.contains("critical"))
  }

  @Test func theTooltipHasAllTimes() {
    let picture = GraphPicture(of: PhotoImport.stuck())
    let tooltip = picture.nodes[6].tooltip
    let times = "waiting for dependencies 480 ms, for a slot 270 ms, for a thread 20 ms, running 130 ms"
    #expect(tooltip.contains(times), "\(tooltip)")
    #expect(tooltip.contains("queue network") && tooltip.contains("depends on #2 ParseManifest"))
    #expect(picture.nodes[6].bar.map(\.kind) == [.blocked, .queued, .ran])
  }

  @Test func theTooltipNamesTheCreationSiteOnce() {
    var fixture = HandmadeTrace(end: 10)
    let id = fixture.operation("one", on: fixture.queue("queue"), began: 1, ended: 2)
    fixture[id].source = "main.swift:7"
    let lines = GraphPicture(of: fixture.trace).nodes[0].tooltip.split(separator: "\n")
    #expect(lines.filter { $0.contains("main.swift:7") } == ["made at main.swift:7"])
  }

  @Test func focusShowsTheNeighbourhood() throws {
    var options = GraphOptions()
    let trace = PhotoImport.healthy()
    options.focus = GraphOptions.Focus(operations: [OperationID(10)], hops: 1, name: "Decode 3")
    let (svg, picture) = try read(trace, options)
    #expect(picture.nodes.map(\.operation.rawValue) == [5, 10, 15, 17])
    #expect(svg.having("op").count { $0.attributes["id"] != nil } == 4)
    #expect(picture.subtitle.contains("4 of 26 operations"))
  }

  @Test func lanesCanBeClasses() throws {
    var make = HandmadeTrace()
    let queue = make.queue("q", limit: 1)
    for number in 0..<4 {
      let id = make.operation("op", on: queue, began: Double(number), ended: Double(number) + 1)
      make[id].className = number.isMultiple(of: 2) ? "Even" : "Odd"
    }
    var options = GraphOptions()
    options.grouping = .class
    let (svg, picture) = try read(make.trace, options)
    #expect(picture.lanes.map(\.title) == ["Even", "Odd"])
    #expect(svg.ids.contains("class-even") && svg.ids.contains("class-odd"))
  }

  @Test func anEmptyTraceIsAPictureToo() throws {
    let (svg, picture) = try read(HandmadeTrace("nothing").trace)
    #expect(svg.error == nil)
    #expect(picture.verdicts.map(\.lead) == ["Empty:"])
  }
}
