package import OpTraceGraph
import OpTraceKernel
package import OpTraceModel
import OpTraceText

extension GraphPicture {
  /// What came, went and changed, as a graph: a box for each pattern of operations, a line for the dependencies between two
  /// of them, a lane for each pattern of queues.
  ///
  /// With more than `most` boxes, those that differ and their neighbours stay; the rest is counted. O(n log n).
  /// - Parameter members: the operations of each pattern, where the picture is beside what shows them.
  package init(
    of comparison: Comparison, title: String, members: [WorkPattern: [OperationID]] = [:],
    mostBoxes most: Int = GraphOptions.readable
  ) {
    let builder = ComparisonPicture(comparison, mostBoxes: most)
    self.init(titled: title)
    (lanes, nodes, edges) = (builder.lanes, builder.nodes(members), builder.edges)
    subtitle = builder.subtitle
    verdicts = builder.verdicts
  }
}

extension BoxDifference {
  init(_ change: StructureDifferences.Change) {
    switch change {
    case .came: self = .came
    case .went: self = .went
    case .more: self = .more
    case .fewer: self = .fewer
    }
  }
}

/// Chooses what of a comparison is drawn, and finds the words.
private struct ComparisonPicture {
  let comparison: Comparison
  private var operations: [StructureDifferences.Operations] = []
  private var index: [WorkPattern: Int] = [:]
  private var laneOf: [String?: Int] = [:]
  private(set) var lanes: [GraphPicture.Lane] = []
  private(set) var edges: [GraphPicture.Edge] = []
  private var timings: [WorkPattern: Comparison.Timing] = [:]
  /// Where they end otherwise: the states that went, and those that came.
  private var ends: [WorkPattern: (went: [String], came: [String])] = [:]

  init(_ comparison: Comparison, mostBoxes most: Int) {
    self.comparison = comparison
    for timing in comparison.timings { timings[timing.pattern] = timing }
    for end in comparison.structure.ends {
      let word = end.state?.rawValue ?? "unknown"
      if end.counts.isMore {
        ends[end.pattern, default: ([], [])].came.append(word)
      } else {
        ends[end.pattern, default: ([], [])].went.append(word)
      }
    }
    operations = chosen(most)
    for (number, one) in operations.enumerated() { index[one.pattern] = number }
    makeLanes()
    for edge in comparison.graph.edges {
      guard let from = index[edge.dependency], let to = index[edge.waiter] else { continue }
      var drawn = GraphPicture.Edge(from, to)
      drawn.count = max(edge.counts.base.upperBound, edge.counts.new.upperBound)
      drawn.difference = edge.counts.change.map(BoxDifference.init)
      // Where operations came or went, so did their edges: the number adds nothing.
      if let change = edge.counts.change, change == .more || change == .fewer { drawn.label = edge.counts.words }
      edges.append(drawn)
    }
  }

  private func difference(of one: StructureDifferences.Operations) -> BoxDifference {
    if let change = one.counts.change { return BoxDifference(change) }
    if ends[one.pattern] != nil { return .ends }
    switch timings[one.pattern]?.verdict {
    case .slower: return .slower
    case .faster: return .faster
    case .same, .unclear, nil: return .same
    }
  }

  /// All, or what differs first, then its neighbours, then what runs longest.
  private func chosen(_ most: Int) -> [StructureDifferences.Operations] {
    let all = comparison.graph.operations
    guard all.count > most else { return all }
    var rank: [WorkPattern: Int] = [:]
    for one in all where difference(of: one) != .same { rank[one.pattern] = 0 }
    for edge in comparison.graph.edges {
      if edge.counts.isChanged {
        rank[edge.waiter] = 0
        rank[edge.dependency] = 0
      }
    }
    for edge in comparison.graph.edges {
      if rank[edge.waiter] == 0, rank[edge.dependency] == nil { rank[edge.dependency] = 1 }
      if rank[edge.dependency] == 0, rank[edge.waiter] == nil { rank[edge.waiter] = 1 }
    }
    let kept = all.indices.sorted { left, right in
      let (one, other) = (rank[all[left].pattern] ?? 2, rank[all[right].pattern] ?? 2)
      if one != other { return one < other }
      let (time, longer) = (timings[all[left].pattern]?.running ?? 0, timings[all[right].pattern]?.running ?? 0)
      return time == longer ? left < right : time > longer
    }
    return kept.prefix(most).sorted().map { all[$0] }
  }

  private mutating func makeLanes() {
    var counts: [String: StructureDifferences.Counts] = [:]
    for queue in comparison.graph.queues { counts[queue.queue] = queue.counts }
    var limits: [String: [StructureDifferences.Limits]] = [:]
    for limit in comparison.structure.limits { limits[limit.queue, default: []].append(limit) }
    for queue in Set(operations.lazy.map(\.pattern.queue)).sorted(by: Self.inOrder) {
      laneOf[queue] = lanes.count
      guard let queue else {
        lanes.append(
          GraphPicture.Lane(
            id: "no-queue", nodeClass: "", title: "no queue", caption: "", tooltip: "never given to a queue",
            style: Palette.lanes[Palette.lanes.count - 1], boxed: false))
        continue
      }
      let caption = caption(counts[queue], limits[queue] ?? [])
      let title = TextEscaping.oneLine(queue.isEmpty ? "(no name)" : queue, limit: 120)
      lanes.append(
        GraphPicture.Lane(
          id: "queue-\(lanes.count)", nodeClass: "q-\(lanes.count)", title: title, caption: caption,
          tooltip: "queue \(title)" + (caption.isEmpty ? "" : ": \(caption)"),
          style: Palette.lanes[lanes.count % Palette.lanes.count], boxed: true))
    }
  }

