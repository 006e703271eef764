package import OpTraceDoctor
package import OpTraceKernel
public import OpTraceModel
import OpTraceText

extension GraphPicture {
  /// Makes the picture. O(n log n + e) for n operations and e dependencies.
  public init(of trace: Trace, options: GraphOptions) {
    self = GraphPictureBuilder(trace, options).picture()
  }

  /// Makes the same picture for a caller that already has the critical path and the diagnosis. A folded picture
  /// recomputes neither.
  package init(of trace: Trace, options: GraphOptions, path: CriticalPath, diagnosis: Diagnosis) {
    self = GraphPictureBuilder(trace, options, knowing: (path, diagnosis)).picture()
  }
}

/// Turns a trace into a picture.
struct GraphPictureBuilder {
  let trace: Trace
  let options: GraphOptions
  let graph: DependencyGraph
  let path: CriticalPath
  let stuck: StuckPart
  let barriers: BarrierWaits
  let threadWaits: ThreadWaits
  let diagnosis: Diagnosis
  let period: ClosedRange<Nanoseconds>
  /// What the threads of executing operations are blocked in at the end: for each, the wait that began last.
  let openWaits: [OperationID: WaitRecord]
  /// The indexes of the operations that are shown, in ascending order.
  let shown: ShownIndexes
  /// The number of each operation in `shown`. -1: not shown. Empty: all are shown.
  private let nodeOfIndex: [Int32]
  /// The other work that was submitted, with the operations that it came from.
  let submitted: SubmittedWork
  /// Whether each operation is on the critical path, by index; only if the path is shown.
  let isCritical: [Bool]

  init(_ trace: Trace, _ options: GraphOptions, knowing known: (path: CriticalPath, diagnosis: Diagnosis)? = nil) {
    self.trace = trace
    self.options = options
    // This comes first, because computing it takes the most memory.
    path = known?.path ?? CriticalPath(of: trace)
    // A folded picture does not fold anything that has a finding; other pictures only mark what is stuck.
    let folds = options.mostBoxes.map { trace.operations.count > $0 } ?? false
    diagnosis =
      folds
      ? known?.diagnosis ?? Diagnosis(of: trace, by: options.rules)
      : Diagnosis(of: trace, only: .stuck, by: options.rules)
    stuck = StuckPart(of: trace, diagnosis)
    barriers = BarrierWaits(in: trace)
    threadWaits = ThreadWaits(trace)
    openWaits = Dictionary(
      trace.waits.compactMap { wait in wait.ended == nil ? wait.inside.map { ($0, wait) } : nil },
      uniquingKeysWith: { $0.began > $1.began ? $0 : $1 })
    period = Self.period(of: trace, options)
    graph = DependencyGraph(of: trace)
    submitted = SubmittedWork(trace)
    if !options.layers.contains(.operations) {
      shown = ShownIndexes([])
    } else if let hops = options.stuckHops {
      shown = ShownIndexes(stuck.surroundings(hops: hops))
    } else if let focus = options.focus {
      shown = ShownIndexes(graph.neighbourhood(of: focus.operations.compactMap(submitted.root(of:)), hops: focus.hops))
    } else {
      shown = ShownIndexes(all: trace.operations.count)
    }
    if shown.count == trace.operations.count {
      nodeOfIndex = []
    } else {
      var nodes = [Int32](repeating: -1, count: trace.operations.count)
      for (number, index) in shown.enumerated() { nodes[index] = Int32(number) }
      nodeOfIndex = nodes
    }
    var isCritical = [Bool](repeating: false, count: trace.operations.count)
    // The critical path says nothing about what is stuck.
    if options.showsCriticalPath, options.stuckHops == nil {
      for step in path.steps { if let index = trace.index(of: step.work) { isCritical[index] = true } }
      for id in path.remaining { if let index = trace.index(of: id) { isCritical[index] = true } }
    }
    self.isCritical = isCritical
  }

