import OpTraceAnalysis
import TestSupport
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel
import Testing

/// Graphs of any shape make pictures of a reasonable size.
@Suite struct FittingTests {
  struct Shape: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var queues = 1
    /// The prerequisites of each operation.
    var after: [[Int]]

    var trace: Trace {
      var make = HandmadeTrace(testDescription)
      let queues = (0..<queues).map { make.queue("com.example.queue-\($0)") }
      var depths: [Int] = []
      for (number, before) in after.enumerated() {
        let depth = (before.lazy.filter { $0 < number }.map { depths[$0] }.max() ?? -1) + 1
        depths.append(depth)
        make.operation(
          "Job \(number)", on: queues[number % queues.count], after: before.map { OperationID(UInt32($0 + 1)) },
          began: Double(depth * 10), ended: Double(depth * 10 + 1 + number % 7))
      }
      return make.trace
    }
  }

  private static func layers(_ count: Int, width: Int) -> [[Int]] {
    var random = SeededGenerator(count)
    return (0..<count).map { number in
      let first = number / width * width - width
      return first < 0 ? [] : (0..<random.number(1..<4)).map { _ in first + random.number(0..<width) }
    }
  }

  /// Single operations, chains, fans, and operations that depend on several earlier ones.
  private static func mixed(_ count: Int) -> [[Int]] {
    var random = SeededGenerator(count)
    var after: [[Int]] = []
    while after.count < count {
      let first = after.count
      switch random.number(0..<4) {
      case 0: after.append([])
      case 1: for number in 0..<random.number(2..<12) { after.append(number > 0 ? [after.count - 1] : []) }
      case 2:
        after.append([])
        let width = random.number(2..<20)
        for _ in 0..<width { after.append([first]) }
        after.append(Array(first + 1...first + width))
      default: after.append(first > 0 ? [random.number(max(0, first - 40)..<first), first - 1] : [])
      }
    }
    return Array(after.prefix(count))
  }

  static let shapes: [Shape] = [
    Shape(testDescription: "150 independent", after: Array(repeating: [], count: 150)),
    Shape(testDescription: "2,000 independent", after: Array(repeating: [], count: 2000)),
    Shape(testDescription: "chain of 40", after: (0..<40).map { $0 > 0 ? [$0 - 1] : [] }),
    Shape(testDescription: "chain of 500", after: (0..<500).map { $0 > 0 ? [$0 - 1] : [] }),
    Shape(testDescription: "chain of 3,000 in 4 queues", queues: 4, after: (0..<3000).map { $0 > 0 ? [$0 - 1] : [] }),
    Shape(testDescription: "chain of 2,000 in 20 queues", queues: 20, after: (0..<2000).map { $0 > 0 ? [$0 - 1] : [] }),
    Shape(testDescription: "star of 250", after: (0..<251).map { $0 > 0 ? [0] : [] }),
    Shape(testDescription: "star of 2,000 in 4 queues", queues: 4, after: (0..<2001).map { $0 > 0 ? [0] : [] }),
    Shape(testDescription: "fan of 300", after: [[]] + Array(repeating: [0], count: 300) + [Array(1...300)]),
    Shape(testDescription: "50 parts", after: (0..<200).map { $0 % 4 == 0 ? [] : [$0 / 4 * 4] }),
    Shape(
      testDescription: "a chain with a fan at its end",
      after: (0..<100).map { $0 > 0 ? [$0 - 1] : [] } + Array(repeating: [99], count: 200)),
    Shape(testDescription: "3,000 mixed in 4 queues", queues: 4, after: mixed(3000)),
    Shape(testDescription: "2,000 mixed in 20 queues", queues: 20, after: mixed(2000)),
    Shape(testDescription: "1,000 mixed in 90 queues", queues: 90, after: mixed(1000)),
    Shape(testDescription: "3,000 in layers", queues: 4, after: layers(3000, width: 60)),
    Shape(testDescription: "6,000 in thin layers", after: layers(6000, width: 3)),
  ]

  private func size(_ picture: GraphPicture, _ layout: GraphLayout) throws -> (width: Double, height: Double) {
    let head = SVGWriter.text(picture, layout).prefix(2000)
    let box = try #require(head.split(separator: "viewBox=\"0 0 ").dropFirst().first?.split(separator: "\"").first)
    let numbers = box.split(separator: " ").compactMap { Double($0) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1])
  }

  @Test(arguments: shapes)
  func largePicturesHaveAReasonableShapeAndDensity(shape: Shape) throws {
    let picture = GraphPicture(of: shape.trace)
    let size = try size(picture, try GraphvizRenderer.layout(picture))
    guard max(size.width, size.height) > 4000 else { return }
    #expect(max(size.width / size.height, size.height / size.width) <= 4, "\(size)")
    #expect(size.width * size.height / Double(picture.nodes.count) <= 100_000, "\(size)")
  }

  /// A box covers no other box, no other lane and no title. A line crosses no box and no title.
  @Test(arguments: 0..<60)
  func nothingOverlapsInRandomGraphs(seed: Int) throws {
    var random = SeededGenerator(seed)
    let count = random.number(1..<70)
    var after = (0..<count).map { number in
      (0..<random.number(0..<3)).map { _ in random.number(max(0, number - 12)..<max(1, number)) }.filter { $0 < number }
    }
    // Some operations wait in a cycle, or for themselves.
    if seed % 3 == 0 { after[random.number(0..<count)].append(random.number(0..<count)) }
    let queues = [1, 3, 20, 30][seed % 4]
    let picture = GraphPicture(of: Shape(testDescription: "random", queues: queues, after: after).trace)
    check(picture, LayeredLayout.layout(picture), "seed \(seed)")
  }

  @Test(arguments: shapes.filter { $0.after.count <= 300 })
  func nothingOverlapsInLargerShapes(shape: Shape) {
    let picture = GraphPicture(of: shape.trace)
    check(picture, LayeredLayout.layout(picture), shape.testDescription)
  }

  private func check(_ picture: GraphPicture, _ layout: GraphLayout, _ what: String) {
    let metrics = layout.metrics
    func box(_ node: Int, less: Double = 0) -> GraphLayout.Box {
      GraphLayout.Box(
        centre: layout.nodes[node], width: metrics.nodeWidth - less,
        height: metrics.height(of: picture.nodes[node]) - less)
    }
    for one in picture.nodes.indices {
      for other in 0..<one { #expect(!overlaps(box(one), box(other)), "\(what): \(one) covers \(other)") }
      for lane in layout.lanes.indices {
        #expect(overlaps(box(one), layout.lanes[lane]) == (lane == picture.nodes[one].lane), "\(what): lane of \(one)")
      }
      for title in layout.titles { #expect(!overlaps(box(one), title), "\(what): \(one) covers a title") }
    }
    for (edge, curve) in zip(picture.edges, layout.edges) {
      guard let curve else {
        Issue.record("\(what): no line for \(picture.id(of: edge))")
        continue
      }
      let samples = curve.samples
      for node in picture.nodes.indices where node != edge.from && node != edge.to {
        // A line may touch a border.
        let inner = box(node, less: 4)
        #expect(!samples.contains(where: inner.contains), "\(what): \(picture.id(of: edge)) runs through \(node)")
      }
      for title in layout.titles {
        #expect(!samples.contains(where: title.contains), "\(what): \(picture.id(of: edge)) crosses a title")
      }
      for (end, node) in [(curve.points[0], edge.from), (curve.tip, edge.to)] {
        #expect(
          GraphLayout.Box(centre: layout.nodes[node], width: metrics.nodeWidth + 4, height: metrics.nodeHeight)
            .contains(end), "\(what): \(picture.id(of: edge)) ends nowhere")
      }
    }
  }

  @Test func aLongChainIsReadAsText() {
    let picture = GraphPicture(of: Self.shapes[3].trace)
    let positions = LayeredLayout.layout(picture).nodes
    for (one, next) in zip(positions, positions.dropFirst()) {
      #expect(next.y == one.y ? next.x > one.x : next.y > one.y && next.x == positions[0].x)
    }
    #expect(Set(positions.map(\.y)).count > 5)
  }

  @Test(arguments: [18, 20, 21, 60])
  func everyQueueIsNamed(count: Int) throws {
    let picture = GraphPicture(of: Shape(testDescription: "queues", queues: count, after: Self.mixed(200)).trace)
    let layout = try GraphvizRenderer.layout(picture)
    let text = SVGWriter.text(picture, layout)
    for number in 0..<count { #expect(text.contains(">com.example.queue-\(number)<"), "\(number)") }
    let dot = DOTWriter(picture).text()
    for number in 0..<count { #expect(dot.contains("com.example.queue-\(number)<"), "\(number)") }
    #expect(layout.lanes.isEmpty == layout.metrics.namesLanes)
  }

  /// In a folded picture nearly each line has a number. A number that does not fit is only in the line's tooltip.
  @Test(arguments: 0..<4)
  func numbersOnLinesOverlapNothing(which: Int) throws {
    let traces = [
      FoldedPictureTests.fan(400), FoldedPictureTests.layered(2000),
      Shape(testDescription: "mixed", queues: 4, after: Self.mixed(3000)).trace,
      Shape(testDescription: "layers", queues: 3, after: Self.layers(10_000, width: 500)).trace,
    ]
    var options = GraphOptions()
    options.mostBoxes = 60
    try checkNumbers(GraphPicture(of: traces[which], options: options), "\(which)")
  }

  @Test(arguments: Randoms.shapes)
  func numbersOnLinesOverlapNothingInRandomGraphs(shape: Shape) throws {
    try checkNumbers(Randoms.picture(of: shape), shape.testDescription)
  }

  private func checkNumbers(_ picture: GraphPicture, _ what: String) throws {
    let layout = try GraphvizRenderer.layout(picture)
    let boxes = EdgeLabel.boxes(picture, layout)
    let labels = boxes.compactMap(\.self)
    let all = picture.edges.count { $0.label != nil }
    #expect(!labels.isEmpty && labels.count * 100 >= all * 85, "\(what): \(labels.count) of \(all)")
    for (number, label) in labels.enumerated() {
      for other in labels[..<number] { #expect(!overlaps(label, other), "\(what): two numbers meet") }
      for (node, centre) in zip(picture.nodes, layout.nodes) {
        let box = GraphLayout.Box(
          centre: centre, width: layout.metrics.nodeWidth, height: layout.metrics.height(of: node))
        #expect(!overlaps(label, box), "\(what): a number is under \(node.name)")
      }
    }
    // The picture draws exactly these numbers; the tooltips have the others.
    let svg = SVGReader(SVGWriter.text(picture, layout))
    #expect(svg.having("words").count == labels.count, "\(what)")
    let tips = svg.elements.filter { $0.name == "title" }.map(\.text)
    for (edge, box) in zip(picture.edges, boxes) where box == nil && edge.label != nil {
      #expect(tips.contains { $0.hasSuffix(": \(edge.label ?? "")") }, "\(what): \(picture.id(of: edge))")
    }
  }

  /// Random dependencies: folding finds no similar operations, and must still show more than depths.
  enum Randoms {
    static let shapes: [Shape] = [
      shape("10,000 by chance", seed: 1, count: 10_000, queues: 4, reach: 10_000),
      shape("10,000 by chance in 20 queues", seed: 2, count: 10_000, queues: 20, reach: 10_000),
      shape("10,000 in one queue", seed: 3, count: 10_000, queues: 1, reach: 10_000),
      shape("4,000 deep", seed: 4, count: 4000, queues: 3, reach: 30),
      shape("6,000 wide", seed: 5, count: 6000, queues: 2, reach: 6000, width: 1500),
      shape("8,000 in layers in 20 queues", seed: 6, count: 8000, queues: 20, reach: 8000, width: 500),
    ]

    static func picture(of shape: Shape) -> GraphPicture {
      var options = GraphOptions()
      options.mostBoxes = GraphOptions.readable
      return GraphPicture(of: shape.trace, options: options)
    }

    /// Each operation depends on up to three earlier ones, at most `reach` back, but on none of its layer of `width`.
    private static func shape(
      _ name: String, seed: Int, count: Int, queues: Int, reach: Int, width: Int = 1
    ) -> Shape {
      var random = SeededGenerator(seed)
      let after = (0..<count).map { number -> [Int] in
        let end = number / width * width
        guard end > 0 else { return [] }
        return (0..<random.number(0..<4)).map { _ in random.number(max(0, end - reach)..<end) }
      }
      return Shape(testDescription: "\(name), seed \(seed)", queues: queues, after: after)
    }
  }

  /// At least half of the allowed boxes are used, and there are few enough lines to follow.
  @Test(arguments: Randoms.shapes)
  func randomGraphsUseTheirRoom(shape: Shape) {
    let picture = Randoms.picture(of: shape)
    #expect(picture.nodes.count <= GraphOptions.readable)
    #expect(picture.nodes.count * 2 >= GraphOptions.readable, "\(shape): \(picture.nodes.count) boxes")
    #expect(picture.edges.count <= 3 * GraphOptions.readable, "\(shape): \(picture.edges.count) lines")
    #expect(picture.nodes.contains { $0.isCritical })
  }

  /// Similar operations share a box even if there is room for more boxes.
  @Test func likeOperationsStayTogether() {
    let fans = (0..<20).flatMap { fan -> [[Int]] in
      let first = fan * 102
      return [fan > 0 ? [first - 1] : []] + Array(repeating: [first], count: 100) + [Array(first + 1...first + 100)]
    }
    for after in [Array(repeating: [], count: 5000), fans] {
      var options = GraphOptions()
      (options.showsCriticalPath, options.mostBoxes) = (false, GraphOptions.readable)
      let picture = GraphPicture(of: Shape(testDescription: "alike", after: after).trace, options: options)
      #expect(picture.nodes.count <= 60, "\(picture.nodes.count)")
    }
  }

  private func overlaps(_ one: GraphLayout.Box, _ other: GraphLayout.Box) -> Bool {
    one.minX < other.maxX && other.minX < one.maxX && one.minY < other.maxY && other.minY < one.maxY
  }
}