  /// What is outside of all queues comes last.
  private static func inOrder(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one != nil && other == nil }
    return one < other
  }

  private func caption(
    _ counts: StructureDifferences.Counts?, _ limits: [StructureDifferences.Limits]
  ) -> String {
    var parts: [String] = []
    if let counts, counts.base != 1...1 || counts.new != 1...1 { parts.append("queues: \(counts.words)") }
    func texts(_ isMore: Bool) -> String {
      limits.filter { $0.counts.isMore == isMore }.map { $0.limit.map { "max \(grouped($0))" } ?? "no limit" }
        .joined(separator: ", ")
    }
    if !limits.isEmpty {
      let (went, came) = (texts(false), texts(true))
      parts.append(went.isEmpty ? "now also \(came)" : came.isEmpty ? "no longer \(went)" : "\(went) → \(came)")
    }
    return parts.joined(separator: " · ")
  }

  // MARK: - Boxes

  func nodes(_ members: [WorkPattern: [OperationID]]) -> [GraphPicture.Node] {
    operations.enumerated().map { number, one in
      let timing = timings[one.pattern]
      var fold = GraphPicture.Fold(number + 1, of: members[one.pattern] ?? [])
      fold.timesText = timing.map { words(of: $0) } ?? ""
      let name = TextEscaping.oneLine(one.pattern.title, limit: 300)
      let difference = difference(of: one)
      var lines = ["\(name) — \(difference.words)"]
      if !one.pattern.className.isEmpty {
        lines.append("class \(TextEscaping.oneLine(one.pattern.className, limit: 400))")
      }
      if let function = one.pattern.function { lines.append("runs \(TextEscaping.oneLine(function, limit: 400))") }
      if let queue = one.pattern.queue { lines.append("queue \(TextEscaping.oneLine(queue, limit: 400))") }
      lines.append("operations: \(one.counts.words)")
      if let ends = endWords(one.pattern) { lines.append("at the end \(ends)") }
      if let timing {
        lines.append("times of operations: \(words(of: timing))")
        if let p = timing.p { lines.append("p \(ComparisonFigures.probability(p)): \(timing.verdict.rawValue)") }
      }
      return GraphPicture.Node(
        fold: fold, difference: difference,
        operation: fold.members.first ?? OperationID(UInt32(clamping: number)), lane: laneOf[one.pattern.queue] ?? 0,
        name: name, caption: caption(one), tooltip: lines.joined(separator: "\n"))
    }
  }

  /// `3 → 4 operations`, `1 operation · finished → pending`.
  private func caption(_ one: StructureDifferences.Operations) -> String {
    let isOne = one.counts.base == 1...1 && one.counts.new == 1...1
    return "\(one.counts.words) \(isOne ? "operation" : "operations")"
      + (endWords(one.pattern).map { " · \($0)" } ?? "")
  }

  private func endWords(_ pattern: WorkPattern) -> String? {
    guard let ends = ends[pattern] else { return nil }
    let (went, came) = (ends.went.joined(separator: ", "), ends.came.joined(separator: ", "))
    return went.isEmpty ? "some \(came)" : came.isEmpty ? "fewer \(went)" : "\(went) → \(came)"
  }

  /// `×1.21 (1.18 to 1.25)`.
  private func words(of timing: Comparison.Timing) -> String {
    "\(ComparisonFigures.ratio(timing.ratio)) (\(ComparisonFigures.ratio(timing.low)) to "
      + "\(ComparisonFigures.ratio(timing.high)))"
  }

  // MARK: - Head

  var subtitle: String {
    let (base, new) = (comparison.base, comparison.new)
    var parts = ["\(counted(base.runs, "run")) against \(counted(new.runs, "run"))"]
    if let before = base.wall, let after = new.wall {
      parts.append("wall time \(DurationText.text(before)) → \(DurationText.text(after))")
    }
    parts.append(counted(comparison.graph.operations.count, "pattern") + " of operations")
    return parts.joined(separator: " · ")
  }

  var verdicts: [GraphPicture.Verdict] {
    var result: [GraphPicture.Verdict] = []
    let findings = comparison.structure.findings
    let new = findings.filter(\.isNew)
    if !new.isEmpty {
      let isError = new.contains(where: \.isError)
      result.append(
        .init(isError ? .deadlock : .warning, lead: "Found now:", text: new.map(\.code).joined(separator: ", ")))
    }
    let gone = findings.filter { !$0.isNew }
    if !gone.isEmpty {
      result.append(.init(.good, lead: "No longer found:", text: gone.map(\.code).joined(separator: ", ")))
    }
    let slower = comparison.timings.count { $0.verdict == .slower }
    if slower > 0 {
      result.append(.init(.warning, lead: "Slower:", text: counted(slower, "pattern")))
    }
    if !comparison.structure.isChanged {
      result.append(.init(.good, lead: "Structure:", text: "the same"))
    }
    let left = comparison.graph.operations.count - operations.count
    if left > 0 {
      result.append(
        .init(
          .note, lead: "Not drawn:",
          text:
            "\(counted(left, "pattern")) of \(grouped(comparison.graph.operations.count)), the farthest from what differs"
        ))
    }
    return result
  }
}

extension StructureDifferences.Counts {
  /// `12 → 15`, `3`, `2 to 4 → 9`.
  fileprivate var words: String {
    base == new ? ComparisonFigures.range(base) : "\(ComparisonFigures.range(base)) → \(ComparisonFigures.range(new))"
  }
}