  /// Returns the period from the first submission to the last end of what is drawn.
  private static func period(of trace: Trace, _ options: GraphOptions) -> ClosedRange<Nanoseconds> {
    let activity = options.layers.contains(.operations) ? trace.activity : nil
    var begin = activity?.lowerBound
    var end = activity?.upperBound
    func add(_ works: [some Work], _ layer: GraphOptions.Layer) {
      guard options.layers.contains(layer) else { return }
      for work in works {
        guard let from = work.submitted?.time ?? work.began?.time else { continue }
        begin = min(begin ?? from, from)
        end = max(end ?? from, work.over ?? trace.end)
      }
    }
    add(trace.blocks, .dispatch)
    add(trace.tasks, .tasks)
    guard let begin, let end else { return 0...max(0, trace.end) }
    return begin...max(begin, end)
  }

  var showsPath: Bool { options.showsCriticalPath && options.stuckHops == nil }

  func picture() -> GraphPicture {
    var picture = GraphPicture()
    picture.period = period
    let (lanes, laneOfNode) = makeLanes()
    picture.lanes = lanes
    picture.verdicts = verdicts()
    picture.isStuckProven = stuck.isProven
    var edges: [GraphPicture.Edge] = []
    eachEdge { edges.append($0) }
    if let most = options.mostBoxes, shown.count > most {
      PictureFolding(self, laneOfNode, edges, most: most).fill(&picture)
    } else {
      let isLean = shown.count > GraphPicture.mostDetailed
      picture.nodes = shown.indices.map { node(at: shown[$0], lane: Int(laneOfNode[$0]), isLean: isLean) }
      picture.edges = edges
      if options.stuckHops != nil { addCrowds(to: &picture, laneOfNode) }
    }
    picture.subtitle = subtitle(lanes)
    addOtherWork(to: &picture)
    picture.title = title
    return picture
  }

  var title: String {
    let name = TextEscaping.oneLine(trace.header.processName, limit: 120)
    return name.isEmpty ? "Operations" : name
  }

  /// - Parameter isLean: whether to leave out what only appears when the reader zooms in.
  func node(at index: Int, lane: Int, isLean: Bool = false) -> GraphPicture.Node {
    let operation = trace.operations[index]
    let state = state(of: index)
    return GraphPicture.Node(
      operation: operation.id, lane: lane, state: state, name: TextEscaping.oneLine(operation.title, limit: 300),
      caption: isLean ? "" : caption(of: index, state) + submittedCaption(at: index),
      bar: isLean ? [] : bar(of: operation),
      isCritical: isCritical[index], isBarrier: operation.isBarrier, isExternal: operation.coverage == .external,
      isUnknown: isUnknown(index, state), isCulprit: stuck.culprits.contains(index),
      tooltip: isLean ? "" : tooltip(of: index, state, isCritical: isCritical[index]))
  }

  func state(of index: Int) -> ShownState {
    if stuck.cycles[index] != nil { return .deadlocked }
    if stuck.stalled.contains(index) || stuck.culprits.contains(index) { return .stalled }
    return trace.operations[index].isOutcomeKnown ? ShownState(trace.operations[index].state) : .pending
  }

  func isUnknown(_ index: Int, _ state: ShownState) -> Bool {
    state == .pending && !trace.operations[index].isOutcomeKnown
  }

