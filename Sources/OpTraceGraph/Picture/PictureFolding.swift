import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Folds a picture. Similar operations share boxes, what matters keeps boxes of its own, and the picture says what was
/// folded and how much. Every operation is in exactly one box; every edge is counted in exactly one edge of the
/// picture, or lies within one box.
struct PictureFolding {
  private let builder: GraphPictureBuilder
  /// The edges. Their ends are numbers in `builder.shown`.
  private let edges: [GraphPicture.Edge]
  private let laneOfNode: [Int32]
  private let folding: GraphFolding
  private let marks: FoldingMarks

  /// - Parameter most: the most boxes. A fifth of them is reserved for what folds.
  init(_ builder: GraphPictureBuilder, _ laneOfNode: [Int32], _ edges: [GraphPicture.Edge], most: Int) {
    self.builder = builder
    self.laneOfNode = laneOfNode
    self.edges = edges
    let marks = FoldingMarks(builder, room: most - most / 5)
    self.marks = marks
    // The slot edges of a path that folds lead back and forth between stages. They are drawn, but do not keep anything
    // apart.
    let parting = marks.foldsPath ? edges.filter { $0.kind != .slot } : edges
    folding = GraphFolding(
      nodeCount: builder.shown.count,
      edges: parting.map { FoldingEdge(from: Int32($0.from), to: Int32($0.to)) },
      tiers: FoldingKinds(builder, marks: marks.marks).tiers, isWhole: marks.isWhole, most: most,
      worthIt: Self.worthIt(builder, parting, isWhole: marks.isWhole, count: 4 * most))
  }

  /// Returns the operations next to one with a box of its own, then those that ran longest; in both groups, the longest
  /// first.
  private static func worthIt(
    _ builder: GraphPictureBuilder, _ edges: [GraphPicture.Edge], isWhole: [Bool], count: Int
  ) -> [Int32] {
    var isBeside = [Bool](repeating: false, count: builder.shown.count)
    for edge in edges where isWhole[edge.from] != isWhole[edge.to] {
      isBeside[isWhole[edge.from] ? edge.to : edge.from] = true
    }
    var first = FirstFew<(node: Int, isBeside: Bool, running: Nanoseconds)>(count) { one, other in
      (one.isBeside ? 0 : 1, other.running, one.node) < (other.isBeside ? 0 : 1, one.running, other.node)
    }
    for (node, index) in builder.shown.enumerated() where !isWhole[node] {
      let running = OperationTimes(of: builder.trace.operations[index], traceEnd: builder.trace.end).running
      if running > 0 { first.offer((node, isBeside[node], running)) }
    }
    return first.take().map { Int32($0.node) }
  }

  func fill(_ picture: inout GraphPicture) {
    var boxes = [FoldedBox](repeating: FoldedBox(), count: folding.boxCount)
    for (node, index) in builder.shown.enumerated() {
      boxes[Int(folding.boxes[node])].add(index, lane: Int(laneOfNode[node]), in: builder)
    }
    let folded = fold(edges, &boxes)
    var number = 0
    var mixedLane: Int?
    for box in boxes {
      guard box.count > 1 else {
        picture.nodes.append(builder.node(at: box.first, lane: box.lane ?? 0))
        continue
      }
      number += 1
      if box.lane == nil, mixedLane == nil {
        mixedLane = picture.lanes.count
        picture.lanes.append(Self.lane(builder.options.grouping))
      }
      picture.nodes.append(builder.node(of: box, number: number, lane: box.lane ?? mixedLane ?? 0))
    }
    picture.edges = markMixed(folded, boxes)
    dropEmptyLanes(&picture)
    picture.verdicts.append(note(boxes))
  }

  /// Merges all edges of one sort between the same boxes into one edge.
  private func fold(_ edges: [GraphPicture.Edge], _ boxes: inout [FoldedBox]) -> [GraphPicture.Edge] {
    struct Ends: Hashable {
      var from: Int32
      var to: Int32
      var kind: GraphPicture.Edge.Kind
    }
    var folded: [GraphPicture.Edge] = []
    var known: [Ends: Int] = [:]
    for edge in edges {
      let (from, to) = (folding.boxes[edge.from], folding.boxes[edge.to])
      if from == to, boxes[Int(from)].count > 1 {
        boxes[Int(from)].inner += 1
        continue
      }
      let ends = Ends(from: from, to: to, kind: edge.kind)
      if let number = known[ends] {
        folded[number].add(edge)
      } else {
        known[ends] = folded.count
        var first = edge
        (first.from, first.to) = (Int(from), Int(to))
        folded.append(first)
      }
    }
    for number in folded.indices where folded[number].count > 1 {
      let times = "×\(grouped(folded[number].count))"
      folded[number].label = folded[number].label.map { "\($0) \(times)" } ?? times
    }
    return folded
  }

