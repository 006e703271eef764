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
  /// Each in the order of waiting, as places in `trace.operations`.
  let cycles: [[Int]]
  let isDeadlocked: [Bool]
  let componentOfCycle: [Int: Int]
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
    let blocking = DependencyGraph.blocking(in: trace)
    let components = blocking.cyclicComponents()
    cycles = components.map(blocking.cycle(in:))
    var isDeadlocked = [Bool](repeating: false, count: trace.operations.count)
    var componentOfCycle: [Int: Int] = [:]
    for (number, component) in components.enumerated() {
      for place in component {
        isDeadlocked[place] = true
        componentOfCycle[place] = number
      }
    }
    self.isDeadlocked = isDeadlocked
    self.componentOfCycle = componentOfCycle
    openWaits = Dictionary(
      trace.waits.compactMap { wait in wait.ended == nil ? wait.inside.map { ($0, wait) } : nil },
      uniquingKeysWith: { $0.began > $1.began ? $0 : $1 })
    period = trace.activity ?? 0...max(0, trace.end)
    if let focus = options.focus {
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

    let critical = options.showsCriticalPath ? Set(path.operations) : []
    var nodeOfPlace = [Int: Int](minimumCapacity: shown.count)
    for place in shown {
      let operation = trace.operations[place]
      let isUnknown = !isDeadlocked[place] && !operation.isOutcomeKnown
      let state =
        isDeadlocked[place] ? ShownState.deadlocked : isUnknown ? .pending : ShownState(operation.state)
      nodeOfPlace[place] = picture.nodes.count
      picture.nodes.append(
        GraphPicture.Node(
          operation: operation.id, lane: laneOfPlace[place] ?? 0, state: state,
          name: TextEscaping.oneLine(operation.title, limit: 300), caption: caption(of: operation, state),
          bar: bar(of: operation), isCritical: critical.contains(operation.id), isBarrier: operation.isBarrier,
          isExternal: operation.coverage == .external, isUnknown: isUnknown,
          tooltip: tooltip(of: place, state, isCritical: critical.contains(operation.id))))
    }
    picture.edges = makeEdges(nodeOfPlace)
    picture.title = TextEscaping.oneLine(trace.header.processName, limit: 120)
    if picture.title.isEmpty { picture.title = "Operations" }
    picture.subtitle = subtitle(lanes)
    picture.verdicts = verdicts(picture)
    return picture
  }

  private func makeEdges(_ nodeOfPlace: [Int: Int]) -> [GraphPicture.Edge] {
    var edges: [GraphPicture.Edge] = []
    var criticalPairs = Set<DependencyGraph.Edge>()
    if options.showsCriticalPath {
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
    for edge in graph.edges {
      guard let from = nodeOfPlace[edge.dependency], let to = nodeOfPlace[edge.waiter] else { continue }
      let waiter = trace.operations[edge.waiter]
      let component = componentOfCycle[edge.waiter]
      edges.append(
        GraphPicture.Edge(
          from: from, to: to, isCritical: criticalPairs.contains(edge),
          isCycle: component != nil && component == componentOfCycle[edge.dependency],
          isOpen: waiter.executionBegan == nil && waiter.started == nil))
    }
    return edges
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
