import OpTraceAnalysis
public import OpTraceModel

extension GraphPicture {
  /// O(n log n + e) for n operations and e dependencies.
  public init(of trace: Trace, options: GraphOptions = GraphOptions()) {
    self = GraphPictureBuilder(trace, options).picture()
  }
}

/// Turns one trace into one picture.
struct GraphPictureBuilder {
  let trace: Trace
  let options: GraphOptions
  let graph: DependencyGraph
  let path: CriticalPath
  let stuck: StuckPart
  let period: ClosedRange<Nanoseconds>
  /// What the threads of executing operations are blocked in at the end: the wait that began last.
  let openWaits: [OperationID: WaitRecord]
  /// Places of what is shown, ascending.
  let shown: [Int]

  init(_ trace: Trace, _ options: GraphOptions) {
    self.trace = trace
    self.options = options
    graph = DependencyGraph(of: trace)
    path = CriticalPath(of: trace)
    stuck = StuckPart(of: trace)
    openWaits = Dictionary(
      trace.waits.compactMap { wait in wait.ended == nil ? wait.inside.map { ($0, wait) } : nil },
      uniquingKeysWith: { $0.began > $1.began ? $0 : $1 })
    period = trace.activity ?? 0...max(0, trace.end)
    if let hops = options.stuckHops {
      shown = stuck.surroundings(hops: hops)
    } else if let focus = options.focus {
      shown = graph.neighbourhood(of: focus.operations.compactMap(trace.index(of:)), hops: focus.hops)
    } else {
      shown = Array(trace.operations.indices)
    }
  }

  func picture() -> GraphPicture {
    var picture = GraphPicture()
    picture.period = period
    let (lanes, laneOfPlace) = makeLanes()
    picture.lanes = lanes

    let critical = showsPath ? Set(path.operations) : []
    var nodeOfPlace = [Int: Int](minimumCapacity: shown.count)
    for place in shown {
      let operation = trace.operations[place]
      let state = state(of: place)
      nodeOfPlace[place] = picture.nodes.count
      picture.nodes.append(
        GraphPicture.Node(
          operation: operation.id, lane: laneOfPlace[place] ?? 0, state: state,
          name: TextEscaping.oneLine(operation.title, limit: 300), caption: caption(of: operation, state),
          bar: bar(of: operation), isCritical: critical.contains(operation.id), isBarrier: operation.isBarrier,
          isExternal: operation.coverage == .external, isUnknown: state == .pending && !operation.isOutcomeKnown,
          isCulprit: stuck.culprits.contains(place),
          tooltip: tooltip(of: place, state, isCritical: critical.contains(operation.id))))
    }
    picture.edges = makeEdges(nodeOfPlace)
    picture.title = TextEscaping.oneLine(trace.header.processName, limit: 120)
    if picture.title.isEmpty { picture.title = "Operations" }
    picture.subtitle = subtitle(lanes)
    picture.verdicts = verdicts(picture)
    return picture
  }

  /// The critical path says nothing about what is stuck.
  var showsPath: Bool { options.showsCriticalPath && options.stuckHops == nil }

  private func state(of place: Int) -> ShownState {
    if stuck.circles[place] != nil { return .deadlocked }
    if stuck.stalled.contains(place) || stuck.culprits.contains(place) { return .stalled }
    let operation = trace.operations[place]
    return operation.isOutcomeKnown ? ShownState(operation.state) : .pending
  }

  private func makeEdges(_ nodeOfPlace: [Int: Int]) -> [GraphPicture.Edge] {
    var edges: [GraphPicture.Edge] = []
    var criticalPairs = Set<DependencyGraph.Edge>()
    if showsPath {
      func place(_ id: OperationID) -> Int { trace.index(of: id) ?? -1 }
      for step in path.steps {
        switch step.cause {
        case .start: break
        case .dependency(let before):
          criticalPairs.insert(DependencyGraph.Edge(waiter: place(step.operation), dependency: place(before)))
        case .slot(let before):
          guard let from = nodeOfPlace[place(before)], let to = nodeOfPlace[place(step.operation)] else { continue }
          edges.append(GraphPicture.Edge(from: from, to: to, kind: .slot, isCritical: true))
        }
      }
      let behind = [path.steps.last?.operation].compactMap(\.self) + path.remaining
      for (before, after) in zip(behind, behind.dropFirst()) {
        criticalPairs.insert(DependencyGraph.Edge(waiter: place(after), dependency: place(before)))
      }
    }
    let inCircles = Set(
      stuck.circleLinks.lazy.filter { $0.kind == .dependency }
        .map { DependencyGraph.Edge(waiter: $0.waiter, dependency: $0.target) })
    for edge in graph.edges {
      guard let from = nodeOfPlace[edge.dependency], let to = nodeOfPlace[edge.waiter] else { continue }
      let waiter = trace.operations[edge.waiter]
      edges.append(
        GraphPicture.Edge(
          from: from, to: to, isCritical: criticalPairs.contains(edge),
          isCycle: inCircles.contains(edge), isOpen: waiter.executionBegan == nil && waiter.started == nil))
    }
    return edges + stuckEdges(nodeOfPlace)
  }

  /// What is waited for besides dependencies: within circles, and of what else is stuck where that alone is shown, or
  /// where somebody blocks in a wait.
  private func stuckEdges(_ nodeOfPlace: [Int: Int]) -> [GraphPicture.Edge] {
    let inCircles = Set(stuck.circleLinks)
    var links = stuck.circleLinks
    for place in stuck.stalled.sorted() where nodeOfPlace[place] != nil {
      links += stuck.obstacles(of: place).filter { options.stuckHops != nil || $0.kind == .wait }
    }
    var isLabelled = Set<String>()
    return links.compactMap { link in
      guard link.kind != .dependency, let from = nodeOfPlace[link.target], let to = nodeOfPlace[link.waiter] else {
        return nil
      }
      // Once for each who waits is enough.
      let isFirst = isLabelled.insert("\(link.waiter) \(link.label)").inserted
      return GraphPicture.Edge(
        from: from, to: to, kind: link.kind, isCycle: inCircles.contains(link), isOpen: true,
        label: isFirst ? link.label : nil)
    }
  }

  private func bar(of operation: OperationRecord) -> [GraphPicture.BarPart] {
    let length = Double(period.upperBound - period.lowerBound)
    guard length > 0 else { return [] }
    let times = OperationTimes(of: operation, traceEnd: trace.end)
    var at = operation.enqueued?.time ?? operation.executionBegan?.time ?? operation.started?.time ?? period.upperBound
    var parts: [GraphPicture.BarPart] = []
    for (kind, time) in [
      (.blocked, times.waitingForDependencies), (.queued, times.waitingForSlot), (.ran, times.running),
    ] as [(GraphPicture.BarPart.Kind, Nanoseconds)] {
      defer { at += time }
      func part(_ time: Nanoseconds) -> Double { min(1, max(0, Double(time - period.lowerBound) / length)) }
      if time > 0, part(at + time) > part(at) {
        parts.append(GraphPicture.BarPart(kind: kind, from: part(at), to: part(at + time)))
      }
    }
    return parts
  }
}