  /// Calls `body` for all edges between what is shown. Their ends are numbers in `shown`.
  func eachEdge(_ body: (GraphPicture.Edge) -> Void) {
    func node(_ index: Int) -> Int? {
      if nodeOfIndex.isEmpty { return index }
      return nodeOfIndex[index] >= 0 ? Int(nodeOfIndex[index]) : nil
    }
    if showsPath {
      for step in path.steps {
        guard case .slot(let before) = step.cause, let from = trace.index(of: before).flatMap(node),
          let to = trace.index(of: step.work).flatMap(node)
        else { continue }
        body(GraphPicture.Edge(from: from, to: to, kind: .slot, isCritical: true))
      }
    }
    // They are in the order of the graph's edges, so one pass is enough.
    var critical = criticalDependencies()[...]
    let inCycles = Set(
      stuck.cycleLinks.lazy.filter { $0.kind == .dependency }
        .map { DependencyGraph.Edge(waiter: $0.waiter, dependency: $0.target) })
    for edge in graph.edges {
      while let next = critical.first, (next.waiter, next.dependency) < (edge.waiter, edge.dependency) {
        critical.removeFirst()
      }
      guard let from = node(edge.dependency), let to = node(edge.waiter) else { continue }
      body(
        GraphPicture.Edge(
          from: from, to: to, isCritical: critical.first == edge,
          isCycle: !inCycles.isEmpty && inCycles.contains(edge),
          isOpen: trace.operations[edge.waiter].executionBegan == nil && trace.operations[edge.waiter].started == nil))
    }
    eachStuckEdge(node, body)
  }

  /// Returns the dependencies that the critical path runs through, in the order of the graph's edges.
  private func criticalDependencies() -> [DependencyGraph.Edge] {
    guard showsPath else { return [] }
    var edges: [DependencyGraph.Edge] = []
    func add(_ before: OperationID, before after: OperationID) {
      guard let before = trace.index(of: before), let after = trace.index(of: after) else { return }
      edges.append(DependencyGraph.Edge(waiter: after, dependency: before))
    }
    for step in path.steps {
      if case .dependency(let before) = step.cause { add(before, before: step.work) }
    }
    let behind = [path.steps.last?.work].compactMap(\.self) + path.remaining
    for (before, after) in zip(behind, behind.dropFirst()) { add(before, before: after) }
    return edges.sorted { ($0.waiter, $0.dependency) < ($1.waiter, $1.dependency) }
  }

  /// Calls `body` for the waits that are not dependencies: those within cycles, and, of everything else that is stuck,
  /// all of them if only the stuck part is shown, otherwise only those of threads blocked in a wait.
  private func eachStuckEdge(_ node: (Int) -> Int?, _ body: (GraphPicture.Edge) -> Void) {
    var links = stuck.cycleLinks
    let inCycles = Set(links)
    for index in stuck.stalled.sorted() where node(index) != nil {
      links += stuck.obstacles(of: index).filter { options.stuckHops != nil || $0.kind == .wait }
    }
    var isLabelled = Set<String>()
    for link in links where link.kind != .dependency {
      guard let from = node(link.target), let to = node(link.waiter) else { continue }
      // One label for each waiter is enough.
      let isFirst = isLabelled.insert("\(link.waiter) \(link.label)").inserted
      body(
        GraphPicture.Edge(
          from: from, to: to, kind: link.kind, isCycle: inCycles.contains(link), isOpen: true,
          label: isFirst ? link.label : nil))
    }
  }

  private func bar(of operation: OperationRecord) -> [GraphPicture.BarPart] {
    let times = OperationTimes(of: operation, traceEnd: trace.end)
    let begin = operation.enqueued?.time ?? operation.executionBegan?.time ?? operation.started?.time
    return bar(times, from: begin ?? period.upperBound)
  }

  func bar(_ times: OperationTimes, from begin: Nanoseconds) -> [GraphPicture.BarPart] {
    let length = Double(period.upperBound - period.lowerBound)
    guard length > 0 else { return [] }
    var at = begin
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

/// A set of indexes in a trace, in ascending order. The set of all indexes takes no memory.
struct ShownIndexes: RandomAccessCollection {
  private let some: [Int]?
  let endIndex: Int
  var startIndex: Int { 0 }

  init(_ indexes: [Int]) {
    some = indexes
    endIndex = indexes.count
  }

  init(all count: Int) {
    some = nil
    endIndex = count
  }

  subscript(number: Int) -> Int { some.map { $0[number] } ?? number }
}