  /// Marks cycles that only boxes form, so that they are not mistaken for cycles of operations.
  private func markMixed(_ edges: [GraphPicture.Edge], _ boxes: [FoldedBox]) -> [GraphPicture.Edge] {
    let graph = DependencyGraph(
      nodeCount: boxes.count, edges: edges.map { DependencyGraph.Edge(waiter: $0.to, dependency: $0.from) })
    var component = [Int](repeating: -1, count: boxes.count)
    for (number, members) in graph.cyclicComponents().enumerated()
    where members.contains(where: { boxes[$0].count > 1 }) {
      for member in members { component[member] = number }
    }
    return edges.map { edge in
      var edge = edge
      edge.isMixed =
        component[edge.from] >= 0 && component[edge.from] == component[edge.to] && !edge.isCycle
        && (boxes[edge.from].count > 1 || boxes[edge.to].count > 1)
      return edge
    }
  }

  /// Returns the lane for boxes whose operations are in several lanes.
  static func lane(_ grouping: GraphOptions.Grouping) -> GraphPicture.Lane {
    let what = grouping == .queue ? "several queues" : "several classes"
    return GraphPicture.Lane(
      id: "several", nodeClass: "", title: what, caption: "folded together", tooltip: "operations of \(what)",
      style: Palette.lanes[Palette.lanes.count - 1], isBoxed: false)
  }

  /// Removes lanes with nothing in them: all of their operations were folded with those of other lanes.
  private func dropEmptyLanes(_ picture: inout GraphPicture) {
    var isUsed = [Bool](repeating: false, count: picture.lanes.count)
    for node in picture.nodes { isUsed[node.lane] = true }
    guard isUsed.contains(false) else { return }
    var numbers: [Int] = []
    var lanes: [GraphPicture.Lane] = []
    for (number, lane) in picture.lanes.enumerated() {
      numbers.append(lanes.count)
      if isUsed[number] { lanes.append(lane) }
    }
    for number in picture.nodes.indices { picture.nodes[number].lane = numbers[picture.nodes[number].lane] }
    picture.lanes = lanes
  }

  /// Text like `, its longest steps: 'resize 17' (#68) 90 ms and 'load 3' (#9) 70 ms`; empty if none took any time.
  private var longestSteps: String {
    var running: [OperationID: Nanoseconds] = [:]
    for step in builder.path.steps where builder.trace.operation(step.work) != nil {
      running[step.work, default: 0] += step.running
    }
    let longest = running.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
    let names = longest.compactMap { id, time in
      builder.trace.operation(id).map { operation in
        "'\(TextEscaping.oneLine(operation.title, limit: 60))' (\(id)) \(DurationText.text(time))"
      }
    }
    return names.isEmpty ? "" : ", its longest steps: \(listed(names))"
  }

  private func note(_ boxes: [FoldedBox]) -> GraphPicture.Verdict {
    let folded = boxes.filter { $0.count > 1 }
    let count = folded.reduce(0) { $0 + $1.count }
    let alone = boxes.count - folded.count
    var text = "\(counted(count, "operation")) into \(folded.count == 1 ? "1 box" : "\(grouped(folded.count)) boxes")"
    if alone > 0 { text += ", \(grouped(alone)) alone" }
    if marks.foldsPath {
      text += "; the critical path runs through \(folded.count == 1 ? "it" : "them")\(longestSteps)"
    }
    if !marks.crowded.isEmpty { text += "; folded too: \(marks.crowded.joined(separator: ", "))" }
    text += "; optrace graph --full draws all"
    return GraphPicture.Verdict(kind: .note, lead: GraphPicture.foldingLead, text: text)
  }
}

extension GraphPicture.Edge {
  /// Adds another edge between the same boxes.
  fileprivate mutating func add(_ other: GraphPicture.Edge) {
    count += 1
    isCritical = isCritical || other.isCritical
    isCycle = isCycle || other.isCycle
    isOpen = isOpen && other.isOpen
    label = label ?? other.label
  }
}
